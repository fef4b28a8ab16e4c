"""Elements of arrays that are infinite, or no numbers, and that nobody reads in the end: the others have their slopes.

What holds of a number that a branch throws away holds of an element, though only the run knows which ones are read.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numba import njit

from enzyme import BatchDuplicated, Const, Duplicated, Forward, Reverse, autodiff, hessian
from tests.api.test_api_zero_times_infinity import gradient_of

pytestmark = pytest.mark.rotating(40)

BAD = 3
GOOD = np.array([1.3, 1.9, 1.6, 1.7, 1.2])

# Each: a function, and where it is not defined or not finite, or its slope is not. At GOOD all is well.
FUNCTIONS = {
    "sqrt": (lambda x: np.sqrt(x - 1.0) * x, 0.5),
    "log": (lambda x: np.log(x - 1.0) * x, 0.5),
    "log of zero": (lambda x: np.log(x - 1.0) * x, 1.0),
    "sin of infinity": (lambda x: np.sin(np.log(x - 1.0)) * x, 1.0),
    "cos of a quotient": (lambda x: x * np.cos(1.0 / (x - 1.0)), 1.0),
    "tan": (lambda x: np.tan(np.log(x)) * x, 0.0),
    "saturation": (lambda x: x * (1.0 / (x - 1.0)) / (1.0 + (1.0 / (x - 1.0)) ** 2), 1.0),
    "arcsin": (lambda x: np.arcsin(x - 1.0) * x, 2.5),
    "arccos": (lambda x: np.arccos(x - 1.0) * x, 2.5),
    "arccosh": (lambda x: np.arccosh(x) * x, 0.5),
    "arctanh": (lambda x: np.arctanh(x - 1.0) * x, 2.5),
    "log1p": (lambda x: np.log1p(x - 2.0) * x, 0.5),
    "power": (lambda x: (x - 1.0) ** 1.5 * x, 0.5),
    "difference": (lambda x: (1.0 / (x - 1.0) - np.log(x - 1.0)) * x * x, 1.0),
    "overflow": (lambda x: np.exp(1.0 / x) * x, 1e-3),
    "remainder": (lambda x: np.fmod(x, x - 1.0) * x, 1.0),
}


def all_of(g):
    """An array of what a function gives for each element."""

    @njit(error_model="numpy")
    def made_of(x):
        t = np.empty_like(x)
        for i in range(len(x)):
            t[i] = g(x[i])
        return t

    return made_of


def read_but_one(g):
    each = all_of(g)

    def f(x):
        t, s = each(x), 0.0
        for i in range(len(x)):
            if i != BAD:
                s += t[i] * t[i]
        return s

    return f


def slices(g):
    each = all_of(g)

    def f(x):
        t = each(x)
        u = t * t
        return u[:BAD].sum() + u[BAD + 1 :].prod()

    return f


def chosen_by_where(g):
    each = all_of(g)

    def f(x):
        t = each(x)
        u = t * x
        return np.where(np.abs(x - GOOD) < 1e-3, u * u, 0.0).sum()

    return f


def masked(g):
    each = all_of(g)

    def f(x):
        t = each(x)
        u = (t * t + t)[np.abs(x - GOOD) < 1e-3]
        return (u * u).sum()

    return f


def under_a_condition(g):
    def f(x):
        t, s = np.empty((len(x), 2)), 0.0
        for i in range(len(x)):
            t[i, 0] = g(x[i])
            t[i, 1] = t[i, 0] * t[i, 0]
        for i in range(len(x)):
            if np.abs(x[i] - GOOD[i]) < 1e-3:
                s += t[i, 0] * t[i, 1]
        return s

    return f


def overwritten(g):
    each = all_of(g)

    def f(x):
        t = each(x)
        t *= t
        t[BAD] = 2.0
        return (t * t).sum()

    return f


def in_a_list(g):
    def f(x):
        t = [g(x[i]) for i in range(len(x))]
        s = 0.0
        for i in range(len(x)):
            if i != BAD:
                s += t[i] ** 2
        return s

    return f


WAYS = read_but_one, slices, chosen_by_where, masked, under_a_condition, overwritten, in_a_list


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_elements_that_nobody_reads(name, way):
    body, bad = FUNCTIONS[name]
    f = njit(way(njit(body, error_model="numpy")), error_model="numpy")
    x = GOOD.copy()
    wanted = gradient_of(f, x)
    wanted[BAD] = 0.0
    slopes_of_slopes = np.array(hessian(f)(x))
    slopes_of_slopes[BAD] = slopes_of_slopes[:, BAD] = 0.0
    x[BAD] = bad
    np.testing.assert_allclose(gradient_of(f, x), wanted, rtol=1e-13)
    tangents = [autodiff(Forward, f, Duplicated(x, d))[0] for d in np.eye(len(x))]
    np.testing.assert_allclose(tangents, wanted, rtol=1e-13)
    np.testing.assert_allclose(hessian(f)(x), slopes_of_slopes, rtol=1e-12)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_elements_of_results_that_nobody_asks_for(name):
    """The caller's seeds are zero there."""
    body, bad = FUNCTIONS[name]
    g = njit(body, error_model="numpy")

    @njit
    def f(x, out):
        for i in range(len(x)):
            out[i] = g(x[i])

    x = GOOD.copy()
    found = []
    for number in GOOD[BAD], bad:
        x[BAD] = number
        d, seeds = np.zeros_like(x), np.array([1.0, 2.0, -1.0, 0.0, 0.5])
        autodiff(Reverse, f, Const, Duplicated(x, d), Duplicated(np.empty_like(x), seeds))
        lanes = np.zeros_like(x), np.zeros_like(x)
        seeds = np.array([1.0, 0.0, 0.0, 0.0, 0.5]), np.array([0.0, 2.0, -1.0, 0.0, 0.0])
        out = BatchDuplicated(np.empty_like(x), seeds)
        autodiff(Reverse, f, Const, BatchDuplicated(x, lanes), out)
        np.testing.assert_allclose(sum(lanes), d, rtol=1e-13)
        found.append(d)
    np.testing.assert_allclose(*found, rtol=1e-13)
    assert not found[0][BAD] and all(itertools.compress(found[0], GOOD[BAD] != GOOD))
