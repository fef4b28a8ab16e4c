"""What is NaN or infinite where it is not used leaves derivatives alone."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    Reverse,
    autodiff,
    jacfwd,
    jacrev,
    set_strong_zero,
    vjp,
)

pytestmark = pytest.mark.rotating(3)


@njit
def ignoring(x):
    y = x.copy()
    y[1] = np.nan
    return np.nansum(y * y) + np.nanmean(y) + np.nanmax(y) + np.nanstd(y)


@njit
def guarded_product(x):
    s = 0.0
    for i in range(len(x)):
        w = np.inf if i == 2 else 0.5 * i
        s += x[i] * w if i != 2 else x[i]
    return s


@njit
def prefilled(x):
    y = np.full(len(x), np.nan)
    for i in range(0, len(x), 2):
        y[i] = x[i] ** 2
    s = 0.0
    for i in range(len(y)):
        if not np.isnan(y[i]):
            s += y[i] * y[i]
    return s


@njit
def chosen(x, w):
    return np.where(np.isfinite(w), x * w, x).sum()


X = np.array([0.3, 0.7, 1.1, 0.9, 0.4])
W = Const(np.array([1.0, np.inf, 2.0, np.nan, -1.0]))
PROGRAMS = {
    "ignoring": (ignoring, (), Reverse),
    "guarded product": (guarded_product, (), Reverse),
    "prefilled": (prefilled, (), Reverse),
    # The product went through memory: there only strong zeros help.
    "chosen": (chosen, (W,), set_strong_zero(Reverse)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_are_finite(name):
    function, constants, mode = PROGRAMS[name]
    dx = np.zeros_like(X)
    autodiff(mode, function, Active, Duplicated(X, dx), *constants)
    for k, unit in enumerate(np.eye(len(X))):
        (tangent,) = autodiff(Forward, function, Duplicated(X, unit), *constants)
        others = [c.val for c in constants]
        step = 1e-6 * unit
        quotient = (function(X + step, *others) - function(X - step, *others)) / 2e-6
        assert dx[k] == pytest.approx(tangent, rel=1e-13, abs=1e-13)
        assert dx[k] == pytest.approx(quotient, abs=1e-7)


SUMS_OF_NUMBERS = {
    "np.nansum": "np.nansum({t})",
    "np.nanmean": "np.nanmean({t})",
    "a test": "sum_of_numbers({t})",
}


@njit
def sum_of_numbers(t):
    total = 0.0
    for i in range(len(t)):
        if not np.isnan(t[i]):
            total += t[i]
    return total


@pytest.mark.parametrize("way", SUMS_OF_NUMBERS)
def test_what_one_of_several_results_throws_away(way):
    """Also where only another result reads it."""
    scope = {"np": np, "sum_of_numbers": sum_of_numbers}
    total = SUMS_OF_NUMBERS[way].format(t="t")
    exec(f"def f(x):\n    t = x * x\n    return {total}, 3.0 * {total}, x[0] * x[2]\n", scope)
    f, x = scope["f"], np.array([1.0, np.nan, 2.0])
    expected = jacfwd(f)(x)
    assert all(row[1] == 0.0 for row in expected)
    for row, backwards in zip(expected, jacrev(f)(x), strict=True):
        np.testing.assert_allclose(backwards, row, rtol=1e-14)
    for k, row in enumerate(expected):
        found = vjp(f, x)[1](tuple(np.eye(3)[k]))[0]
        np.testing.assert_allclose(found, row, rtol=1e-14)
