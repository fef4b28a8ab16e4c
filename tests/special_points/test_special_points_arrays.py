"""The same in single precision, in array expressions and loops, under @vectorize, and in jitted code."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit, vectorize

from enzyme import Active, Const, Duplicated, Forward, Reverse, autodiff, jacobian

pytestmark = pytest.mark.rotating(14)


@vectorize
def wrapped(x, length):
    return x % length + length * np.sign(x)


@njit
def energy(x, length, nodes, values):
    box = (x % length) ** 2 + np.mod(x, length) + np.remainder(x, length)
    box += np.logaddexp(x, x) + x**length * length
    total = box.sum() + np.interp(x, nodes, values).sum() + wrapped(x, length).sum()
    total += (np.sinc(x - x) * x).sum()
    for i in range(x.size):
        q, r = divmod(x[i], length)
        total += r * length + q + x[i] // length
    return total


X = [0.0, 1.0, 2.0, 4.0, -2.0, 0.5]


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_arrays_and_loops(kind):
    x, length, dx = np.array(X, kind), kind(2.0), np.zeros(len(X), kind)
    nodes, values = np.array([0.0, 1.0, 2.0], kind), np.array([0.0, 2.0, 1.0], kind)
    constants = Const(length), Const(nodes), Const(values)
    autodiff(Reverse, energy, Active, Duplicated(x, dx), *constants)
    box = 2.0 * (x % length) + 2.0
    interval = np.select([(x >= 0) & (x < 1), (x >= 1) & (x <= 2)], [2.0, -1.0])
    expected = box + 1.0 + 4.0 * x + interval + 1.0 + 1.0 + 2.0
    np.testing.assert_allclose(dx, expected, rtol=1e-6)
    tangent = autodiff(Forward, energy, Duplicated(x, np.ones_like(x)), *constants)[0]
    assert tangent == pytest.approx(expected.sum(), rel=1e-6)


@njit
def gradient_of(x):
    dx = np.zeros_like(x)
    autodiff(Reverse, basis, Active, Duplicated(x, dx), Const(np.array([0.0, 1.0, 2.0, 3.0])))
    return dx


@njit
def basis(x, exponents):
    total = 0.0
    for i in range(x.size):
        total += (x[i] ** exponents).sum() + np.sinc(x[i]) + x[i] * (x[i] % 1.0)
    return total


def test_hessian_in_jitted_code():
    x = np.array([0.0, 1.0, -2.0])
    sinc = [-(np.pi**2) / 3, 2.0, -0.5]
    expected = np.diag(2.0 + 6.0 * x + sinc + 2.0)
    np.testing.assert_allclose(jacobian(Forward, gradient_of, x), expected, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(jacobian(Reverse, gradient_of, x), expected, rtol=1e-13, atol=1e-13)
