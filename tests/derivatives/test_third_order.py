"""Third and fourth derivatives where the first one is zero: what keeps a zero from infinite partials is differentiated
itself there, and must not cut off what the zero is multiplied with.
"""

from __future__ import annotations

import itertools
import math

import mpmath
import numpy as np
import pytest
from numba import njit

from enzyme import grad
from tests.rotation import all_run

pytestmark = pytest.mark.rotating(36)

# Each has a partial that may be infinite, as far as the compiler sees: the product with it is guarded.
FUNCTIONS = {
    "exp": (lambda u: math.exp(u), mpmath.exp),
    "log": (lambda u: math.log(u), mpmath.log),
    "sqrt": (lambda u: math.sqrt(u), mpmath.sqrt),
    "quotient": (lambda u: 1.0 / u, lambda u: 1 / u),
    "power": (lambda u: u**2.5, lambda u: u ** mpmath.mpf("2.5")),
    "general power": (lambda u: u**u, lambda u: u**u),
    "arcsine": (lambda u: math.asin(u / 2.0), lambda u: mpmath.asin(u / 2)),
    "length": (lambda u: math.hypot(u, 1.0), lambda u: mpmath.sqrt(u * u + 1)),
    "array": (lambda u: np.exp(np.array([u, -u]))[0], mpmath.exp),
    "complex": (lambda u: abs(np.exp(1j * u) + 1.0), lambda u: abs(mpmath.expj(u) + 1)),
    "solution": (
        lambda u: np.linalg.solve(np.array([[u, 1.0], [0.5, 2.0]]), np.array([1.0, 0.0]))[0],
        lambda u: 2 / (2 * u - mpmath.mpf("0.5")),
    ),
}
# How the function is used; `c` is its value at zero, so that the first derivative is zero there.
USES = {
    "square": ("0.5 * (v - c) ** 2", lambda v, c, t: (v - c) ** 2 / 2),
    "product": ("(v - c) * (t + t * t)", lambda v, c, t: (v - c) * (t + t * t)),
    "cube": ("(v - c) ** 3", lambda v, c, t: (v - c) ** 3),
}
ALL_TESTS = all_run()
ORDERS = [("reverse", "forward", "forward"), ("reverse", "reverse", "forward")]
if ALL_TESTS:
    ORDERS = [
        *itertools.product(("forward", "reverse"), repeat=3),
        ("reverse", "forward", "reverse", "forward"),
        ("reverse", "reverse", "forward", "forward"),
    ]


# That of linear algebra compiles for a minute.
NAMES = [name for name in FUNCTIONS if ALL_TESTS or name != "solution"]


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("name", NAMES)
def test_where_the_first_derivative_is_zero(name, use):
    function, exact = FUNCTIONS[name]
    inner = njit(function)
    c = float(inner(0.75 * 1.25))
    scope = {"g": inner, "c": c}
    exec(f"def f(t):\n    v = g((0.75 + t) * (1.25 + 2.0 * t))\n    return {USES[use][0]}", scope)
    f = njit(scope["f"])
    with mpmath.workdps(50):
        at_zero = exact(mpmath.mpf("0.9375"))

        def wanted(t):
            v = exact((mpmath.mpf("0.75") + t) * (mpmath.mpf("1.25") + 2 * t))
            return USES[use][1](v, at_zero, t)

        expected = {order: float(mpmath.diff(wanted, 0, order)) for order in (3, 4)}
    for modes in ORDERS:
        derivative = f
        for mode in modes:
            derivative = grad(derivative, mode=mode)
        found = derivative(0.0)
        assert found == pytest.approx(expected[len(modes)], rel=1e-9, abs=1e-9), modes
