"""Digamma, trigamma, and what Stirling's formula leaves of log-gamma: the parts of densities that do not cancel."""

from __future__ import annotations

import math

from numba import njit

_HALF_LOG_TWO_PI = 0.9189385332046727


@njit(error_model="numpy")
def stirling_rest(a):
    """The logarithm of gamma(a), less ((a - 1/2) log a - a + log(2 pi) / 2)."""
    if a < 10.0:
        return math.lgamma(a) - ((a - 0.5) * math.log(a) - a + _HALF_LOG_TWO_PI)
    r = 1.0 / (a * a)
    tail = 1 / 156 - r * (3617 / 122400)
    tail = -691 / 360360 + r * tail
    tail = 1 / 1188 + r * tail
    tail = -1 / 1680 + r * tail
    tail = 1 / 1260 + r * tail
    tail = -1 / 360 + r * tail
    return (1 / 12 + r * tail) / a


@njit(error_model="numpy")
def digamma_less_log(a):
    """digamma(a) - log(a), without cancellation for large a; nan where a is not positive."""
    if not a > 0.0:
        return math.nan
    low = 0.0
    z = a
    while z < 12.0:
        low += 1.0 / z
        z += 1.0
    r = 1.0 / (z * z)
    tail = -1 / 12 + r * (3617 / 8160)
    tail = 691 / 32760 + r * tail
    tail = -1 / 132 + r * tail
    tail = 1 / 240 + r * tail
    tail = -1 / 252 + r * tail
    tail = 1 / 120 + r * tail
    tail = -1 / 12 + r * tail
    return -0.5 / z + r * tail - low + (math.log(z / a) if z > a else 0.0)


@njit(error_model="numpy")
def digamma(a):
    """For a > 0; elsewhere nan."""
    return math.log(a) + digamma_less_log(a)


@njit(error_model="numpy")
def trigamma(a):
    """For a > 0; elsewhere nan."""
    if not a > 0.0:
        return math.nan
    low = 0.0
    z = a
    while z < 15.0:
        low += 1.0 / (z * z)
        z += 1.0
    i = 1.0 / z
    r = i * i
    tail = 7 / 6 - r * (3617 / 510)
    tail = -691 / 2730 + r * tail
    tail = 5 / 66 + r * tail
    tail = -1 / 30 + r * tail
    tail = 1 / 42 + r * tail
    tail = -1 / 30 + r * tail
    tail = 1 / 6 + r * tail
    return i * (1.0 + 0.5 * i + r * tail) + low


@njit(error_model="numpy")
def log1p_less(u):
    """log(1 + u) - u."""
    if abs(u) > 0.15:
        return math.log1p(u) - u
    s = u / (2.0 + u)  # log(1 + u) is twice the inverse hyperbolic tangent of s
    q = s * s
    total = 0.0
    for k in range(12, 0, -1):
        total = q * (total + 1.0 / (2 * k + 1))
    return 2.0 * s * total - s * u
