"""Derivatives of SciPy's functions of a complex number that need more than the functions themselves.

Error functions: by derivatives of `wofz` in the upper half of the plane. Gamma functions: by recurrence, the asymptotic
series and reflection. The dilogarithm: by its series where its formula cancels.
"""

from __future__ import annotations

import cmath
import math

import numpy as np
from numba import njit

from enzyme.frontend.special.error import wofz_derivative
from enzyme.frontend.special.from_scipy import FromSciPy

_HALF_ROOT_PI = 0.5 * math.sqrt(math.pi)
_psi, _gamma, _rgamma = (FromSciPy(f"{name}.z", "z") for name in ("psi", "gamma", "rgamma"))


@njit(error_model="numpy")
def _gauss(z, n):
    """Derivative number n, 1 or 2, of exp(-z^2)."""
    value = cmath.exp(-z * z)
    return -2.0 * z * value if n == 1 else (4.0 * z * z - 2.0) * value


@njit(error_model="numpy")
def wofz_of_complex(z, n):
    if z.imag >= 0.0:
        return wofz_derivative(n, z)
    reflected = wofz_derivative(n, -z)
    return 2.0 * _gauss(z, n) + (reflected if n == 1 else -reflected)


@njit(error_model="numpy")
def erfcx_of_complex(z, n):
    """Of wofz(i z)."""
    found = wofz_of_complex(complex(-z.imag, z.real), n)
    return complex(-found.imag, found.real) if n == 1 else -found


@njit(error_model="numpy")
def dawsn_of_complex(z, n):
    """Of i sqrt(pi) / 2 times exp(-z^2) - wofz(z), an odd function."""
    if z.imag < 0.0:
        found = dawsn_of_complex(-z, n)
        return found if n == 1 else -found
    return 1j * _HALF_ROOT_PI * (_gauss(z, n) - wofz_derivative(n, z))


_BERNOULLI = np.array(
    [1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798]
)


@njit(error_model="numpy")
def _cotangent_slope(z, n):
    """Derivative number n of pi cot(pi z)."""
    if abs(z.imag) > 20.0:
        return 0.0j
    t = math.pi * complex(z.real - round(z.real), z.imag)
    sine, cosine = cmath.sin(t), cmath.cos(t)
    c, square = cosine / sine, 1.0 / (sine * sine)
    if n == 1:
        found = -square
    elif n == 2:
        found = 2.0 * c * square
    elif n == 3:
        found = -2.0 * square * (1.0 + 3.0 * c * c)
    else:
        found = 8.0 * c * square * (2.0 + 3.0 * c * c)
    return math.pi ** (n + 1) * found


@njit(error_model="numpy")
def polygamma_of_complex(z, n):
    """Derivative number n of the digamma function, n from 1 to 4."""
    sign = 1.0 if n % 2 == 1 else -1.0
    if z.real < 0.5:
        return -sign * polygamma_of_complex(1.0 - z, n) - _cotangent_slope(z, n)
    factorial = 1.0
    for k in range(2, n + 1):
        factorial *= k
    total = 0.0j
    while abs(z) < 16.0:
        total += factorial / z ** (n + 1)
        z += 1.0
    r = 1.0 / (z * z)
    term = factorial / z**n
    total += term / n + 0.5 * term / z
    part = term * (n + 1.0) * 0.5 * r  # (2k + n - 1)! / (2k)! / z^(2k + n)
    for k in range(1, _BERNOULLI.size + 1):
        total += _BERNOULLI[k - 1] * part
        j = 2 * k + n
        part *= j * (j + 1.0) / ((2 * k + 1.0) * (2 * k + 2.0)) * r
    return sign * total


@njit(error_model="numpy")
def rgamma_of_complex(z, n):
    """Of 1 / gamma(z); near its zeros as gamma(1 - z) sin(pi z) / pi."""
    if z.real >= 0.5 or abs(z.imag) > 1.0:
        value, p = _rgamma(z), _psi(z)
        return -value * p if n == 1 else value * (p * p - polygamma_of_complex(z, 1))
    turned = 1.0 - z
    g, p = _gamma(turned), _psi(turned)
    whole = round(z.real)
    t = math.pi * complex(z.real - whole, z.imag)
    sign = 1.0 if whole % 2 == 0 else -1.0
    sine, cosine = sign * cmath.sin(t), sign * cmath.cos(t)
    if n == 1:
        return g * (cosine - p * sine / math.pi)
    return g * (
        (p * p + polygamma_of_complex(turned, 1)) * sine / math.pi
        - 2.0 * p * cosine
        - math.pi * sine
    )


@njit(error_model="numpy")
def spence_of_complex(z, n):
    """Derivative number n - 1 of -log(z) / (z - 1)."""
    u = z - 1.0
    if abs(u) > 0.2:
        logarithm = cmath.log(z)
        return -logarithm / u if n == 1 else (logarithm / u - 1.0 / z) / u
    total, power = 0.0j, 1.0 + 0.0j
    for k in range(26):
        total -= power / (k + 1) if n == 1 else -(k + 1) * power / (k + 2)
        power *= -u
    return total


FUNCTIONS = {
    **{f"wofz_{n}.z": (wofz_of_complex, n) for n in (1, 2)},
    **{f"erfcx_{n}.z": (erfcx_of_complex, n) for n in (1, 2)},
    **{f"dawsn_{n}.z": (dawsn_of_complex, n) for n in (1, 2)},
    **{f"psi_{n}.z": (polygamma_of_complex, n) for n in (1, 2, 3, 4)},
    **{f"rgamma_{n}.z": (rgamma_of_complex, n) for n in (1, 2)},
    **{f"spence_{n}.z": (spence_of_complex, n) for n in (1, 2)},
}
