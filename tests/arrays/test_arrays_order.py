"""Sorted arrays and medians: numba's numbers bit for bit, and the derivatives of the numbers where they stand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    Reverse,
    ReverseWithPrimal,
    autodiff,
    explain,
)
from tests.arrays.law import assert_law, branches

pytestmark = pytest.mark.rotating(8)

BODIES = {
    "sort": "s = np.sum(np.sort(y) * w)",
    "in_place": "y = y.copy()\ny.sort()\ns = np.sum(y * w)",
    "stable": "y = y.copy()\ny.sort(kind='mergesort')\ns = np.sum(y * w)",
    "slice": "y = y.copy()\ny[1:-1].sort()\ns = np.sum(y * w)",
    "backwards": "y = y.copy()\ny[::-1].sort()\ns = np.sum(y * w)",
    "trimmed": "z = np.sort(y)[1:-1]\ns = np.sum(z * z) * w[0]",
    "median": "s = np.median(y) ** 2 * w[0]",
    "of_distances": "s = np.median(np.abs(y - np.median(y))) + w[0]",
    "nanmedian": "s = np.nanmedian(y) * w[1]",
    "rows": (
        "m = np.outer(w, y)\nm.sort()\nfor i in range(len(w)):\n    s += m[i, i] * w[i] + np.median(m[i])"
    ),
    "twice": "z = np.sort(np.sin(3.0 * y))\ns = np.sum(np.sort(z * w) * w)",
    "loop": "for i in range(len(y) - 4):\n    z = np.sort(y[i : i + 4])\n    s += z[1] * z[2] + np.median(y[i:])",
    "several": "a = np.sort(y)\nb = np.median(w)\nc = np.percentile(y, 30.0)\ns = a[2] * b * c + np.sum(a * w)",
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_law(dtype):
    f = branches("order", list(BODIES.values()), ["y", "w"])
    for n in (6, 7, 40):
        rng = np.random.default_rng(n)
        y, w = rng.normal(size=n).astype(dtype), rng.normal(size=n).astype(dtype)
        for which, name in enumerate(BODIES):
            assert_law(f, which, [y, w], f"{name} {n}")


@njit
def sorted_into(y, out):
    out[:] = np.sort(y)
    return np.sum(out)


@njit
def stably_into(y, out):
    out[:] = y
    out.sort(kind="mergesort")
    return np.sum(out)


@njit
def median_of(y, out):
    out[0] = np.median(y)
    return out[0]


@njit
def nanmedian_of(y, out):
    out[0] = np.nanmedian(y)
    return out[0]


def special(n, seed):
    rng = np.random.default_rng(seed)
    kinds = [
        rng.normal(size=n),
        np.round(rng.normal(size=n)),
        rng.choice([-0.0, 0.0, 1.0], size=n),
        rng.choice([np.nan, np.inf, -np.inf, 1.0, -2.0, 0.0, -0.0], size=n),
        np.sort(rng.normal(size=n)),
        np.sort(rng.normal(size=n))[::-1].copy(),
        np.full(n, 3.0),
    ]
    return kinds


@pytest.mark.parametrize("n", [0, 1, 2, 3, 15, 16, 17, 33, 300])
def test_bits(n):
    for k, (y, f) in enumerate(
        itertools.product(special(n, n), (sorted_into, stably_into, median_of, nanmedian_of))
    ):
        expected, found = np.zeros(max(n, 1))[:n], np.zeros(max(n, 1))[:n]
        if not n and f in (median_of, nanmedian_of):
            continue
        f(y, expected)
        given = Duplicated(y, np.zeros_like(y)), Duplicated(found, np.zeros_like(found))
        autodiff(Reverse, f, Active, *given)
        assert expected.tobytes() == found.tobytes(), (k, f.__name__, y)


@pytest.mark.parametrize(
    "y",
    [
        [2.0, 1.0, 2.0, 2.0, 5.0],
        [2.0, 2.0, 2.0],
        [1.0, 2.0, 2.0, 3.0],
        [2.0, 3.0, 1.0, 2.0],
        [2.0, 2.0, 2.0, 2.0],
        [2.0, 2.0, 1.0, 2.0, 2.0, 3.0],
        [0.0, -0.0, 1.0, -1.0],
        [1.0, 1.0],
    ],
)
def test_equal_numbers_keep_their_order(y):
    """The two in the middle are two elements, also where they are equal; there the median has a derivative."""
    y = np.array(y)
    shadow, out = np.zeros(y.size), np.zeros(y.size)
    autodiff(Reverse, median_of, Active, Duplicated(y, shadow), Duplicated(out, 0 * out))
    middle = np.argsort(y, kind="stable")[(y.size - 1) // 2 : y.size // 2 + 1]
    expected = np.zeros(y.size)
    expected[middle] = 1.0 / len(middle)
    np.testing.assert_array_equal(shadow, expected)


@njit
def integers(k, y):
    order = np.sort(k)
    return y[order[0]] * y[order[-1]] + np.median(k)


def test_integers_are_sorted_by_numba():
    k, y = np.array([3, 0, 2]), np.array([1.0, 2.0, 3.0, 4.0])
    shadow = np.zeros(4)
    _, value = autodiff(ReverseWithPrimal, integers, Active, Const(k), Duplicated(y, shadow))
    assert value == integers(k, y)
    assert shadow.tolist() == [4.0, 0.0, 0.0, 1.0]


@njit
def complex_numbers(z):
    return np.abs(np.sort(z)[1]) ** 2


def test_complex_numbers():
    z, v = np.array([3.0 + 1j, 1.0 - 2j, 2.0]), np.array([1.0 + 2j, 0.5j, 3.0 - 1j])
    slope = autodiff(Forward, complex_numbers, Duplicated(z, v))[0]
    assert slope == pytest.approx(2.0 * (np.conj(z[2]) * v[2]).real)


@njit
def many(x):
    s = 0.0
    for i in range(len(x)):
        t, m = np.sort(x[i]), np.median(x[i])
        s += t[3] * m
    return s


def test_nothing_of_the_search_is_kept():
    x = np.random.default_rng(0).normal(size=(4, 60))
    told = str(explain(Reverse, many, Active, Duplicated(x, np.zeros((4, 60)))))
    assert len([line for line in told.splitlines() if line.startswith("  kept for each")]) <= 3
