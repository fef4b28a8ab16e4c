"""Norms of vectors whose squares overflow or vanish: each product in the derivative stays in range."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numba import njit

from enzyme import grad, hvp, jacrev, jvp

pytestmark = pytest.mark.rotating(4)

SIZES = [10.0**k for k in (-300, -200, -160, -154, -100, 0, 100, 154, 160, 200, 300)]


@njit
def real(x, s):
    return np.linalg.norm(np.array([s * x[0], 2.0 * s * x[1]])) / s


@njit
def imaginary(x, s):
    return np.linalg.norm(np.array([s * x[0] + 0.5j * s, 2.0j * s * x[1]])) / s


@njit
def steps(x, s):
    """Every second number."""
    v = np.zeros(4)
    v[::2] = x * s
    v[2] *= 2.0
    return np.linalg.norm(v[::2]) / s


REST = {real: 0.0, imaginary: 0.25, steps: 0.0}


@pytest.mark.parametrize("s", SIZES)
@pytest.mark.parametrize("f", REST, ids=lambda f: f.__name__)
def test_first_and_second_derivatives(f, s):
    x, v = np.array([1.0, 0.75]), np.array([0.3, -0.2])
    weights = np.array([1.0, 4.0])
    r = math.sqrt((weights * x * x).sum() + REST[f])
    slope = weights * x / r
    curved = weights * v / r - slope * (slope @ v) / r
    assert f(x, s) == pytest.approx(r, rel=1e-14)
    np.testing.assert_allclose(grad(f)(x, s), slope, rtol=1e-13)
    assert jvp(f, (x, s), (v, 0.0))[1] == pytest.approx(slope @ v, rel=1e-13)
    np.testing.assert_allclose(hvp(f, x, v, s), curved, rtol=1e-12)
    np.testing.assert_allclose(jacrev(grad(f))(x, s) @ v, curved, rtol=1e-12)
