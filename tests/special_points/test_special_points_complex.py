"""Values, first and second derivatives of complex functions at special points, and on both sides of cuts."""

from __future__ import annotations

import cmath
import math

import mpmath as mp
import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    ForwardWithPrimal,
    ReverseHolomorphic,
    autodiff,
    hessian,
)

from .points import source

pytestmark = pytest.mark.rotating(35)

FUNCTIONS = {
    "cmath.sqrt(z)": mp.sqrt,
    "cmath.log(z)": mp.log,
    "np.log1p(z)": mp.log1p,
    "np.log10(z)": lambda z: mp.log(z, 10),
    "cmath.asin(z)": mp.asin,
    "cmath.acos(z)": mp.acos,
    "cmath.atan(z)": mp.atan,
    "cmath.asinh(z)": mp.asinh,
    "cmath.acosh(z)": mp.acosh,
    "np.arccosh(z)": mp.acosh,
    "cmath.atanh(z)": mp.atanh,
    "np.sinc(z)": mp.sincpi,
    "z ** 2": lambda z: z * z,
    "z ** w": None,
}
_names = {"np": np, "cmath": cmath}
exec(source(FUNCTIONS, "z", "w"), _names)
chosen = njit(_names["chosen"])


@njit
def slope(k, z, w, along_w):
    z_part, w_part = Duplicated(z, 1.0 - along_w), Duplicated(w, along_w)
    return autodiff(Forward, chosen, Const(k), z_part, w_part)[0]


PLUS, MINUS = complex(0.0, 0.0), complex(0.0, -0.0)
POINTS = [
    *(complex(x, y) for x in (2.0, -2.0, 0.3, -1.0 - 1e-9) for y in (0.0, -0.0)),
    *(complex(x, y) for y in (2.0, -2.0, 0.5) for x in (0.0, -0.0)),
    *(0.3 + 0.4j, 3 - 4j, 1 + 1e-20j, 1e-20 + 1j, -1 - 1e-9j, 1e-3 + 0j, 1e200 + 1e-3j, 0j),
]
ENDS = {"cmath.sqrt(z)": (0j,), "cmath.log(z)": (0j,), "np.log10(z)": (0j,)}


def beside(z):
    """The point a little off the axes, on the side that the signs of zeros tell."""
    step = mp.mpf(10) ** -40
    return mp.mpc(
        *(part + (math.copysign(1, part) * step if part == 0 else 0) for part in (z.real, z.imag))
    )


def expected(function, at):
    """The first two derivatives."""
    with mp.workdps(700):
        h = mp.mpf(10) ** -90
        left, here, right = (function(at + k * h) for k in (-1, 0, 1))
        return complex((right - left) / (2 * h)), complex((right - 2 * here + left) / h**2)


def close(found, value, digits=1e-13, scale=0.0):
    return abs(found - value) <= digits * max(abs(value), scale)


def least(z):
    """What counts as zero: the point of comparison is that far from the axes."""
    return 1e-25 if abs(z) < 10 else 0.0


@pytest.mark.parametrize("expression", [e for e in FUNCTIONS if e != "z ** w"])
def test_holomorphic_derivatives(expression):
    k, w = list(FUNCTIONS).index(expression), 1 + 0j
    for z in POINTS:
        if z in ENDS.get(expression, ()) or (abs(z) > 1e9 and "sinc" in expression):
            continue
        first, second = expected(FUNCTIONS[expression], beside(z))
        found, value = autodiff(
            ForwardWithPrimal, chosen, Const(k), Duplicated(z, 1 + 0j), Const(w)
        )
        assert repr(value) == repr(chosen(k, z, w)), z
        assert close(found, first, scale=least(z)), (z, found, first)
        turned = autodiff(Forward, chosen, Const(k), Duplicated(z, 1j), Const(w))[0]
        assert close(turned, 1j * first, scale=least(z)), (z, turned, first)
        reverse = autodiff(ReverseHolomorphic, chosen, Active, Const(k), Active(z), Const(w))[0][1]
        assert close(reverse, first, scale=least(z)), (z, reverse, first)
        again = autodiff(Forward, slope, Const(k), Duplicated(z, 1 + 0j), Const(w), Const(0j))[0]
        assert close(again, second, 1e-12, abs(first)), (z, again, second)


EXPONENTS = (0j, 1 + 0j, 2 + 0j, 3 + 0j, 0.5 - 1j)


@pytest.mark.parametrize("w", EXPONENTS)
def test_powers(w):
    k = list(FUNCTIONS).index("z ** w")
    for z in POINTS:
        if (z == 0 and w == EXPONENTS[-1]) or abs(z) > 1e9:
            continue
        _, dz, dw = autodiff(ReverseHolomorphic, chosen, Active, Const(k), Active(z), Active(w))[0]
        if z == 0:
            assert (dz, dw) == ((1 if w == 1 else 0), 0)
            again = autodiff(Forward, slope, Const(k), Duplicated(z, 1 + 0j), Const(w), Const(0j))[
                0
            ]
            assert again == (2 if w == 2 else 0)
            continue
        here, exponent = beside(z), mp.mpc(w)
        assert close(dz, expected(lambda t: t**exponent, here)[0], 1e-12), (z, dz)  # noqa: B023
        first, second = expected(lambda t: here**t, exponent)  # noqa: B023
        size = 1 + abs(complex(z) ** w)
        assert close(dw, first, 1e-12, size), (z, dw, first)
        again = autodiff(Forward, slope, Const(k), Const(z), Duplicated(w, 1 + 0j), Const(1 + 0j))[
            0
        ]
        assert close(again, second, 1e-11, size), (z, again, second)


INFINITE = [complex(x, y) for x in (2.0, math.inf, -math.inf) for y in (0.0, -0.0, math.inf)][2:]


@pytest.mark.parametrize("z", [PLUS, MINUS, *INFINITE, complex(math.nan, 0.0)])
def test_square_root_has_no_slope_at_zero_nor_at_infinity(z):
    k = list(FUNCTIONS).index("cmath.sqrt(z)")
    assert autodiff(Forward, chosen, Const(k), Duplicated(z, 1 + 0j), Const(1j))[0] == 0
    assert autodiff(ReverseHolomorphic, chosen, Active, Const(k), Active(z), Const(1j))[0][1] == 0


@pytest.mark.parametrize("expression", ["cmath.log(z)", "cmath.asin(z)", "cmath.atanh(z)"])
def test_ends_of_cuts_are_not_finite(expression):
    k = list(FUNCTIONS).index(expression)
    z = 0j if "log" in expression else 1 + 0j
    forward = autodiff(Forward, chosen, Const(k), Duplicated(z, 1 + 0j), Const(1j))[0]
    reverse = autodiff(ReverseHolomorphic, chosen, Active, Const(k), Active(z), Const(1j))[0][1]
    assert not cmath.isfinite(forward)
    assert not cmath.isfinite(reverse)


@pytest.mark.rotating(1)
def test_second_derivatives_of_a_power_that_is_a_square():
    """Numba multiplies where the exponent is 2: what that leaves out has a part in mixed derivatives."""

    def power(x):
        return (complex(x[0], x[1]) ** complex(x[2], x[3])).real

    def exactly(a, b, c, d):
        return mp.re(mp.power(mp.mpc(a, b), mp.mpc(c, d)))

    for z in ((3.0, 0.0), (-1.0, 0.5), (0.0, 2.0)):
        x = np.array([*z, 2.0, 0.0])
        found = hessian(power)(x)
        orders = np.eye(4, dtype=int)
        expected = [
            [float(mp.diff(exactly, tuple(map(mp.mpf, x)), tuple(map(int, i + j)))) for j in orders]
            for i in orders
        ]
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(
        hessian(power)(np.array([0.0, 0.0, 2.0, 0.0])).diagonal()[:2], [2.0, -2.0]
    )
