"""Where factorisations have no derivative, or none of some results: what comes instead, and what stays right."""

from __future__ import annotations

import os

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Duplicated, Forward, Reverse, autodiff, hessian

pytestmark = pytest.mark.rotating(18)

ORTHOGONAL = np.linalg.qr(np.random.default_rng(3).standard_normal((3, 3)))[0]
REPEATED = (
    np.eye(3),
    np.diag([1.0, 1.0, 2.0]),
    ORTHOGONAL @ np.diag([2.0, 2.0, 5.0]) @ ORTHOGONAL.T,
)
V = np.random.default_rng(4).standard_normal((3, 3))


def gradient(f, a):
    da = np.zeros_like(a)
    autodiff(Reverse, f, Active, Duplicated(a, da))
    return da


def below(g):
    """The derivative of what reads the lower triangle of a symmetric matrix."""
    return np.tril(g + g.T, -1) + np.diag(np.diag(g))


@njit
def of_values(a, s):
    """An invariant of eigenvalues, one of singular values, and one of eigenvalues with their vectors."""
    w, v = np.linalg.eigh(a)
    whole = np.dot(v * np.exp(w), v.T)
    return s[0] * (w * w).sum() + s[1] * np.trace(whole) + s[2] * (np.linalg.svd(a)[1] ** 2).sum()


@njit
def invariants(a):
    return of_values(a, np.array([1.0, 0.5, 2.0]))


@njit
def element(a):
    w, v = np.linalg.eigh(a)
    return np.dot(v * np.exp(w), v.T)[0, 1]


def test_invariants_where_values_repeat():
    for a in REPEATED:
        w, v = np.linalg.eigh(a)
        expected = below(2.0 * a + 0.5 * (v * np.exp(w)) @ v.T) + 4.0 * a
        np.testing.assert_allclose(gradient(invariants, a), expected, atol=1e-12 * np.exp(5.0))
        assert np.isnan(gradient(element, a)).any()
        assert np.isnan(autodiff(Forward, element, Duplicated(a, V))[0])


@njit
def largest(a):
    return np.linalg.eigvalsh(a)[-1]


def test_one_of_several_equal_values():
    """That of a vector which LAPACK found, as a maximum takes one of several."""
    found = gradient(largest, np.eye(3))
    assert np.trace(found) == pytest.approx(1.0)
    assert autodiff(Forward, largest, Duplicated(np.eye(3), np.eye(3)))[0] == pytest.approx(1.0)


@njit
def projected(a):
    """The vector of the largest eigenvalue, where others repeat."""
    return np.linalg.eigh(a)[1][0, -1]


def test_vectors_beside_repeated_values():
    a, h = np.diag([1.0, 1.0, 3.0]) + 0.1, 1e-6
    da = gradient(projected, a)
    for i, j in ((1, 0), (2, 0), (2, 1), (0, 0)):
        e = np.zeros((3, 3))
        e[i, j] = h
        by = (projected(a + e) - projected(a - e)) / (2 * h)
        assert da[i, j] == pytest.approx(by, abs=1e-8)


@njit
def factor(a):
    return np.linalg.cholesky(a).sum()


@njit
def inverse(a):
    return np.linalg.pinv(a, 1e-10).sum()


@njit
def solution(a):
    return np.linalg.lstsq(a, np.ones(len(a)), 1e-10)[0].sum()


@njit
def orthogonal(a):
    return np.linalg.qr(a)[0].sum()


def test_refusals_are_those_of_numba():
    for matrix, message in (
        (-np.eye(2), "Matrix is not positive definite."),
        (np.ones((2, 3)), "Last 2 dimensions of the array must be square."),
    ):
        for derivative in (gradient, lambda f, a: autodiff(Forward, f, Duplicated(a, a.copy()))):
            with pytest.raises(np.linalg.LinAlgError, match=message):
                derivative(factor, matrix)
    with pytest.raises(np.linalg.LinAlgError, match="Arrays cannot be empty"):
        gradient(orthogonal, np.ones((3, 0)))
    assert gradient(factor, np.ones((0, 0))).shape == (0, 0)
    assert not np.isfinite(gradient(orthogonal, np.zeros((3, 3)))).all()


LOWER = [inverse, solution] if "EXHAUSTIVE" in os.environ else [inverse]


@pytest.mark.parametrize("f", LOWER)
def test_lower_rank(f):
    """Along matrices of that rank."""
    x, y = np.random.default_rng(5).standard_normal((2, 5, 2))
    y = y[:3].T

    def along(t):
        return f(x @ (y + t * V[:2]))

    by = (along(1e-6) - along(-1e-6)) / 2e-6
    found = (gradient(f, x @ y) * (x @ V[:2])).sum()
    assert found == pytest.approx(by, abs=1e-8 * (1.0 + abs(by)))


@njit
def slope(a):
    return autodiff(Forward, projected, Duplicated(a, np.ones((3, 3))))[0]


def test_what_is_not_read_has_no_derivative():
    a = np.diag([1.0, 2.0, 3.0]) + np.tril(np.full((3, 3), 0.1))
    assert not np.triu(gradient(factor, a), 1).any()
    assert not np.triu(gradient(projected, a), 1).any()
    assert not np.triu(gradient(slope, a), 1).any()


@njit
def solved(a):
    return (np.linalg.lstsq(a, np.array([1.0, 2.0]))[0] * np.array([1.0, 3.0])).sum()


def test_a_smooth_solution_where_singular_values_repeat():
    expected = [
        [2.0, 2.0, 3.0, 0.0],
        [2.0, 0.0, 7.0, 2.0],
        [3.0, 7.0, 0.0, 3.0],
        [0.0, 2.0, 3.0, 12.0],
    ]
    np.testing.assert_allclose(hessian(solved)(np.eye(2)).reshape(4, 4), expected, atol=1e-12)
