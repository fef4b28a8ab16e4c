"""Points that linear algebra singles out: singular matrices, zero vectors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Const, Duplicated, Forward, Reverse, autodiff, jacobian

pytestmark = pytest.mark.rotating(18)


@njit
def determinant(a):
    return np.linalg.det(a)


@njit
def cofactors(a):
    da = np.zeros_like(a)
    autodiff(Reverse, determinant, Active, Duplicated(a, da))
    return da


def by_minors(a):
    n = len(a)
    rows = [[np.delete(np.delete(a, i, 0), j, 1) for j in range(n)] for i in range(n)]
    return np.array(
        [[(-1) ** (i + j) * np.linalg.det(rows[i][j]) for j in range(n)] for i in range(n)]
    )


def singular_matrices():
    rng = np.random.default_rng(2)
    for n in (1, 2, 3, 4):
        for rank in range(n):
            # LAPACK meets a pivot that is exactly zero where a column is.
            a = rng.integers(-3, 4, (n, n)).astype(float)
            a[:, rank:] = 0.0
            yield a
            yield a[:, ::-1].copy()
    yield np.array([[1.0, 2.0], [2.0, 4.0]])
    yield np.array([[1e-20, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]])


def test_derivatives_of_the_determinant_of_a_singular_matrix():
    rng = np.random.default_rng(3)
    for a in singular_matrices():
        v, h = rng.standard_normal(a.shape), 1e-4
        assert np.linalg.det(a) == 0.0
        expected = by_minors(a)
        np.testing.assert_allclose(cofactors(a), expected, atol=1e-13)
        (slope,) = autodiff(Forward, determinant, Duplicated(a, v))
        assert slope == pytest.approx((expected * v).sum(), abs=1e-13)
        (found,) = autodiff(Forward, cofactors, Duplicated(a, v))
        differences = (by_minors(a + h * v) - by_minors(a - h * v)) / (2 * h)
        np.testing.assert_allclose(found, differences, atol=1e-6)


def test_complex_singular_matrix():
    a = np.array([[1.0 + 1j, 2.0j], [2.0 + 2j, 4.0j]])
    v = np.array([[0.3, 1j], [2.0 - 1j, 0.5]])
    (slope,) = autodiff(Forward, determinant, Duplicated(a, v))
    assert slope == pytest.approx((by_minors(a) * v).sum(), abs=1e-13)


@njit
def squares_of_lengths(v):
    total = (
        np.linalg.norm(v) ** 2 + 2.0 * np.linalg.norm(v, 2) ** 2 + 3.0 * math.hypot(v[0], v[1]) ** 2
    )
    return total + np.linalg.norm(v.reshape(2, 2)) ** 4 + np.linalg.norm(v) ** 3


@njit
def slopes_of_squares(v):
    dv = np.zeros_like(v)
    autodiff(Reverse, squares_of_lengths, Active, Duplicated(v, dv))
    return dv


def test_curvature_of_the_square_of_a_length_at_zero():
    expected = np.diag([12.0, 12.0, 6.0, 6.0])
    for mode in (Forward, Reverse):
        np.testing.assert_array_equal(jacobian(mode, slopes_of_squares, np.zeros(4)), expected)
    v, h = np.array([0.3, 0.1, -0.2, 0.4]), 1e-5
    found = jacobian(Forward, slopes_of_squares, v)
    steps = np.eye(4) * h
    columns = [(slopes_of_squares(v + e) - slopes_of_squares(v - e)) / (2 * h) for e in steps]
    np.testing.assert_allclose(found, np.array(columns).T, atol=1e-7)


@njit
def norm_of_order(v, order):
    return np.linalg.norm(v, order)


ORDERS = (2.0, 3.0, 1.5, 0.5, -1.0, -2.0, 0.0)


def test_norms_where_they_are_zero():
    for order in ORDERS:
        zeros = [np.zeros(3)] + [np.array([0.0, 0.5, -0.3])] * (order < 0)
        for v in zeros:
            dv = np.zeros(3)
            autodiff(Reverse, norm_of_order, Active, Duplicated(v, dv), Const(order))
            assert not dv.any(), order
            assert autodiff(Forward, norm_of_order, Duplicated(v, np.ones(3)), Const(order)) == (
                0.0,
            )
    for order in (1.0, math.inf, -math.inf):  # that of the pieces on the right of zero
        dv = np.zeros(3)
        autodiff(Reverse, norm_of_order, Active, Duplicated(np.zeros(3), dv), Const(order))
        np.testing.assert_array_equal(dv, np.ones(3) if order == 1.0 else [1.0, 0.0, 0.0])


def test_norms_elsewhere():
    v, h = np.array([0.4, -0.7, 0.2]), 1e-6
    for order in ORDERS:
        dv = np.zeros(3)
        autodiff(Reverse, norm_of_order, Active, Duplicated(v, dv), Const(order))
        steps = np.eye(3) * h
        expected = [
            (norm_of_order(v + e, order) - norm_of_order(v - e, order)) / (2 * h) for e in steps
        ]
        np.testing.assert_allclose(dv, expected, atol=1e-8)


@njit
def solution(t):
    return np.linalg.solve(np.array([[t]]), np.array([1.0]))[0]


@njit
def forward_slope(t):
    return autodiff(Forward, solution, Duplicated(t, 1.0))[0]


@njit
def reverse_slope(t):
    return autodiff(Reverse, solution, Active, Active(t))[0][0]


@pytest.mark.parametrize("slope", [forward_slope, reverse_slope])
def test_curvature_of_a_solution(slope):
    assert autodiff(Forward, slope, Duplicated(2.0, 1.0)) == (0.25,)
    assert autodiff(Reverse, slope, Active, Active(2.0)) == ((0.25,),)
