"""Differences of digamma, moments of exponentials and logarithms, the arithmetic-geometric mean: what cancels in
plain formulas.
"""

from __future__ import annotations

import math

from numba import njit

from enzyme.frontend.special.from_scipy import FromSciPy
from enzyme.frontend.special.stirling import digamma

_psi = FromSciPy("psi.d")
# B(2k) / (2k), of the asymptotic series of digamma
_SERIES = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)


@njit(error_model="numpy")
def digamma_difference(a, b):
    """digamma(a + b) - digamma(a)."""
    if not (a > 0.0 and a + b > 0.0):
        return _psi(a + b) - _psi(a)
    if abs(b) > 0.5 * a:
        return digamma(a + b) - digamma(a)
    total = 0.0
    while a < 12.0:
        total += b / (a * (a + b))
        a += 1.0
    u, w = 1.0 / (a + b), 1.0 / a
    step = -b * u * w  # u - w
    x, y = u * u, w * w
    value, slope = 0.0, 0.0  # of the series at y, and of its divided difference
    for k in range(len(_SERIES) - 1, -1, -1):
        slope = slope * x + value
        value = value * y + _SERIES[k]
    slope = slope * x + value
    tail = step * (u + w) * slope
    return math.log1p(b * w) - 0.5 * step - tail + total


@njit(error_model="numpy")
def exp_moment(u, n):
    """The integral of s^n exp(u s) over (0, 1)."""
    if abs(u) > n + 3.0:
        grown = math.exp(u)
        made = math.expm1(u) / u
        for k in range(1, n + 1):
            made = (grown - k * made) / u
        return made
    if u < 0.0:  # exp(u) times the integral of (1 - s)^n exp(-u s), a series without signs
        term = 1.0 / (n + 1)
        total = term
        k = 1
        while term > 1e-18 * total:
            term *= -u / (n + 1 + k)
            total += term
            k += 1
        return math.exp(u) * total
    term, total, k = 1.0, 1.0 / (n + 1), 1
    while term > 1e-19 * total:
        term *= u / k
        total += term / (n + k + 1)
        k += 1
    return total


@njit(error_model="numpy")
def log1p_moment(u, n):
    """The integral of s^n / (1 + u s)^(n + 1) over (0, 1)."""
    if u < -1.0:
        return math.nan
    if u == -1.0:
        return math.inf
    z = u / (1.0 + u)  # the integral is that of t^n / (1 - t) from 0 to z, over u^(n + 1)
    if not -0.45 < u < 2.0:
        if u == math.inf:
            return 0.0
        total = math.log1p(u)
        power = 1.0
        for k in range(1, n + 1):
            power *= z
            total -= power / k
        return total / u ** (n + 1)
    term, total, k = 1.0, 1.0 / (n + 1), 1
    while abs(term) > 1e-18:
        term *= z
        total += term / (n + k + 1)
        k += 1
    return total / (1.0 + u) ** (n + 1)


@njit(error_model="numpy")
def agm_parameter(a, b, second):
    """The first or second derivative of the mean in `a`, by those of its iteration."""
    if a * b <= 0.0:
        return math.nan
    a1, b1, a2, b2 = 1.0, 0.0, 0.0, 0.0
    sign = math.copysign(1.0, a)
    a, b = abs(a), abs(b)
    for _ in range(40):
        root = math.sqrt(a) * math.sqrt(b)
        u, w = a1 / a, b1 / b
        half = 0.5 * (u + w)
        root1 = root * half
        root2 = root * (half * half + 0.5 * (a2 / a - u * u + b2 / b - w * w))
        a, a1, a2 = 0.5 * (a + b), 0.5 * (a1 + b1), 0.5 * (a2 + b2)
        b, b1, b2 = root, root1, root2
        if abs(a - b) < 1e-17 * a and abs(a1 - b1) < 1e-17 and abs(a2 - b2) < 1e-17 * abs(a2):
            break
    return sign * a2 if second else a1


_ORDERS = range(5)
FUNCTIONS = {
    "digamma_difference": (digamma_difference,),
    **{f"exp_moment_{n}": (exp_moment, n) for n in _ORDERS},
    **{f"log1p_moment_{n}": (log1p_moment, n) for n in _ORDERS},
    "agm_a": (agm_parameter, 0),
    "agm_aa": (agm_parameter, 1),
}
