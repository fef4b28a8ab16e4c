"""Functions that return a number or None: where it is None, so is its derivative, and it depends on nothing."""

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
    ForwardWithPrimal,
    Reverse,
    ReverseSplitWithPrimal,
    ReverseWithPrimal,
    autodiff,
    autodiff_thunk,
    gradient,
    typeof,
)


@njit
def root(x, sign):
    """None where there is none."""
    if sign < 0:
        return None
    return x * x * x


@njit
def narrow_root(x, sign):
    return np.float32(x * x * x) if sign >= 0 else None


@njit
def scaled(x, sign):
    return x * 2.0 if sign >= 0 else None


def in_jitted_code(x, sign):
    ((dx, _),) = autodiff(Reverse, root, Active, Active(x), Const(sign))
    value, tangent = autodiff(Forward, root, Duplicated, Duplicated(x, 1.0), Const(sign))
    total = dx
    if value is not None:
        total += value
    if tangent is not None:
        total += tangent
    return total


@pytest.mark.parametrize(("sign", "value", "slope"), [(1, 8.0, 12.0), (-1, None, None)])
def test_every_mode(sign, value, slope):
    adjoint = slope or 0.0
    flag = Const(sign)
    assert autodiff(ReverseWithPrimal, root, Active(2.0), flag) == ((adjoint, None), value)
    assert autodiff(ForwardWithPrimal, root, Duplicated(2.0, 1.0), flag) == (slope, value)
    assert autodiff(Forward, root, Duplicated, Duplicated(2.0, 1.0), flag) == (value, slope)
    twice = slope and slope * 2
    assert autodiff(Forward, root, BatchDuplicated(2.0, (1.0, 2.0)), flag) == ((slope, twice),)
    assert autodiff(ReverseWithPrimal, root, Const, Active(2.0), flag) == ((0.0, None), value)
    assert gradient(Reverse, root, 2.0, flag) == (adjoint, None)
    forward, reverse = autodiff_thunk(
        ReverseSplitWithPrimal, Const[typeof(root)], Active, Active[float], Const[int]
    )
    tape, primal, _ = forward(Const(root), Active(2.0), flag)
    assert primal == value
    assert reverse(Const(root), Active(2.0), flag, 1.0, tape) == ((adjoint, None),)
    assert njit(in_jitted_code)(2.0, sign) == adjoint + (value or 0.0) + (slope or 0.0)


@pytest.mark.parametrize("sign", [1, -1])
def test_arrays_and_single_precision(sign):
    x = Duplicated(np.array([1.0, 2.0]), np.array([1.0, 0.5]))
    value, tangent = autodiff(Forward, scaled, Duplicated, x, Const(sign))
    if sign < 0:
        assert value is tangent is None
    else:
        np.testing.assert_array_equal(value, [2.0, 4.0])
        np.testing.assert_array_equal(tangent, [2.0, 1.0])
    (tangent,) = autodiff(Forward, narrow_root, Duplicated(2.0, 1.0), Const(sign))
    assert tangent is None if sign < 0 else type(tangent) is np.float32


def test_members_that_may_be_none():
    """Of a tuple: an array that is not there has no tangent."""

    @njit
    def beside(x):
        a = None
        if x[0] > 50.0:
            a = x * 2.0
        return a, x * x[0]

    v = np.array([1.0, 0.5])
    for x in (np.ones(2), np.array([60.0, 1.0])):
        found, value = autodiff(ForwardWithPrimal, beside, Duplicated, Duplicated(x, v))
        np.testing.assert_equal(value, beside(x))
        np.testing.assert_array_equal(found[1], v * x[0] + x * v[0])
        assert found[0] is None if value[0] is None else found[0].tolist() == [2.0, 1.0]
