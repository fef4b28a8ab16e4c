"""Functions made with `@stencil` are part of the program like all others."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit, stencil

from enzyme import Active, Duplicated
from enzyme_testutils import check_adjoint
from enzyme_testutils import test_reverse as check_reverse

pytestmark = pytest.mark.rotating(4)


@njit
def weight(v, w):
    return v * v * w


@stencil
def neighbours(a, w):
    return weight(a[-1, 0], w[0, 0]) + a[1, 0] * a[0, -1] - 4.0 * np.sin(a[0, 1])


@stencil(neighborhood=((-2, 2),), cval=0.5)
def window(a):
    total = 0.0
    for k in range(-2, 3):
        total += a[k] * a[0]
    return total


def two_arrays(x, w):
    return (neighbours(x, w) ** 2).sum()


def given_storage(x, w):
    out = np.ones_like(x)
    neighbours(x, w, out=out)
    return (out * x).sum()


def made_inside(x, w):
    line = x.reshape(x.size)
    return (window(line) * w.reshape(w.size)).sum()


@pytest.mark.parametrize("function", [two_arrays, given_storage, made_inside])
def test_law(function):
    rng = np.random.default_rng(0)
    args = [(rng.random((4, 5)), Duplicated) for _ in range(2)]
    check_reverse(njit(function), Active, *args)
    check_adjoint(njit(function), Active, *args)
