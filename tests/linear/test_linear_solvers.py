"""Norms, systems of equations, inverses and determinants, for every kind of number."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from tests.linear.linear_harness import assert_law
from tests.linear.test_linear_products import into, kinds, numbers, vector_into

pytestmark = pytest.mark.rotating(35)


@njit
def norm(x, c):
    c[0] = np.linalg.norm(x) * x[0]


@njit
def norm_with_gaps(x, c):
    c[0] = np.linalg.norm(x[::2]) * x[1]


@njit
def norm_overwritten(x, c):
    for _ in range(3):
        s = np.linalg.norm(x)
        for i in range(len(x)):
            x[i] = x[i] / s + x[0]
        c[0] = c[0] + s


@njit
def solve(a, b, c):
    vector_into(np.linalg.solve(a, b), c)


@njit
def solve_many(a, b, c):
    into(np.linalg.solve(a, b), c)


@njit
def solve_in_loop(a, b, c):
    for t in range(3):
        b = np.linalg.solve(a, b)
        a[0, 0] += b[0] * t
    vector_into(b, c)


@njit
def inverse(a, c):
    into(np.linalg.inv(a), c)


@njit
def determinant(a, c):
    c[0] = np.linalg.det(a) * a[0, 0]


@njit
def log_determinant(a, c):
    c[0] = np.linalg.slogdet(a)[1]


def regular(dtype, n, *shapes):
    """A matrix that is far from singular and whose rows are interchanged, and other arrays."""
    a, *others = numbers(dtype, (n, n), *shapes)
    return [(a + 3 * np.eye(n)[np.arange(n) - 1]).astype(dtype), *others]


@kinds
@pytest.mark.parametrize("function", [norm, norm_with_gaps, norm_overwritten])
def test_norm(dtype, function):
    assert_law(function, numbers(dtype, (6,), (1,)))


def test_norm_of_zero():
    x, c = np.zeros(3), np.zeros(1)
    from enzyme import Const, Duplicated, Reverse, autodiff

    dx = np.zeros(3)
    autodiff(Reverse, norm, Const, Duplicated(x, dx), Duplicated(c, np.ones(1)))
    np.testing.assert_array_equal(dx, 0.0)


@kinds
def test_norm_of_a_matrix(dtype):
    assert_law(norm_of_matrix, numbers(dtype, (3, 2), (1,)))


@njit
def norm_of_matrix(x, c):
    c[0] = np.linalg.norm(x) * x[0, 0]


@kinds
def test_solve(dtype):
    assert_law(solve, regular(dtype, 4, (4,), (4,)))


@kinds
def test_solve_several(dtype):
    assert_law(solve_many, regular(dtype, 4, (4, 2), (4, 2)))


@pytest.mark.parametrize("constant", [0, 1])
def test_solve_with_a_constant(constant):
    assert_law(solve, regular(np.complex128, 4, (4,), (4,)), (constant,))


def test_solve_in_loop():
    assert_law(solve_in_loop, regular(np.float64, 4, (4,), (4,)))


@kinds
def test_inverse(dtype):
    assert_law(inverse, regular(dtype, 4, (4, 4)))


@kinds
def test_determinant(dtype):
    assert_law(determinant, regular(dtype, 4, (1,)))


def test_log_determinant():
    assert_law(log_determinant, regular(np.float64, 4, (1,)))
