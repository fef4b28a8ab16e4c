"""Factorisations whose vectors nobody asks for, and points where their adjoint is zero but its derivative is not."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import grad, hessian, hvp, jvp
from tests.rotation import all_run

pytestmark = pytest.mark.rotating(27)
LONG = pytest.mark.skipif(not all_run(), reason="compiles Hessians")

RNG = np.random.default_rng(0)
SQUARE = RNG.standard_normal((4, 4))
SYMMETRIC = SQUARE + SQUARE.T
MATRICES = {
    "svd": {
        "square": SQUARE,
        "tall": RNG.standard_normal((5, 3)),
        "wide": RNG.standard_normal((3, 5)),
    },
    "eigh": {"square": SYMMETRIC, "complex": SYMMETRIC + 1j * (SQUARE - SQUARE.T)},
}
CASES = [(name, shape) for name, found in MATRICES.items() for shape in found]


@njit
def _of_svd(a):
    u, s, vh = np.linalg.svd(a)
    return s, np.abs(u[0, 0]), np.abs(vh[0, 1])


@njit
def _of_eigh(a):
    w, v = np.linalg.eigh(a)
    return w, np.abs(v[0, 0]), np.abs(v[1, 0])


PARTS = {"svd": _of_svd, "eigh": _of_eigh}


@pytest.mark.parametrize(("name", "shape"), CASES)
def test_values_alone(name, shape):
    """As with vectors that are multiplied with nothing."""
    parts, a = PARTS[name], MATRICES[name][shape]

    @njit
    def of_values(a):
        return np.sum(np.exp(parts(a)[0] / 3.0))

    @njit
    def with_vectors(a):
        values, first, second = parts(a)
        return np.sum(np.exp(values / 3.0)) + 1e-300 * (first + second)

    np.testing.assert_allclose(grad(of_values)(a), grad(with_vectors)(a), rtol=1e-12, atol=1e-14)


@LONG
@pytest.mark.parametrize(("name", "shape"), CASES)
def test_second_derivatives_where_the_adjoint_of_the_vectors_is_zero(name, shape):
    """Of ``(x - c)^2 / 2`` at ``x = c``: the square of x's derivative."""
    parts, a = PARTS[name], MATRICES[name][shape]
    _, first, second = parts(a)

    @njit
    def misfit(a):
        _, x, y = parts(a)
        return 0.5 * ((x - first) ** 2 + (y - second) ** 2)

    direction = np.random.default_rng(1).standard_normal(a.shape).astype(a.dtype)
    if name == "eigh":
        direction = direction + direction.conj().T

    def component(k):
        return njit(lambda a: parts(a)[k])

    expected = sum(grad(component(k))(a) * jvp(component(k), (a,), (direction,))[1] for k in (1, 2))
    assert abs(expected).max() > 1e-3
    np.testing.assert_array_equal(grad(misfit)(a), 0.0)
    found = hvp(misfit, a, direction)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-11)

    @njit
    def slope(a):
        return np.sum((grad(misfit)(a) * direction.conj()).real)

    np.testing.assert_allclose(grad(slope)(a), expected, rtol=1e-9, atol=1e-11)


@LONG
def test_whole_hessian():
    _, first, second = _of_svd(SQUARE)

    @njit
    def misfit(a):
        _, x, y = _of_svd(a)
        return 0.5 * ((x - first) ** 2 + (y - second) ** 2)

    found = hessian(misfit)(SQUARE).reshape(16, 16)
    np.testing.assert_allclose(found, found.T, atol=1e-11)
    assert np.linalg.matrix_rank(found, tol=1e-8) == 2
