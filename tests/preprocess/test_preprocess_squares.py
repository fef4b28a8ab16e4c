"""Squares of lengths at the origin, where the lengths have a kink and the squares are smooth.

Lengths, forms of the square, functions of it and orders of differentiation are crossed.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numba import njit

from enzyme import grad, hessian, hvp, jacfwd, jacrev

pytestmark = pytest.mark.rotating(90)

LENGTHS = {
    "sqrt": "math.sqrt(x[0] * x[0] + x[1] * x[1])",
    "np.sqrt": "np.sqrt((x * x).sum())",
    "half": "(x[0] * x[0] + x[1] * x[1]) ** 0.5",
    "norm": "np.linalg.norm(x)",
    "hypot": "math.hypot(x[0], x[1])",
    "abs": "abs(x[0] + 1j * x[1])",
}
# `r` is the length; all but the last are its square, perhaps with factors.
SQUARES = {
    "power": "r ** 2",
    "product": "r * r",
    "factor before": "(c * r) * r",
    "two factors": "(c * r) * (r * c)",
    "negative": "-(r * r)",
    "negative factor": "(-r) * r",
}
FACTORS = {"factor before": 3.0, "two factors": 9.0, "negative": -1.0, "negative factor": -1.0}
USES = {"alone": ("{q}", 2.0), "exp": ("math.exp({q})", 2.0), "product": ("(1.0 + {q}) * 2.0", 4.0)}
# Of these, products with a factor between are not seen.
UNSEEN = {
    (length, square) for length in ("hypot", "abs") for square in ("factor before", "two factors")
}


def _program(length, square, use):
    import math

    used = USES[use][0].format(q=SQUARES[square])
    scope = {"np": np, "math": math}
    exec(f"def f(x, c):\n    r = {LENGTHS[length]}\n    return {used}", scope)
    return njit(scope["f"]), USES[use][1] * FACTORS.get(square, 1.0) * np.eye(2)


CELLS = [c for c in itertools.product(LENGTHS, SQUARES, USES) if c[:2] not in UNSEEN]


@pytest.mark.parametrize(("length", "square", "use"), CELLS)
def test_second_derivatives_at_the_origin(length, square, use):
    f, expected = _program(length, square, use)
    origin = np.zeros(2)
    np.testing.assert_array_equal(grad(f)(origin, 3.0), 0.0)
    assert np.allclose(hessian(f)(origin, 3.0), expected, rtol=1e-13)
    v = np.array([1.0, -2.0])
    np.testing.assert_allclose(hvp(f, origin, v, 3.0), expected @ v, rtol=1e-13)
    for outer, inner in itertools.product((jacfwd, jacrev), repeat=2):
        np.testing.assert_allclose(outer(inner(f))(origin, 3.0), expected, rtol=1e-13, atol=1e-15)


@pytest.mark.rotating(1)
def test_each_length_has_a_square():
    """At any day: what computes a length has changed before, and its square was not seen any more."""
    for length in LENGTHS:
        f, expected = _program(length, "product", "exp")
        assert np.allclose(hvp(f, np.zeros(2), np.ones(2), 3.0), expected @ np.ones(2)), length


@pytest.mark.parametrize(("length", "square"), list(itertools.product(LENGTHS, SQUARES)))
def test_elsewhere(length, square):
    f, _ = _program(length, square, "exp")
    x, v = np.array([0.3, -0.4]), np.array([1.0, -2.0])
    h = 1e-5
    first = grad(f)
    expected = (first(x + h * v, 1.5) - first(x - h * v, 1.5)) / (2.0 * h)
    np.testing.assert_allclose(hvp(f, x, v, 1.5), expected, rtol=1e-7, atol=1e-9)


def test_a_deviation_and_a_root_of_negative_numbers():
    f = njit(lambda x: x.std() ** 2)
    np.testing.assert_allclose(hessian(f)(np.ones(2)), [[0.5, -0.5], [-0.5, 0.5]])
    root = njit(lambda x: np.sqrt(x) ** 2)
    assert np.isnan(root(-1.0)) and np.isnan(grad(root)(-1.0)) and grad(grad(root))(4.0) == 0.0
