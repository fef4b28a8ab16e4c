"""Derivatives of Bessel functions in their order.

Schlaefli's integrals are differentiated under the integral sign. With x > 0 and any t0 >= 0,

    pi J(v, x) = Re of the integral over s from 0 to pi of exp(x sinh(t0 + i s) - v (t0 + i s))
                 - sin(v pi) times that over t from t0 on of exp(-x sinh(t) - v t)

and the same for I with cosh in place of sinh, in both. Where v > x the place t0 of the saddle makes all of the first
integrand as small as the function; so nothing cancels. Y is an integral of a wave and one of exponentials, K one of
cosh(v t) exp(-x cosh(t)). Scaled functions have exp(-x), exp(x) in the integrand.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from enzyme.frontend.special.quadrature import GAUSS, GAUSS_WEIGHTS


@njit(error_model="numpy")
def first_kind(v, x, k, modified, scaled):
    """Derivative number k in v of J(v, x), or of I(v, x) or exp(-x) I(v, x)."""
    if math.isnan(v) or not x > 0.0:
        return (0.0 if v > 0.0 else math.nan) if x == 0.0 else math.nan
    if modified:
        start = math.asinh(v / x) if v > 0.0 else 0.0
        even, odd = math.cosh(start), math.sinh(start)
        less = x if scaled else 0.0
    else:
        start = math.acosh(v / x) if v > x else 0.0
        even, odd = math.sinh(start), math.cosh(start)
        less = 0.0
    reach = v * start
    panels = 2 + int((abs(v) + x * odd + math.sqrt(x * even + 1.0) * 4.0) / 12.0)
    total = 0.0
    half = 0.5 * math.pi / panels
    for p in range(panels):
        for j in range(GAUSS.size):
            s = half * (2 * p + 1 + GAUSS[j])
            size = x * even * math.cos(s) - reach - less
            phase = x * odd * math.sin(s) - v * s
            # the factor (-(t0 + i s))^k
            if k == 0:
                part = math.cos(phase)
            elif k == 1:
                part = -start * math.cos(phase) + s * math.sin(phase)
            else:
                part = (start * start - s * s) * math.cos(phase) - 2.0 * start * s * math.sin(phase)
            total += half * GAUSS_WEIGHTS[j] * part * math.exp(size)
    sine, cosine = _turn(v)
    if sine == 0.0 and k == 0:
        return total / math.pi
    # Derivatives of sin(v pi) times an exponential of v.
    end = _far(v, x, start, modified)
    panels = 10 + int(2.0 * (end - start))
    half = 0.5 * (end - start) / panels
    rest = 0.0
    for p in range(panels):
        for j in range(GAUSS.size):
            t = start + half * (2 * p + 1 + GAUSS[j])
            value = half * GAUSS_WEIGHTS[j] * math.exp(-_fall(v, x, t, modified) - less)
            if k == 0:
                factor = sine
            elif k == 1:
                factor = math.pi * cosine - t * sine
            else:
                factor = (t * t - math.pi * math.pi) * sine - 2.0 * math.pi * t * cosine
            rest += value * factor
    return (total - rest) / math.pi


@njit(error_model="numpy")
def _fall(v, x, t, modified):
    return x * (math.cosh(t) if modified else math.sinh(t)) + v * t


@njit(error_model="numpy")
def _far(v, x, start, modified):
    """From here on exp(-_fall) adds nothing to its integral from `start` on."""
    least = _fall(v, x, start, modified)
    step = 1.0 / (1.0 + x + abs(v))
    while True:
        t = start + step
        if _fall(v, x, t, modified) > least + 60.0 and x * math.cosh(t) > 1.0 - v:
            return t
        least = min(least, _fall(v, x, t, modified))
        step *= 1.25


@njit(error_model="numpy")
def _turn(v):
    """The sine and cosine of v pi."""
    whole = np.rint(v)
    half = 0.5 * whole
    sign = 1.0 if half == math.floor(half) else -1.0
    angle = (v - whole) * math.pi
    return sign * math.sin(angle), sign * math.cos(angle)


@njit(error_model="numpy")
def _end(v, x, modified):
    """From here on exp(v t - x sinh(t)), or with cosh, adds nothing."""
    v = abs(v)
    t = 1.0 / (1.0 + x)
    peak = max(v * math.asinh(v / x) - (math.hypot(v, x) if modified else v), 0.0)
    while True:
        fall = v * t - x * (math.cosh(t) if modified else math.sinh(t))
        if fall < peak - (x if modified else 0.0) - 60.0 and x * math.cosh(t) > v + 1.0:
            return t
        t *= 1.1


@njit(error_model="numpy")
def second_kind(v, x, k):
    """Derivative number k in v of Y(v, x)."""
    if math.isnan(v) or not x > 0.0:
        return math.nan
    panels = 2 + int((abs(v) + x) / 12.0)
    half = 0.5 * math.pi / panels
    wave = 0.0
    for p in range(panels):
        for j in range(GAUSS.size):
            s = half * (2 * p + 1 + GAUSS[j])
            phase = x * math.sin(s) - v * s
            if k == 0:
                part = math.sin(phase)
            elif k == 1:
                part = -s * math.cos(phase)
            else:
                part = -s * s * math.sin(phase)
            wave += half * GAUSS_WEIGHTS[j] * part
    sine, cosine = _turn(v)
    end = _end(v, x, False)
    panels = 8 + int(end * (2.0 + math.sqrt(abs(v))))
    half = 0.5 * end / panels
    fall = 0.0
    for p in range(panels):
        for j in range(GAUSS.size):
            t = half * (2 * p + 1 + GAUSS[j])
            down = x * math.sinh(t)
            up, low = math.exp(v * t - down), math.exp(-v * t - down)
            if k == 0:
                part = up + low * cosine
            elif k == 1:
                part = t * up - low * (t * cosine + math.pi * sine)
            else:
                turned = (t * t - math.pi * math.pi) * cosine + 2.0 * math.pi * t * sine
                part = t * t * up + low * turned
            fall += half * GAUSS_WEIGHTS[j] * part
    return (wave - fall) / math.pi


@njit(error_model="numpy")
def macdonald(v, x, k, scaled):
    """Derivative number k in v of K(v, x) or exp(x) K(v, x)."""
    if math.isnan(v) or not x > 0.0:
        return math.nan
    end = _end(v, x, True)
    panels = 8 + int(end * (2.0 + math.sqrt(abs(v) + x)))
    half = 0.5 * end / panels
    less = 0.0 if scaled else x
    total = 0.0
    for p in range(panels):
        for j in range(GAUSS.size):
            t = half * (2 * p + 1 + GAUSS[j])
            down = 2.0 * x * math.sinh(0.5 * t) ** 2 + less
            up, low = math.exp(v * t - down), math.exp(-v * t - down)
            part = t * (up - low) if k == 1 else t**k * (up + low)
            total += half * GAUSS_WEIGHTS[j] * part
    return 0.5 * total


FUNCTIONS = {
    **{f"{name}_v": (first_kind, 1, 0, 0) for name in ("jv", "jve")},
    **{f"{name}_vv": (first_kind, 2, 0, 0) for name in ("jv", "jve")},
    **{f"{name}_v": (second_kind, 1) for name in ("yv", "yve")},
    **{f"{name}_vv": (second_kind, 2) for name in ("yv", "yve")},
    "iv_v": (first_kind, 1, 1, 0),
    "iv_vv": (first_kind, 2, 1, 0),
    "ive_v": (first_kind, 1, 1, 1),
    "ive_vv": (first_kind, 2, 1, 1),
    "kv_v": (macdonald, 1, 0),
    "kv_vv": (macdonald, 2, 0),
    "kve_v": (macdonald, 1, 1),
    "kve_vv": (macdonald, 2, 1),
}
