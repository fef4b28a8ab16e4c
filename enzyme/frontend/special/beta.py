"""The density of the beta distribution, and the incomplete beta function's derivatives with respect to `a` and `b`.

As for the incomplete gamma function (`special.gamma`): derivatives are integrals of the density times log t less its
mean, or log(1 - t) less its mean, on the side of x where this has one sign. They run over v = log(t / (1 - t)), where
the density falls off as exp(a v) to the left and exp(-b v) to the right. Between x and the place where this begins the
integral is finite; where it falls off slowly, this begins far out.
"""

from __future__ import annotations

import math

from numba import njit

from enzyme.frontend.special.quadrature import FINITE_WEIGHTS, FROM_LEFT, NODES, WEIGHTS
from enzyme.frontend.special.stirling import digamma_less_log, stirling_rest, trigamma

_LOG_TWO_PI = 1.8378770664093453


@njit(error_model="numpy")
def _log_scale(a, b):
    """The logarithm of t^a (1 - t)^b / B(a, b) at its mode, t = a / (a + b)."""
    n = a + b
    return (
        0.5 * (math.log(a) + math.log(b / n) - _LOG_TWO_PI)
        + stirling_rest(n)
        - stirling_rest(a)
        - stirling_rest(b)
    )


@njit(error_model="numpy")
def _logs(z, mode):
    """log(t / mode) and log((1 - t) / (1 - mode)) where v is that of the mode plus z."""
    if z < 0.0:
        right = -math.log1p(mode * math.expm1(z))
        return z + right, right
    left = -math.log1p((1.0 - mode) * math.expm1(-z))
    return left, left - z


@njit(error_model="numpy")
def beta_density(a, b, x):
    """x^(a-1) (1 - x)^(b-1) / B(a, b)."""
    if not (a > 0.0 and b > 0.0 and 0.0 <= x <= 1.0):
        return math.nan
    if x == 0.0:
        return 0.0 if a > 1.0 else b if a == 1.0 else math.inf
    if x == 1.0:
        return 0.0 if b > 1.0 else a if b == 1.0 else math.inf
    if a < 10.0 or b < 10.0:
        n = a + b
        if n < 150.0:
            head = math.lgamma(n) - math.lgamma(a) - math.lgamma(b)
            return math.exp((a - 1.0) * math.log(x) + (b - 1.0) * math.log1p(-x) + head)
    left, right = _logs(math.log(x / (1.0 - x)) - math.log(a / b), a / (a + b))
    return math.exp(_log_scale(a, b) + a * left + b * right) / (x * (1.0 - x))


@njit(error_model="numpy", inline="always")
def _term(a, b, mode, scale, means, corrections, kind, z):
    left, right = _logs(z, mode)
    wa, wb = left - means[0], right - means[1]
    if kind == 0:
        weight = wa
    elif kind == 1:
        weight = wb
    elif kind == 2:
        weight = wa * wa - corrections[0]
    elif kind == 3:
        weight = wa * wb - corrections[1]
    else:
        weight = wb * wb - corrections[2]
    return weight * math.exp(scale + a * left + b * right)


@njit(error_model="numpy")
def betainc_parameter(a, b, x, kind):
    if not (a > 0.0 and b > 0.0 and 0.0 <= x <= 1.0):
        return math.nan
    if x == 0.0 or x == 1.0:
        return 0.0
    n = a + b
    mode = a / n
    mode_at = math.log(a / b)
    z = math.log(x / (1.0 - x)) - mode_at
    scale = _log_scale(a, b)
    mean = digamma_less_log(n)
    means = digamma_less_log(a) - mean, digamma_less_log(b) - mean
    corrections = (0.0, 0.0, 0.0)
    if kind > 1:
        spread = trigamma(n)
        corrections = (trigamma(a) - spread, -spread, trigamma(b) - spread)
    left, right = _logs(z, mode)
    below = right > means[1] if kind == 1 or kind == 4 else left < means[0]
    outwards = -1.0 if below else 1.0
    total = 0.0
    rate = a if below else b
    bend = math.log(max(a, 1.0) / max(b, 1.0)) - mode_at
    length = max((bend - z) * outwards, 0.0)
    for piece in range(
        3
    ):  # to the bend, and where it falls off slowly to where nothing bends any more
        if piece > 0:
            length = (6.0 if piece == 1 else 34.0) if rate < 1.0 else 0.0
        if length > 0.0:
            for k in range(FROM_LEFT.size):
                at = z + outwards * length * FROM_LEFT[k]
                part = _term(a, b, mode, scale, means, corrections, kind, at)
                total += length * FINITE_WEIGHTS[k] * part
            z += outwards * length
    if rate < 1.0:
        step = outwards / rate
    else:
        t = mode * math.exp(_logs(z, mode)[0])
        step = outwards / (abs(a * (1.0 - t) - b * t) + math.sqrt(a * (b / n)))
    for k in range(NODES.size):
        part = _term(a, b, mode, scale, means, corrections, kind, z + step * NODES[k])
        total += abs(step) * WEIGHTS[k] * part
    return -outwards * total


FUNCTIONS = {
    "beta_density": (beta_density,),
    "betainc_a": (betainc_parameter, 0),
    "betainc_b": (betainc_parameter, 1),
    "betainc_aa": (betainc_parameter, 2),
    "betainc_ab": (betainc_parameter, 3),
    "betainc_bb": (betainc_parameter, 4),
}
