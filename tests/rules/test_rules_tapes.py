"""Tapes: of several kinds, one for each call, handed back in opposite order."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    Const,
    Duplicated,
    Reverse,
    autodiff,
)
from enzyme_rules import AugmentedReturn, augmented_primal, reverse

pytestmark = pytest.mark.rotating(3)


def test_a_tape_of_two_references():
    @njit
    def f(x):
        return x * x

    @augmented_primal(f)
    def augmented(config, func, RT, x):
        primal = func.val(x.val) if config.needs_primal else None
        return AugmentedReturn(primal, None, (np.full(1, x.val), np.full((), 2.0 * x.val)))

    @reverse(f)
    def adjoint(config, func, dret, tape, x):
        first, second = tape
        if first[0] != x.val or second[()] != 2.0 * x.val:
            return (-1.0,)
        return (100.0 + first[0] * second[()] / 2.0 * dret.val,)

    assert autodiff(Reverse, f, Active, Active(2.0)) == ((104.0,),)


def test_zero_seeds():
    """The rule runs once for each call, whatever the seed."""

    @njit
    def f(x, counts):
        return x

    @augmented_primal(f)
    def augmented(config, func, RT, x, counts):
        return AugmentedReturn(x.val if config.needs_primal else None, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, x, counts):
        counts.val[0] += 1
        return (46.7 * dret.val, None)

    def third(x, counts):
        y = np.empty_like(x)
        for i in range(len(x)):
            y[i] = f(x[i], counts)
        return y[2]

    x, counts = Duplicated(np.arange(4.0), np.zeros(4)), np.zeros(1, np.int64)
    autodiff(Reverse, third, Active, x, Const(counts))
    np.testing.assert_array_equal(x.dval, [0.0, 0.0, 46.7, 0.0])
    assert counts[0] == 4


@pytest.mark.parametrize(("x", "expected"), [(2.0, 400.0), (5.0, 120.0)])
def test_tapes_whose_members_take_turns(x, expected):
    """A tape of an int below 3, else of a float: as a tuple with a flag, for numba has no unions of these."""

    @njit
    def f(x):
        return x

    @augmented_primal(f)
    def augmented(config, func, RT, x):
        kept = (True, 400, 0.0) if x.val < 3.0 else (False, 0, 120.0)
        return AugmentedReturn(x.val if config.needs_primal else None, None, kept)

    @reverse(f)
    def adjoint(config, func, dret, tape, x):
        return (float(tape[1]) if tape[0] else tape[2],)

    def squared(x):
        return f(x) ** 2

    for function in (f, squared):
        assert autodiff(Reverse, function, Active, Active(x)) == ((expected,),)


def test_tuples_as_active_arguments_in_a_loop():
    @njit
    def f(t):
        return t[0] * t[1] + t[2] * t[3]

    @augmented_primal(f)
    def augmented(config, func, RT, t):
        return AugmentedReturn(func.val(t.val) if config.needs_primal else None, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, t):
        d, v = dret.val, t.val
        return ((v[1] * d, v[0] * d, v[3] * d, v[2] * d),)

    def h(x):
        s = 0.0
        for i in range(0, len(x), 4):
            s += f((x[i], x[i + 1], x[i + 2], x[i + 3]))
        return s

    x = Duplicated(np.arange(1.0, 9.0), np.zeros(8))
    autodiff(Reverse, h, Active, x)
    np.testing.assert_array_equal(x.dval, [2, 1, 4, 3, 6, 5, 8, 7])


def test_recording_rules():
    """Tapes of different iterations are different memory; the rule sees them in opposite order."""

    @njit
    def f(x, log):
        return x

    @augmented_primal(f)
    def augmented(config, func, RT, x, log):
        tape = np.full(3, x.val)
        n = int(log.val[0])
        log.val[0] += 1
        log.val[1 + n] = tape.ctypes.data
        return AugmentedReturn(x.val if config.needs_primal else None, None, tape)

    @reverse(f)
    def adjoint(config, func, dret, tape, x, log):
        n = int(log.val[0])
        log.val[0] += 1
        log.val[1 + n] = tape.ctypes.data
        if (tape == x.val).all():
            return (float(n), None)
        return (-1.0, None)

    def h(x, log):
        s = 0.0
        for i in range(len(x)):
            s += f(x[i], log)
        return s

    x, log = Duplicated(np.arange(5.0), np.zeros(5)), np.zeros(11, np.int64)
    autodiff(Reverse, h, Active, x, Const(log))
    assert log[0] == 10
    assert len(set(log[1:6])) == 5
    np.testing.assert_array_equal(log[1:6], log[:5:-1])
    np.testing.assert_array_equal(x.dval, [9.0, 8.0, 7.0, 6.0, 5.0])
