"""Points where a derivative is infinite, in single precision, and cube roots: as users have them, with all of LLVM."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import Const, Duplicated, Forward, Reverse, autodiff
from enzyme.backend.passes import POST_DEFAULT, compiling_with


@njit
def arcsines(x, y):
    for i in range(len(x)):
        y[i] = np.arcsin(x[i])


@njit
def arccosines(x, y):
    for i in range(len(x)):
        y[i] = np.arccos(x[i])


@njit
def cube_roots(x, y):
    for i in range(len(x)):
        y[i] = np.cbrt(x[i])


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("function", [arcsines, arccosines], ids=lambda f: f.__name__)
def test_infinite_slopes_are_infinite_in_both_modes(function, kind):
    x = np.array([1.0, 0.5, 0.25, 0.0] * 8, kind)
    slopes, tangents = np.zeros_like(x), np.zeros_like(x)
    with compiling_with(POST_DEFAULT):
        seeded = Duplicated(np.zeros_like(x), np.ones_like(x))
        autodiff(Reverse, function, Const, Duplicated(x, slopes), seeded)
        results = Duplicated(np.zeros_like(x), tangents)
        autodiff(Forward, function, Const, Duplicated(x, np.ones_like(x)), results)
    assert np.isinf(slopes[::4]).all()
    assert np.allclose(slopes, tangents, rtol=1e-6)


def test_cube_roots_are_those_of_the_c_library():
    x = np.array([1e308, 1e7, 5e-324, -1e308] * 8)
    y = np.zeros_like(x)
    with compiling_with(POST_DEFAULT):
        autodiff(Reverse, cube_roots, Const, Duplicated(x, 0 * x), Duplicated(y, np.ones_like(x)))
    assert np.abs((y - np.cbrt(x)) / np.spacing(np.abs(np.cbrt(x)))).max() <= 2.0
