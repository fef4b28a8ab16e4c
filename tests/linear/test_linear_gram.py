"""Products of a matrix with its own transpose, whose two adjoints are one product: by forward mode and differences.

Beside them stand products that only look like it: with the conjugate, added to, of two views, of two arguments.
"""

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
    autodiff,
    hvp,
    make_zero,
)

pytestmark = [
    pytest.mark.rotating(10),
    pytest.mark.filterwarnings("ignore:.*faster on contiguous"),
]
RNG = np.random.default_rng(17)


@njit
def left(x, w):
    return ((x.T @ x) * w).sum().real


@njit
def right(x, w):
    c = x @ x.T
    return (np.sin(c) * w[: len(x), : len(x)] + c * c).sum().real


@njit
def starred(x, w):
    return ((x.conj().T @ x) * w).sum().real


@njit
def overwritten(x, w):
    y = x * 2.0
    c = y.T @ y
    y[:] = 0.5
    return (c * c * w).sum().real + y.sum().real


@njit
def into(x, w):
    c = np.ones((x.shape[1], x.shape[1]), x.dtype)
    np.dot(x.T, x, c)
    return (c * w).sum().real


@njit
def of_copies(x, w):
    return ((x.copy().T @ x) * w).sum().real


@njit
def plain_square(x, w):
    y = x[: x.shape[1]].copy()
    return ((y @ y) * w + (y.T @ y.T)).sum().real


@njit
def of_parts(x, w):
    y = x[: x.shape[1]]
    return ((y.T @ y) * w).sum().real


PROGRAMS = (left, right, starred, overwritten, into, of_copies, plain_square, of_parts)
KINDS = {np.float64: 1e-12, np.float32: 2e-4, np.complex128: 1e-12}


def operands(dtype, order):
    def made(*shape):
        a = RNG.normal(size=shape).astype(dtype)
        if np.dtype(dtype).kind == "c":
            a += 1j * RNG.normal(size=shape)
        return np.asarray(a, order=order)

    return made(7, 4), made(7, 7), made(7, 4)


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("dtype", KINDS)
def test_first_derivatives(f, order, dtype):
    x, w, v = operands(dtype, order)
    w = w if f is right else np.asarray(w[:4, :4], order=order)
    dx, lanes = make_zero(x), (make_zero(x), make_zero(x))
    autodiff(Reverse, f, Active, Duplicated(x, dx), Const(w))
    (slope,) = autodiff(Forward, f, Duplicated(x, v), Const(w))
    assert np.vdot(dx, v).real == pytest.approx(slope, rel=KINDS[dtype], abs=KINDS[dtype] * 100)
    autodiff(Reverse, f, Active, BatchDuplicated(x, lanes), Const(w))
    for lane in lanes:
        np.testing.assert_allclose(lane, dx, rtol=KINDS[dtype], atol=KINDS[dtype] * 100)
    if dtype is np.float64:
        h = 1e-6
        difference = (f(x + h * v, w) - f(x - h * v, w)) / (2 * h)
        assert slope == pytest.approx(difference, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("f", [left, right, overwritten])
def test_second_derivatives(f):
    x, w, v = operands(np.float64, "C")
    w = w if f is right else w[:4, :4].copy()

    def gradient(x):
        dx = make_zero(x)
        autodiff(Reverse, f, Active, Duplicated(x, dx), Const(w))
        return dx

    @njit
    def of_x(x):
        return f(x, w)

    h = 1e-6
    difference = (gradient(x + h * v) - gradient(x - h * v)) / (2 * h)
    np.testing.assert_allclose(hvp(of_x, x, v), difference, rtol=1e-5, atol=1e-5)
