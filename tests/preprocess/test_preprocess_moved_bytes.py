"""Arrays of eight bytes, two floats of single precision or one complex number, are copied by LLVM as an integer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit

from enzyme import Forward, Reverse, gradient, hvp

pytestmark = pytest.mark.rotating(4)


@njit
def march(x):
    z = np.array([x[0], x[1]])
    while abs(z[0]) < 10.0:
        z[0] += z[1] * z[1]
        z = z.copy()
    return z[0] * 2 + z[1] ** 2


@njit
def history(x):
    a, kept = np.array([x[0], x[1]]), []
    for _ in range(4):
        kept.append(a.copy())
        a[0] = a[0] * a[1]
        a[1] = a[1] + kept[-1][0]
        if a[0] > 50:
            break
    s = 0.0
    for k in range(len(kept)):
        s += kept[k][0] * kept[k][1]
    return s


@njit
def power(x):
    v = np.array([x[0], x[1]])
    for _ in range(10):
        w = np.array([x[0] * v[0] + x[1] * v[1], x[2] * v[0] + x[3] * v[1]])
        w /= np.sqrt((w * w).sum())
        if np.abs(w - v).max() < 1e-3:
            break
        v = w.copy()
    return v[0] * 2 + v[1] * x[2]


@njit
def orbit(x):
    b = np.zeros(1, np.complex64)
    b[0] = complex(x[0], x[1])
    while abs(b[0]) < 10:
        b = b.copy()
        b[0] *= b[0] + 1.0
    return float(b[0].real)


@njit
def orbit_in_double(x):
    b = complex(x[0], x[1])
    while abs(b) < 10:
        b *= b + 1.0
    return b.real


@njit
def words(x):
    """A double and an integer of eight bytes beside numbers of single precision."""
    d, n = np.array([float(x[0]) * x[1]]), np.array([3])
    for _ in range(3):
        d, n = d.copy(), n.copy()
        d[0] *= x[2]
        n[0] += 1
    return d[0] * n[0]


PAIRS = [(f, f) for f in (march, history, power, words)] + [(orbit, orbit_in_double)]


@pytest.mark.parametrize(("f", "model"), PAIRS, ids=lambda f: f.__name__)
def test_pairs(f: Any, model: Any) -> None:
    x = np.array([1.2, 0.7, 0.9, -0.4])
    single = x.astype(np.float32)
    expected = gradient(Reverse, model, x)
    for mode in (Reverse, Forward):
        np.testing.assert_allclose(gradient(mode, f, single), expected, rtol=2e-5, atol=1e-5)
    if f is orbit:  # what the reverse pass keeps would be of two types
        return
    v = np.array([1.0, -1.0, 0.5, 2.0])
    curve = hvp(model, x, v)
    np.testing.assert_allclose(hvp(f, single, v.astype(np.float32)), curve, rtol=2e-3, atol=2e-3)
