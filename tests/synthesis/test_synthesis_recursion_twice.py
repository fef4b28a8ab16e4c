"""Recursions are differentiated once, by reverse mode; twice is refused in the same words, however they recurse."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import grad, hvp, jacfwd
from enzyme.errors import EnzymeNoDerivativeError

pytestmark = pytest.mark.rotating(14)


@njit
def alone(x, a, n):
    if n <= 0:
        return x
    a[n % len(a)] *= x
    return alone(x * a[0], a, n - 1) + 1.0


@njit
def first(x, a, n):
    if n <= 0:
        return x
    a[n % len(a)] *= x
    return second(x * a[0], a, n - 1) + 1.0


@njit
def second(x, a, n):
    if n <= 0:
        return x * x
    a[0] += x
    return first(np.sin(x) + a[1], a, n - 2) * x


def directly(x):
    a = x.copy()
    return alone(x[0], a, 6) + (a * a).sum()


def in_turn(x):
    a = x.copy()
    return first(x[0], a, 6) + (a * a).sum()


X = np.array([0.7, 0.5, 1.2, 0.9])


@pytest.mark.parametrize("f", [directly, in_turn])
def test_once(f):
    np.testing.assert_allclose(grad(f)(X), jacfwd(f)(X), rtol=1e-13)


@pytest.mark.parametrize("f", [directly, in_turn])
@pytest.mark.parametrize("again", ["hvp", "grad"])
def test_twice(f, again):
    inner = grad(njit(f))
    with pytest.raises(EnzymeNoDerivativeError, match="recursive function that is differentiated"):
        if again == "hvp":
            hvp(f, X, np.ones(4))
        else:
            grad(njit(lambda x: inner(x).sum()))(X)
