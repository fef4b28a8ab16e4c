"""Derivatives of factors are computed block by block: matrices of less than a block, of some, and of some and a part.

Against closed forms, forward against reverse, and second derivatives too.
"""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import Active, BatchDuplicated, Const, Duplicated, Forward, Reverse, autodiff
from enzyme.engine.derivatives.lu_kernels import BLOCK
from tests.linalg.test_linalg_table import backwards, inner

pytestmark = pytest.mark.rotating(14)

SIZES = (BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 3 * BLOCK + 5)
COLUMNS = (1, BLOCK, BLOCK + 3)
KINDS = (np.float64, np.complex128)


def numbers(rng, dtype, *shape):
    made = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        made = made + 1j * rng.standard_normal(shape)
    return made.astype(dtype)


def matrix(rng, dtype, n):
    """Far enough from a singular matrix, with rows that are interchanged."""
    a = numbers(rng, dtype, n, n) + 3.0 * n**0.5 * np.eye(n, dtype=dtype)
    return a[rng.permutation(n)]


@njit
def log_size(a):
    return np.linalg.slogdet(a)[1]


@njit
def of_inverse(a, w):
    return (np.linalg.inv(a) * w).sum().real


@njit
def of_solution(a, b, w):
    return (np.linalg.solve(a, b) * w).sum().real


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-11 * np.abs(expected).max())


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("n", SIZES)
def test_logarithm_of_the_determinant(n, dtype):
    rng = np.random.default_rng(n)
    a, v = matrix(rng, dtype, n), numbers(rng, dtype, n, n)
    expected = np.linalg.inv(a).conj().T
    da = np.zeros_like(a)
    autodiff(Reverse, log_size, Active, Duplicated(a, da))
    close(da, expected)
    close(autodiff(Forward, log_size, Duplicated(a, v))[0], inner(expected, v))


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("n", SIZES)
def test_inverse(n, dtype):
    rng = np.random.default_rng(n)
    a, v, w = matrix(rng, dtype, n), numbers(rng, dtype, n, n), numbers(rng, dtype, n, n)
    inverse = np.linalg.inv(a)
    expected = -(inverse @ w.T @ inverse).conj().T
    da = np.zeros_like(a)
    autodiff(Reverse, of_inverse, Active, Duplicated(a, da), Const(w))
    close(da, expected)
    close(autodiff(Forward, of_inverse, Duplicated(a, v), Const(w))[0], inner(expected, v))


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("n", SIZES)
def test_solution(n, columns, dtype):
    rng = np.random.default_rng(n)
    a, v = matrix(rng, dtype, n), numbers(rng, dtype, n, n)
    b, u, w = (numbers(rng, dtype, n, columns) for _ in range(3))
    of_b = np.linalg.solve(a.conj().T, w.conj())
    of_a = -of_b @ np.linalg.solve(a, b).conj().T
    da, db = np.zeros_like(a), np.zeros_like(b)
    autodiff(Reverse, of_solution, Active, Duplicated(a, da), Duplicated(b, db), Const(w))
    close(da, of_a)
    close(db, of_b)
    (slopes,) = autodiff(
        Forward,
        of_solution,
        BatchDuplicated(a, (v, 0 * v)),
        BatchDuplicated(b, (0 * u, u)),
        Const(w),
    )
    close(np.array(slopes), np.array([inner(of_a, v), inner(of_b, u)]))


@pytest.mark.parametrize("dtype", KINDS)
def test_second_derivatives_of_the_determinant(dtype):
    slope = backwards(log_size)
    for n in SIZES:
        rng = np.random.default_rng(n)
        a, v, u = matrix(rng, dtype, n), numbers(rng, dtype, n, n), numbers(rng, dtype, n, n)
        inverse = np.linalg.inv(a)
        expected = -(inverse @ v @ inverse).conj().T
        da = np.zeros_like(a)
        autodiff(Reverse, slope, Active, Duplicated(a, da), Const(v))
        close(da, expected)
        close(autodiff(Forward, slope, Duplicated(a, u), Const(v))[0], inner(expected, u))


@pytest.mark.parametrize("dtype", KINDS)
def test_second_derivatives_of_the_inverse(dtype):
    @njit
    def trace(a):
        return np.trace(np.linalg.inv(a)).real

    slope = backwards(trace)
    for n in SIZES[1:]:
        rng = np.random.default_rng(n)
        a, v, u = matrix(rng, dtype, n), numbers(rng, dtype, n, n), numbers(rng, dtype, n, n)
        i = np.linalg.inv(a)
        expected = (i @ v @ i @ i + i @ i @ v @ i).conj().T
        da = np.zeros_like(a)
        autodiff(Reverse, slope, Active, Duplicated(a, da), Const(v))
        close(da, expected)
        close(autodiff(Forward, slope, Duplicated(a, u), Const(v))[0], inner(expected, u))


def test_a_singular_matrix_of_several_blocks():
    """Its determinant has derivatives beside pivots that are zero: none that are not finite."""
    a = matrix(np.random.default_rng(1), np.float64, 3 * BLOCK)
    a[:, 3] = 0.0
    da = np.zeros_like(a)
    autodiff(Reverse, log_size, Active, Duplicated(a, da))
    assert log_size(a) == -np.inf
    assert not da.any()
