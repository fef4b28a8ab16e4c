"""Derivatives of error functions where the formulas with the functions themselves cancel, and of Voigt's profile."""

from __future__ import annotations

import cmath
import math

from numba import njit

from enzyme.frontend.special.from_scipy import FromSciPy
from enzyme.frontend.special.quadrature import GAUSS, GAUSS_WEIGHTS, NODES, WEIGHTS

_SLOPE = 2.0 / math.sqrt(math.pi)
_ROOT_PI = math.sqrt(math.pi)
_erfcx = FromSciPy("erfcx.d")
_dawsn = FromSciPy("dawsn.d")
_wofz = FromSciPy("wofz.z", "z")


@njit(error_model="numpy")
def _scaled_moment(n, x):
    """2 / sqrt(pi) times the integral of (-2 t)^n exp(-t^2 - 2 t x) over t > 0, for x > 0."""
    scale = 1.0 / (1.0 + 2.0 * x)
    total = 0.0
    for k in range(NODES.size):
        t = scale * NODES[k]
        total += WEIGHTS[k] * (-2.0 * t) ** n * math.exp(-t * (t + 2.0 * x))
    return _SLOPE * scale * total


@njit(error_model="numpy")
def erfcx_slope(x):
    return _scaled_moment(1, x) if x > 0.5 else 2.0 * x * _erfcx(x) - _SLOPE


@njit(error_model="numpy")
def erfcx_second_slope(x):
    if x > 0.5:
        return _scaled_moment(2, x)
    return 2.0 * (_erfcx(x) + x * erfcx_slope(x))


@njit(error_model="numpy")
def _far_dawsn(x, second):
    """The asymptotic series of the first or second derivative."""
    r = 1.0 / (x * x)
    term, total = 0.5 * r, 0.0  # (2k + 1)!! / (2^(k+1) x^(2k+2))
    for k in range(40):
        part = term * (2 * k + 2) / x if second else -term
        total += part
        following = term * (2 * k + 3) * 0.5 * r
        if abs(following) >= abs(term) or abs(part) < 1e-18 * abs(total):
            break
        term = following
    return total


@njit(error_model="numpy")
def dawsn_slope(x, second):
    if abs(x) > 7.0:
        return _far_dawsn(x, second)
    slope = 1.0 - 2.0 * x * _dawsn(x)
    return -2.0 * (_dawsn(x) + x * slope) if second else slope


@njit(error_model="numpy")
def mills(x):
    """The density of the normal distribution over its distribution function."""
    return math.sqrt(2.0 / math.pi) / _erfcx(-math.sqrt(0.5) * x)


@njit(error_model="numpy")
def mills_slope(x):
    h = mills(x)
    if x > -1.0:
        return -h * (x + h)
    u = -math.sqrt(0.5) * x
    e = _erfcx(u)
    return erfcx_slope(u) / (math.sqrt(math.pi) * e * e)


@njit(error_model="numpy")
def wofz_derivative(n, z):
    """Derivative number n of wofz, for a point in the upper half of the plane."""
    if abs(z) > 8.0:  # i / sqrt(pi) times the sum of (2k - 1)!! / 2^k / z^(2k + 1)
        r = 1.0 / (z * z)
        term = 1.0 / z + 0.0j
        for k in range(1, n + 1):
            term *= -k / z
        total = 0.0j
        for k in range(40):
            total += term
            j = 2 * k + 1
            following = term * r * (0.5 * j * (j + n) * (j + n + 1) / (j * (j + 1)))
            if abs(following) >= abs(term) or abs(term) < 1e-18 * abs(total):
                break
            term = following
        return total * (1j / _ROOT_PI)
    if (
        n > 0 and abs(z) > 2.0
    ):  # the integral of (i t)^n exp(i z t - t^2 / 4) over t > 0, over sqrt(pi)
        total = 0.0j
        for p in range(8):
            for j in range(GAUSS.size):
                t = 0.8 * (2 * p + 1 + GAUSS[j])
                total += (
                    (0.8 * GAUSS_WEIGHTS[j]) * (1j * t) ** n * cmath.exp((1j * z - 0.25 * t) * t)
                )
        return total / _ROOT_PI
    before = _wofz(z)
    if n == 0:
        return before
    found = -2.0 * z * before + 2j / _ROOT_PI
    for k in range(2, n + 1):
        before, found = found, -2.0 * (z * found + (k - 1) * before)
    return found


@njit(error_model="numpy")
def voigt_slope(x, sigma, gamma, n, imaginary):
    """Derivative number n, in x, of the function of which the profile is the real part."""
    if sigma == 0.0:  # 1j / (pi (x + 1j gamma))
        z = complex(x, gamma)
        made = 1j / (math.pi * z)
        for k in range(1, n + 1):
            made *= -k / z
        return made.imag if imaginary else made.real
    scale = math.sqrt(0.5) / sigma
    found = wofz_derivative(n, complex(x * scale, gamma * scale))
    found *= (scale / _ROOT_PI) * scale**n
    return found.imag if imaginary else found.real


_ORDERS = range(1, 5)
FUNCTIONS = {
    "erfcx_1": (erfcx_slope,),
    "erfcx_2": (erfcx_second_slope,),
    "dawsn_1": (dawsn_slope, 0),
    "dawsn_2": (dawsn_slope, 1),
    "mills": (mills,),
    "mills_1": (mills_slope,),
    **{f"voigt_re_{n}": (voigt_slope, n, 0) for n in _ORDERS},
    **{f"voigt_im_{n}": (voigt_slope, n, 1) for n in _ORDERS},
}
