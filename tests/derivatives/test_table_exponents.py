"""`frexp` in loops, and its numbers in bits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Duplicated, Forward, Reverse, ReverseWithPrimal, autodiff

pytestmark = pytest.mark.rotating(6)


@njit
def fractions(x):
    s = 0.0
    for i in range(len(x)):
        m, e = math.frexp(x[i])
        s += m * m * e
    return s


@njit
def parts(x, fraction, exponent):
    for i in range(len(x)):
        m, e = math.frexp(x[i])
        fraction[i] = m
        exponent[i] = e
    return 0.0


@pytest.mark.parametrize("n", [1, 7, 64])
def test_in_a_loop(n):
    x = np.exp(3.0 * np.cos(np.arange(n)))
    shadow, v = np.zeros(n), np.sin(1.0 + np.arange(n))
    autodiff(Reverse, fractions, Active, Duplicated(x, shadow))
    slope = autodiff(Forward, fractions, Duplicated(x, v))[0]
    assert shadow @ v == pytest.approx(slope, rel=1e-13)
    m, e = np.frexp(x)
    np.testing.assert_allclose(shadow, 2.0 * m * e / 2.0**e, rtol=1e-14)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_bits(dtype):
    info = np.finfo(dtype)
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2**63, 500, dtype=np.uint64)
    some = bits.view(np.float64) if dtype is np.float64 else bits.view(np.float32)
    named = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        info.max,
        info.tiny,
        info.smallest_subnormal,
        np.inf,
        -np.inf,
    ]
    some = some[np.isfinite(some)]
    x = np.concatenate([np.array(named, dtype), some, some * info.tiny])
    fraction, exponent = np.zeros_like(x), np.zeros(len(x))
    given = (Duplicated(a, np.zeros_like(a)) for a in (x, fraction, exponent))
    autodiff(ReverseWithPrimal, parts, Active, *given)
    m, e = np.frexp(x)
    np.testing.assert_array_equal(fraction, m)
    np.testing.assert_array_equal(np.signbit(fraction), np.signbit(m))
    np.testing.assert_array_equal(exponent, e)
