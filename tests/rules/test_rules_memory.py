"""What rules allocate is freed: tapes, shadows and results."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    Forward,
    Reverse,
    ReverseSplitWithPrimal,
    autodiff,
    autodiff_thunk,
    typeof,
)
from enzyme_rules import AugmentedReturn, augmented_primal, easy_rule, forward, reverse
from tests.rules.growth import grown

pytestmark = pytest.mark.rotating(14)

ARRAY = Duplicated[typeof(np.zeros(3))]


def keeping_arrays():
    """x -> 2 x with a tape of arrays, one of them the shadow of the result."""

    @njit
    def f(x):
        return 2.0 * x

    @augmented_primal(f)
    def augmented(config, func, RT, x):
        y = func.val(x.val)
        if config.width == 1:
            shadow = np.zeros_like(y)
            return AugmentedReturn(y, shadow, (shadow, y, x.val.copy(), [x.val, y]))
        shadows = (np.zeros_like(y), np.zeros_like(y))
        return AugmentedReturn(y, shadows, (shadows, y, x.val.copy(), [x.val, y]))

    @reverse(f)
    def adjoint(config, func, dret, tape, x):
        if tape[3][0][0] != x.val[0] or (tape[1] != 2.0 * tape[2]).any():
            raise ValueError("another tape")
        if config.width == 1:
            x.dval[:] += 2.0 * tape[0]
        else:
            x.dval[0][:] += 2.0 * tape[0][0]
            x.dval[1][:] += 2.0 * tape[0][1]
        return (None,)

    @forward(f)
    def tangent(config, func, RT, x):
        return Duplicated(func.val(x.val), 2.0 * x.dval)

    @njit
    def h(x):
        s = 0.0
        for i in range(5):
            y = f(x + i)
            s += (y * y).sum()
        return s

    return h


@pytest.fixture(scope="module")
def program():
    return keeping_arrays()


EXPECTED = 8.0 * (5 * np.arange(3.0) + 10)


def test_tapes_of_arrays(program):
    x = np.arange(3.0)

    def call():
        d = np.zeros(3)
        autodiff(Reverse, program, Active, Duplicated(x, d))
        np.testing.assert_allclose(d, EXPECTED)

    assert grown(call) == (0, 0)


def test_batches(program):
    x = np.arange(3.0)

    def call():
        d = np.zeros(3), np.zeros(3)
        autodiff(Reverse, program, Active, BatchDuplicated(x, d))
        np.testing.assert_allclose(d[1], EXPECTED)

    assert grown(call) == (0, 0)


def test_forward_mode(program):
    x, dx = np.arange(3.0), np.ones(3)

    def call():
        (d,) = autodiff(Forward, program, Duplicated(x, dx))
        assert d == pytest.approx(EXPECTED.sum())

    assert grown(call) == (0, 0)


def test_split_mode(program):
    ahead, back = autodiff_thunk(ReverseSplitWithPrimal, Const[typeof(program)], Active, ARRAY)

    def call():
        args = Duplicated(np.arange(3.0), np.zeros(3))
        tape, _, _ = ahead(Const(program), args)
        back(Const(program), args, 1.0, tape)
        np.testing.assert_allclose(args.dval, EXPECTED)

    assert grown(call) == (0, 0)


def test_tapes_that_are_dropped(program):
    ahead, _ = autodiff_thunk(ReverseSplitWithPrimal, Const[typeof(program)], Active, ARRAY)
    args = Duplicated(np.arange(3.0), np.zeros(3))

    def call():
        ahead(Const(program), args)

    assert grown(call) == (0, 0)


def test_compiled_callers(program):
    @njit
    def run(x, d):
        autodiff(Reverse, program, Active, Duplicated(x, d))

    x, d = np.arange(3.0), np.zeros(3)
    assert grown(lambda: run(x, d)) == (0, 0)
    np.testing.assert_allclose(d, 203 * EXPECTED)


def test_easy_rules_of_arrays():
    @njit
    def f(x):
        return x * x

    easy_rule(f, (lambda omega, x: 2.0 * np.diag(x),))

    @njit
    def h(x):
        y = f(x)
        return (y * y).sum()

    x = np.arange(3.0)

    def ahead():
        (d,) = autodiff(Forward, h, Duplicated(x, np.ones(3)))
        assert d == pytest.approx((4.0 * x**3).sum())

    def back():
        d = np.zeros(3)
        autodiff(Reverse, h, Active, Duplicated(x, d))
        np.testing.assert_allclose(d, 4.0 * x**3)

    assert grown(ahead) == (0, 0)
    assert grown(back) == (0, 0)
