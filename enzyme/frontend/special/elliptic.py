"""Derivatives of elliptic integrals in their parameter, as integrals of the integrand's derivatives.

The integrands are powers of ``1 - m sin^2 = cos^2 + p sin^2`` with p = 1 - m. For small p they are nearly singular at a
quarter of the circle, where the quadrature has its nodes as close as they come; distances from there are exact.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from enzyme.frontend.special.quadrature import GAUSS, GAUSS_WEIGHTS

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
def _nearly_singular(p, start, n, power):
    """The integral from 0 on for small p, over w, where cot(angle) = sqrt(p) sinh(w); it ends at w = start."""
    root = math.sqrt(p)
    end = 42.0 - math.log(root)
    panels = 1 + int(end - start)
    half = 0.5 * (end - start) / panels
    total = 0.0
    for k in range(panels):
        for j in range(GAUSS.size):
            w = start + half * (2 * k + 1 + GAUSS[j])
            cosine = root * math.cosh(w)
            square = 1.0 / (1.0 + (root * math.sinh(w)) ** 2)  # of the sine of the angle
            value = square ** (n + 1) * (square * cosine * cosine) ** power * cosine
            total += half * GAUSS_WEIGHTS[j] * value
    return total


@njit(error_model="numpy")
def _complete(p, n, power):
    if p < 0.0:
        return math.nan
    if p == 0.0 and power < -0.25:
        return math.inf
    if p < 0.1:
        return _nearly_singular(p, 0.0, n, power)
    if p > 4.0:  # steep at 0: the other way round, cos^2 + p sin^2 = p (sin^2 + cos^2 / p)
        bend = math.atan(1.0 / math.sqrt(p))
        return _between(0.0, bend, p, n, power) + _between(bend, 0.5 * math.pi, p, n, power)
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
    p = 1.0 - m
    bend = math.atan(1.0 / math.sqrt(p)) if p > 4.0 else rest
    if 0.0 < p < 0.1 and rest > 0.7:
        part = _nearly_singular(p, math.asinh(1.0 / (math.tan(rest) * math.sqrt(p))), n, power)
    elif bend < rest:
        part = _between(0.0, bend, p, n, power)
        part += _between(bend, rest, p, n, power)
    else:
        part = _between(0.0, rest, p, n, power)
    whole = 0.0 if turns == 0.0 else 2.0 * turns * _complete(p, n, power)
    return whole + sign * part


@njit(error_model="numpy")
def complete_parameter(p, n, second_kind):
    """Derivative number n of ellipk or ellipe."""
    power = 0.5 if second_kind else -0.5
    factor = 1.0
    for k in range(n):
        factor *= k - power
    return factor * _complete(p, n, power - n)


@njit(error_model="numpy")
def incomplete_parameter(phi, m, n, second_kind):
    """Derivative number n in m of ellipkinc or ellipeinc."""
    power = 0.5 if second_kind else -0.5
    factor = 1.0
    for k in range(n):
        factor *= k - power
    return factor * _incomplete(phi, m, n, power - n)


FUNCTIONS = {
    **{f"ellipk_{n}": (complete_parameter, n, 0) for n in (1, 2, 3)},
    **{f"ellipe_{n}": (complete_parameter, n, 1) for n in (1, 2, 3)},
    "ellipkinc_m": (incomplete_parameter, 1, 0),
    "ellipkinc_mm": (incomplete_parameter, 2, 0),
    "ellipeinc_m": (incomplete_parameter, 1, 1),
    "ellipeinc_mm": (incomplete_parameter, 2, 1),
}
