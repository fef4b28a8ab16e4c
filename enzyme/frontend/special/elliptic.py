"""Derivatives of elliptic integrals in their parameter, as integrals of the integrand's derivatives.

The integrands are powers of ``1 - m sin^2 = cos^2 + p sin^2`` with p = 1 - m. For small p they are nearly singular at a
quarter of the circle, where the quadrature has its nodes as close as they come; distances from there are exact.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

_STEP = 1.0 / 32.0
_T = np.arange(-4.0, 4.0 + _STEP / 2, _STEP)
_E = np.exp(-np.pi * np.sinh(_T))
_LEFT = 1.0 / (1.0 + _E)
_RIGHT = 1.0 / (1.0 + 1.0 / _E)
_WEIGHTS = _STEP * np.pi * np.cosh(_T) * _LEFT * _RIGHT


@njit(error_model="numpy")
def _between(low, high, p, n, power):
    """The integral of sin^(2n) (cos^2 + p sin^2)^power from `low` to `high`, at most a quarter of the circle."""
    length = high - low
    total = 0.0
    for k in range(_LEFT.size):
        if high == 0.5 * math.pi:
            rest = length * _RIGHT[k]
            s, c = math.cos(rest), math.sin(rest)
        else:
            angle = low + length * _LEFT[k]
            s, c = math.sin(angle), math.cos(angle)
        square = s * s
        total += _WEIGHTS[k] * square**n * (c * c + p * square) ** power
    return length * total


@njit(error_model="numpy")
def _complete(p, n, power):
    if p < 0.0:
        return math.nan
    if p == 0.0 and power < -0.25:
        return math.inf
    if p > 4.0:  # steep at 0: the other way round, cos^2 + p sin^2 = p (sin^2 + cos^2 / p)
        bend = math.atan(1.0 / math.sqrt(p))
        return _between(0.0, bend, p, n, power) + _between(
            bend, 0.5 * math.pi, p, n, power
        )
    return _between(0.0, 0.5 * math.pi, p, n, power)


@njit(error_model="numpy")
def _incomplete(phi, m, n, power):
    if math.isnan(phi) or math.isnan(m) or math.isinf(phi):
        return math.nan
    turns = np.rint(phi / math.pi)
    rest = abs(phi - turns * math.pi)
    sign = math.copysign(1.0, phi - turns * math.pi)
    if m * math.sin(rest) ** 2 > 1.0:
        return math.nan
    bend = math.atan(1.0 / math.sqrt(1.0 - m)) if m < -3.0 else rest
    if bend < rest:
        part = _between(0.0, bend, 1.0 - m, n, power)
        part += _between(bend, rest, 1.0 - m, n, power)
    else:
        part = _between(0.0, rest, 1.0 - m, n, power)
    whole = 0.0 if turns == 0.0 else 2.0 * turns * _complete(1.0 - m, n, power)
    return whole + sign * part


@njit(error_model="numpy")
def ellipk_1(p):
    return 0.5 * _complete(p, 1, -1.5)


@njit(error_model="numpy")
def ellipk_2(p):
    return 0.75 * _complete(p, 2, -2.5)


@njit(error_model="numpy")
def ellipk_3(p):
    return 1.875 * _complete(p, 3, -3.5)


@njit(error_model="numpy")
def ellipe_1(p):
    return -0.5 * _complete(p, 1, -0.5)


@njit(error_model="numpy")
def ellipe_2(p):
    return -0.25 * _complete(p, 2, -1.5)


@njit(error_model="numpy")
def ellipe_3(p):
    return -0.375 * _complete(p, 3, -2.5)


@njit(error_model="numpy")
def ellipkinc_m(phi, m):
    return 0.5 * _incomplete(phi, m, 1, -1.5)


@njit(error_model="numpy")
def ellipkinc_mm(phi, m):
    return 0.75 * _incomplete(phi, m, 2, -2.5)


@njit(error_model="numpy")
def ellipeinc_m(phi, m):
    return -0.5 * _incomplete(phi, m, 1, -0.5)


@njit(error_model="numpy")
def ellipeinc_mm(phi, m):
    return -0.25 * _incomplete(phi, m, 2, -1.5)


FUNCTIONS = {
    "ellipk_1": ellipk_1,
    "ellipk_2": ellipk_2,
    "ellipk_3": ellipk_3,
    "ellipe_1": ellipe_1,
    "ellipe_2": ellipe_2,
    "ellipe_3": ellipe_3,
    "ellipkinc_m": ellipkinc_m,
    "ellipkinc_mm": ellipkinc_mm,
    "ellipeinc_m": ellipeinc_m,
    "ellipeinc_mm": ellipeinc_mm,
}
