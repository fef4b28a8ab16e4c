"""Derivatives of quotients far out, where the adjoint of the divisor is no number but the derivative is one."""

from __future__ import annotations

import math

import mpmath as mp
import pytest
from numba import njit

from enzyme import Active, Const, Duplicated, Forward, Reverse, autodiff


@njit
def quotient(x, kind):
    if kind == 0:
        return 1.0 / (1.0 + math.exp(-x))
    if kind == 1:
        return 2.0 / (math.exp(x) + math.exp(-x))
    if kind == 2:
        divisor = 1.0 + 3.0 * math.exp(-0.5 * x)
        if x < 10.0:
            return x / divisor
        return 0.0
    if kind == 3:
        total = 1.0
        for k in range(1, 4):
            total += 1.0 / (k + math.exp(-x / k))
        return total
    if kind == 4:
        return 5.0 / (x * (x + 2.0))
    if kind == 5:
        return 1.0 / math.sqrt(1.0 + math.exp(-2.0 * x))
    return (x - 1.0) / (2.0 + math.asin(x))


EXACT = [
    lambda x: 1 / (1 + mp.exp(-x)),
    mp.sech,
    lambda x: x / (1 + 3 * mp.exp(-x / 2)),
    lambda x: 1 + sum(1 / (k + mp.exp(-x / k)) for k in range(1, 4)),
    lambda x: 5 / (x * (x + 2)),
    lambda x: 1 / mp.sqrt(1 + mp.exp(-2 * x)),
    lambda x: (x - 1) / (2 + mp.asin(x)),
]
POINTS = [
    (0, (-708.0, -400.0, -360.0, 1.0)),
    (1, (-700.0, 400.0, 2.0)),
    (2, (-1400.0, -800.0, 3.0)),
    (3, (-2000.0, -1200.0, 0.5)),
    (4, (1e100, -3e101, 0.5)),
    (5, (-350.0, -300.0, 1.0)),
    (6, (0.5,)),
]


@njit
def slope(x, kind):
    return autodiff(Reverse, quotient, Active, Active(x), Const(kind))[0][0]


@pytest.mark.parametrize(("kind", "places"), POINTS)
def test_slope(kind, places):
    for x in places:
        with mp.workdps(500):
            exact = mp.diff(EXACT[kind], mp.mpf(x), h=mp.mpf(abs(x)) * mp.mpf(10) ** -150)
            second = mp.diff(EXACT[kind], mp.mpf(x), 2, h=mp.mpf(abs(x)) * mp.mpf(10) ** -150)
        assert slope(x, kind) == pytest.approx(float(exact), rel=1e-13, abs=0.0)
        if abs(second) > 1e-300:
            (found,) = autodiff(Forward, slope, Duplicated(x, 1.0), Const(kind))
            assert found == pytest.approx(float(second), rel=1e-12, abs=0.0)


def test_zeros_stay_zero():
    """A quotient of zero has no part in a divisor with an infinite slope."""
    assert slope(1.0, 6) == pytest.approx(1 / (2 + math.pi / 2))


@njit
def tangent(x, kind):
    return autodiff(Forward, quotient, Duplicated(x, 1.0), Const(kind))[0]


@pytest.mark.parametrize("first", [slope, tangent])
def test_second_derivatives_beyond_the_range_of_exp(first):
    (forward,) = autodiff(Forward, first, Duplicated(-720.0, 1.0), Const(0))
    ((reverse, _),) = autodiff(Reverse, first, Active, Active(-720.0), Const(0))
    assert abs(forward) < 1e-307 and abs(reverse) < 1e-307
