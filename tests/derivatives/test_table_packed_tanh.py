"""The hyperbolic tangent and its slope out of one kept number, at both sides of where it changes its meaning."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from numba import njit

from enzyme import Active, Duplicated, Forward, Reverse, autodiff, gradient
from enzyme.api import explain


@njit
def gated(x):
    """Value and slope of each tangent are needed in the reverse pass."""
    state = 0.25
    for i in range(x.size):
        y = math.tanh(x[i] * state)
        state = state * y + x[i]
    return state


def test_one_number_is_kept_for_both():
    account = str(explain(Reverse, gated, Active, Duplicated(np.ones(3), np.zeros(3))))
    assert "16 bytes" in account.splitlines()[1], account
    assert account.count("to call tanh again") == 1


EDGE = math.atanh(0.99)
POINTS = [0.0, -0.0, 1e-310, 0.7, -EDGE, *(np.nextafter(EDGE, (0.0, 9.0))), 2.7, -19.1, 30.0]


@njit
def tangent(x):
    return math.tanh(x)


@njit
def slope(x):
    return gradient(Reverse, tangent, x)


@njit
def slope_forward(x):
    return autodiff(Forward, tangent, Duplicated(x, 1.0))[0]


@pytest.mark.parametrize("inner", [slope, slope_forward])
@pytest.mark.parametrize("mode", [Reverse, Forward])
def test_second_derivatives_near_and_far(mode, inner):
    for x in POINTS:
        with mpmath.workdps(60):
            first = mpmath.sech(x) ** 2
            second = float(-2 * mpmath.tanh(x) * first)
        assert inner(x) == pytest.approx(float(first), rel=1e-13)
        assert gradient(mode, inner, x) == pytest.approx(second, rel=1e-13)


@pytest.mark.parametrize("x", [math.inf, -math.inf])
def test_flat_at_infinity(x):
    assert gradient(Reverse, tangent, x) == 0.0
    assert gradient(Forward, slope, x) == 0.0
