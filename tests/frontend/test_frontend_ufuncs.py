"""Functions made with `@vectorize` and `@guvectorize` are part of the program like all others."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numba import guvectorize, njit, vectorize

import enzyme_rules
from enzyme import Active, Duplicated, Forward, Reverse, autodiff


@njit
def squared(x):
    return x * x


@vectorize
def dynamic(x, y):
    return squared(x) * math.sin(y)


@vectorize(["float32(float32)", "float64(float64)"])
def declared(x):
    return 1.0 / x


@guvectorize(["void(float64[:],float64,float64[:])"], "(n),()->(n)", nopython=True)
def scaled(x, s, out):
    for i in range(x.shape[0]):
        out[i] = x[i] * s


def gradient(f, x):
    dx = np.zeros_like(x)
    autodiff(Reverse, f, Active, Duplicated(x.copy(), dx))
    return dx


X = np.array([1.0, 2.0, 4.0])


def test_functions_called_by_one_made_at_the_call():
    np.testing.assert_allclose(gradient(lambda x: dynamic(x, 2.0).sum(), X), 2 * X * math.sin(2.0))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_declared_signatures(dtype):
    found = gradient(lambda x: declared(x).sum(), X.astype(dtype))
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, (-1.0 / X**2).astype(dtype))


def test_division_by_zero_is_numpys():
    """Elements are computed as NumPy does it, whatever the caller's error model."""
    assert np.isinf(gradient(lambda x: declared(x).sum(), np.zeros(1)))[0]


def test_generalised_functions():
    def f(x):
        out = np.zeros((2, 3))
        scaled(x.reshape(2, 3), x[:2], out)
        return (out * out).sum()

    x = np.arange(1.0, 7.0)
    by_hand = 2 * x * np.repeat(x[:2] ** 2, 3)
    by_hand[:2] += 2 * x[:2] * (x.reshape(2, 3) ** 2).sum(axis=1)
    np.testing.assert_allclose(gradient(f, x), by_hand, rtol=1e-14)


def test_rules_hold_inside():
    @njit
    def ruled(x):
        return x * x

    @vectorize
    def outside(x):
        return ruled(x) + x

    enzyme_rules.easy_rule(ruled, lambda omega, x: (1000.0,))

    def f(x):
        return outside(x).sum()

    np.testing.assert_array_equal(gradient(f, X), np.full(3, 1001.0))
    (found,) = autodiff(Forward, f, Duplicated(X, np.ones(3)))
    assert found == 3003.0
