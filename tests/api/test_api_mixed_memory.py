"""Constants and active memory chosen element by element."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Const, Duplicated, Forward, Reverse, autodiff

RNG = np.random.default_rng(3)
MASK = RNG.uniform(size=9) > 0.5
CONSTANTS, X, Z = RNG.uniform(0.1, 1.0, (3, 9))


@njit
def by_where(mask, c, x):
    return (np.where(mask, c, x) ** 2).sum()


@njit
def by_loop(mask, c, x):
    s = 0.0
    for i in range(len(x)):
        v = c[i] if mask[i] else x[i]
        s += v * v
    return s


@njit
def nested(mask, c, x):
    return (np.where(mask, np.where(c > 0.5, c, 2.0 * x), x[::-1]) ** 2).sum()


PROGRAMS = {
    "where": (by_where, lambda m, c, x: np.where(m, 0.0, 2 * x)),
    "loop": (by_loop, lambda m, c, x: np.where(m, 0.0, 2 * x)),
    "nested": (
        nested,
        lambda m, c, x: np.where(m & ~(c > 0.5), 8 * x, 0.0) + np.where(m, 0.0, 2 * x[::-1])[::-1],
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_only_what_is_active_needs_a_shadow(name):
    function, gradient = PROGRAMS[name]
    dx = np.zeros_like(X)
    autodiff(Reverse, function, Active, Const(MASK), Const(CONSTANTS), Duplicated(X, dx))
    np.testing.assert_allclose(dx, gradient(MASK, CONSTANTS, X), rtol=1e-14)
    (tangent,) = autodiff(Forward, function, Const(MASK), Const(CONSTANTS), Duplicated(X, Z))
    np.testing.assert_allclose(tangent, dx @ Z, rtol=1e-13)


def test_the_other_side_may_be_the_constant():
    dc = np.zeros_like(X)
    autodiff(Reverse, by_where, Active, Const(MASK), Duplicated(CONSTANTS, dc), Const(X))
    np.testing.assert_allclose(dc, np.where(MASK, 2 * CONSTANTS, 0.0), rtol=1e-14)
