"""Rules that raise: the exception is theirs, and nothing leaks."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    Reverse,
    ReverseSplitWithPrimal,
    autodiff,
    autodiff_thunk,
    typeof,
)
from enzyme_rules import AugmentedReturn, augmented_primal, forward, reverse
from tests.rules.growth import grown

pytestmark = pytest.mark.rotating(14)


def raising(where):
    """x -> sum(x * x); raises in one of the rules where x[0] > 3, and keeps an array on the tape."""

    @njit
    def f(x):
        return (x * x).sum()

    @augmented_primal(f)
    def augmented(config, func, RT, x):
        if where == 1 and x.val[0] > 3.0:
            raise ValueError("augmented")
        return AugmentedReturn(func.val(x.val) if config.needs_primal else None, None, x.val * 2.0)

    @reverse(f)
    def adjoint(config, func, dret, tape, x):
        if where == 2 and x.val[0] > 3.0:
            raise KeyError("reverse")
        x.dval[:] += tape * dret.val
        return (None,)

    @forward(f)
    def tangent(config, func, RT, x):
        if x.val[0] > 3.0:
            raise IndexError("forward")
        d = 2.0 * (x.val * x.dval).sum()
        return Duplicated(func.val(x.val), d) if config.needs_primal else d

    @njit
    def h(x):
        s = 0.0
        for i in range(4):
            s += f(x + i)
        return s

    return h


KINDS = [(1, ValueError, "augmented"), (2, KeyError, "reverse")]


@pytest.mark.parametrize(("where", "error", "text"), KINDS)
def test_exceptions_surface_as_themselves(where, error, text):
    h = raising(where)

    def run(first):
        d = np.zeros(2)
        autodiff(Reverse, h, Active, Duplicated(np.array([first, 1.0]), d))
        return d

    np.testing.assert_allclose(run(0.0), [12.0, 20.0])
    for first in (1.5, 4.0):
        with pytest.raises(error, match=text) as caught:
            run(first)
        assert type(caught.value) is error and caught.value.args == (text,)
    np.testing.assert_allclose(run(0.0), [12.0, 20.0])


def test_exceptions_of_forward_rules():
    h = raising(0)
    with pytest.raises(IndexError, match="forward") as caught:
        autodiff(Forward, h, Duplicated(np.array([1.5, 1.0]), np.ones(2)))
    assert type(caught.value) is IndexError
    assert autodiff(Forward, h, Duplicated(np.array([0.0, 1.0]), np.ones(2))) == (32.0,)


@pytest.mark.parametrize(("where", "error", "text"), KINDS)
def test_exceptions_in_split_mode(where, error, text):
    h = raising(where)
    ahead, back = autodiff_thunk(
        ReverseSplitWithPrimal, Const[typeof(h)], Active, Duplicated[typeof(np.zeros(2))]
    )
    args = Duplicated(np.array([1.5, 1.0]), np.zeros(2))
    with pytest.raises(error, match=text):
        tape, _, _ = ahead(Const(h), args)
        back(Const(h), args, 1.0, tape)


@pytest.mark.parametrize(("where", "error", "text"), KINDS)
def test_exceptions_in_compiled_callers(where, error, text):
    h = raising(where)

    @njit
    def run(x, d):
        autodiff(Reverse, h, Active, Duplicated(x, d))
        return 1.0

    d = np.zeros(2)
    assert run(np.array([0.0, 1.0]), d) == 1.0
    np.testing.assert_allclose(d, [12.0, 20.0])
    with pytest.raises(error, match=text):
        run(np.array([1.5, 1.0]), d)


@pytest.mark.parametrize(("where", "error", "text"), KINDS)
def test_what_raises_leaves_little(where, error, text):
    """No more than the function's own code leaves, which numba does not clean up where it raises."""
    h = raising(where)
    x = np.array([1.5, 1.0])

    def call():
        with pytest.raises(error):
            autodiff(Reverse, h, Active, Duplicated(x, np.zeros(2)))

    blocks, headers = grown(call)
    assert blocks <= 200 * 2 and headers <= 200 * 2


def test_a_reverse_rule_that_raises_leaves_nothing():
    """Nothing of the primal is alive then, and tapes belong to the derivative."""
    h = raising(2)
    x = np.array([1.5, 1.0])

    def call():
        with pytest.raises(KeyError):
            autodiff(Reverse, h, Active, Duplicated(x, np.zeros(2)))

    assert grown(call) == (0, 0)


@njit
def checked(x, n):
    """Raises far below, and holds arrays on its way."""
    if n == 0:
        if x[0] > 3.0:
            raise ValueError("below")
        return x * 2.0
    return checked(x * 1.0, n - 1) + 0.0 * x


def raising_below(where):
    """x -> sum(x * x); one of its rules calls, with arrays of its own alive, what raises."""

    @njit
    def f(x):
        return (x * x).sum()

    @augmented_primal(f)
    def augmented(config, func, RT, x):
        if where == 1:
            kept = [x.val * 3.0]
            for k in range(2):
                kept.append(checked(x.val + k, 2))
            return AugmentedReturn(None, None, kept[1])
        return AugmentedReturn(None, None, x.val * 2.0)

    @reverse(f)
    def adjoint(config, func, dret, tape, x):
        if where == 2:
            mine = x.val * 2.0
            x.dval[:] += checked(x.val, 3) * dret.val + 0.0 * mine
        else:
            x.dval[:] += tape * dret.val
        return (None,)

    @forward(f)
    def tangent(config, func, RT, x):
        mine = x.val * 2.0
        try:
            slope = checked(x.val, 1)
        except Exception:
            slope = x.val + 1.0
        slope = slope * 0.0 + checked(x.val, 2)
        return ((slope + 0.0 * mine) * x.dval).sum()

    return f


DEPTHS = ((1, 2), (2,), (3,))  # of the recursion in the rules


@pytest.mark.parametrize("where", range(3))
def test_rules_whose_callees_raise_leave_nothing(where):
    h = raising_below(where)

    def run(first):
        x, d = np.array([first, 1.0]), np.ones(2)
        if where == 0:
            return autodiff(Forward, h, Duplicated(x, d))
        return autodiff(Reverse, h, Active, Duplicated(x, d))

    def call():
        run(0.5)
        with pytest.raises(ValueError, match="below"):
            run(4.0)

    # The recursion is numba's code, which keeps what it holds where it raises; the rules keep nothing.
    def numbas():
        for depth in DEPTHS[where]:
            with pytest.raises(ValueError, match="below"):
                checked(np.array([4.0, 1.0]), depth)

    assert np.all(np.array(grown(call)) <= grown(numbas))
