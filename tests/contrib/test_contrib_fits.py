"""`least_squares`: what is found, and how it moves with the data, where residuals are left and where none are."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import Const, Duplicated, Forward, autodiff, grad, hvp, least_squares
from tests.rotation import all_run

pytestmark = pytest.mark.rotating(14)
LONG = pytest.mark.skipif(
    not all_run(), reason="compiles derivatives of derivatives of derivatives"
)

T = np.linspace(0.0, 2.0, 6)
EXACT = 2.0 * np.exp(-0.9 * T)
NOISY = EXACT + np.array([0.05, -0.1, 0.08, -0.02, 0.04, -0.07])


def decay(x, y):
    return x[0] * np.exp(-x[1] * T) - y


def ridge(x, y, weight):
    found = np.empty(y.size + x.size)
    for i in range(y.size):
        found[i] = x[0] + x[1] * T[i] - y[i]
    for k in range(x.size):
        found[y.size + k] = np.sqrt(weight) * x[k]
    return found


FIT, RIDGE = least_squares(decay), least_squares(ridge)


@LONG
@pytest.mark.parametrize("y", [EXACT, NOISY], ids=["exact", "noisy"])
def test_a_fit_and_its_derivatives(y):
    start = np.array([1.0, 0.3])
    x = FIT(start, y)
    j = np.stack([np.exp(-x[1] * T), -x[0] * T * np.exp(-x[1] * T)], axis=1)
    assert abs(j.T @ decay(x, y)).max() < 1e-11
    direction = np.cos(np.arange(6.0))
    (tangent,) = autodiff(Forward, FIT, Const(start), Duplicated(y, direction))
    h = 1e-6
    expected = (FIT(start, y + h * direction) - FIT(start, y - h * direction)) / (2.0 * h)
    np.testing.assert_allclose(tangent, expected, rtol=1e-6, atol=1e-8)

    @njit
    def rate(y):
        return FIT(start, y)[1]

    first = grad(rate)
    assert first(y) @ direction == pytest.approx(tangent[1], rel=1e-9)
    second = (first(y + h * direction) - first(y - h * direction)) / (2.0 * h)
    np.testing.assert_allclose(hvp(rate, y, direction), second, rtol=1e-5, atol=1e-7)


def test_a_weight_against_the_formula():
    """Of ridge regression everything is known."""
    a = np.stack([np.ones(6), T], axis=1)

    def by_hand(weight):
        return np.linalg.solve(a.T @ a + weight * np.eye(2), a.T @ NOISY)

    start = np.zeros(2)
    np.testing.assert_allclose(RIDGE(start, NOISY, 0.4), by_hand(0.4), rtol=1e-10)
    slope = grad(njit(lambda w: RIDGE(start, NOISY, w)[1]))(0.4)
    h = 1e-6
    assert slope == pytest.approx((by_hand(0.4 + h) - by_hand(0.4 - h))[1] / (2.0 * h), rel=1e-7)


def test_a_solver_of_ones_own():
    given = least_squares(decay, njit(lambda start, y: start))
    x = FIT(np.array([1.0, 0.3]), NOISY)
    np.testing.assert_array_equal(given(x, NOISY), x)
    direction = np.ones(6)
    tangents = [
        autodiff(Forward, fit, Const(x), Duplicated(NOISY, direction))[0] for fit in (given, FIT)
    ]
    np.testing.assert_allclose(*tangents, rtol=1e-9)


def test_what_has_no_solution():
    with pytest.raises(ArithmeticError, match="does not converge in 2 steps"):
        least_squares(decay, maxiter=2)(np.array([1.0, 0.3]), NOISY)
    undetermined = least_squares(lambda x, y: x[0] + x[1] - y)
    with pytest.raises(ArithmeticError, match="singular"):
        autodiff(Forward, undetermined, Const(np.zeros(2)), Duplicated(EXACT, np.ones(6)))
