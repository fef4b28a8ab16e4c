"""Convolutions and correlations: numba's values and errors, and derivatives by law."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Duplicated, Reverse, autodiff
from tests.arrays.law import assert_law, branches

SIZES = [(1, 1), (5, 1), (1, 4), (4, 4), (7, 3), (3, 8), (6, 5), (1200, 30), (520, 513)]
PROGRAMS = [
    f"s = np.sum(np.{function}({a}, {b}, {mode!r}) ** 2)"
    for function, (a, b), mode in product(
        ("convolve", "correlate"),
        (("a", "b"), ("a[::-1]", "np.repeat(b, 2)[::2]"), ("a", "a")),
        ("full", "same", "valid"),
    )
]


def test_derivatives():
    f = branches("convolutions", PROGRAMS, ("a", "b"))
    for n, m in SIZES:
        draw = np.random.default_rng(n + m)
        for which, text in enumerate(PROGRAMS):
            assert_law(f, which, [draw.normal(size=n), draw.normal(size=m)], f"{text}, {n}, {m}")


@njit
def smoothed(a, b):
    return np.convolve(a, b).sum()


@pytest.mark.parametrize("sizes", [(0, 3), (3, 0)])
def test_nothing_to_convolve(sizes):
    a, b = map(np.ones, sizes)
    with pytest.raises(ValueError, match="cannot be empty") as expected:
        smoothed(a, b)
    with pytest.raises(ValueError, match="cannot be empty") as found:
        autodiff(Reverse, smoothed, Active, Duplicated(a, a * 0), Duplicated(b, b * 0))
    assert str(found.value) == str(expected.value)
