"""The density of the gamma distribution, and the incomplete gamma function's derivatives with respect to `a`.

P(a, x) is the integral of g(t) = t^(a-1) exp(-t) / gamma(a) up to x, and dP/da that of g(t) (log t - digamma(a)), which
changes its sign once: so it is the integral below x where all of it is negative, and minus that above x elsewhere, and
nothing cancels. Both run over log t.
"""

from __future__ import annotations

import math

from numba import njit

from enzyme.frontend.special.quadrature import NODES, WEIGHTS
from enzyme.frontend.special.stirling import (
    digamma_less_log,
    log1p_less,
    stirling_rest,
    trigamma,
)

_LOG_TWO_PI = 1.8378770664093453


@njit(error_model="numpy")
def _log_scale(a):
    """The logarithm of t g(t) at t = a."""
    return 0.5 * (math.log(a) - _LOG_TWO_PI) - stirling_rest(a)


@njit(error_model="numpy")
def _log_times(a, z):
    """The logarithm of t g(t) at t = a exp(z), less that at t = a."""
    if z < 0.1:
        return a * (z - math.expm1(z))
    return a * log1p_less(math.expm1(z))


@njit(error_model="numpy")
def gamma_density(a, x):
    """t^(a-1) exp(-t) / gamma(a) at t = x."""
    if not (a > 0.0 and x >= 0.0):
        return math.nan
    if x == 0.0:
        return 0.0 if a > 1.0 else 1.0 if a == 1.0 else math.inf
    if x == math.inf:
        return 0.0
    if a < 10.0:
        return math.exp((a - 1.0) * math.log(x) - x - math.lgamma(a))
    ratio = x / a
    if abs(x - a) < 0.3 * a:
        return math.exp(_log_scale(a) + a * log1p_less((x - a) / a)) / x
    return math.exp(_log_scale(a) + a * (math.log(ratio) + 1.0) - x) / x


@njit(error_model="numpy")
def gammainc_parameter(a, x, second):
    if not (a > 0.0 and x >= 0.0):
        return math.nan
    if x == 0.0 or x == math.inf:
        return 0.0
    if (
        a < 1.0 and x < 2.0
    ):  # P(a, x) - P(a + 1, x) is t g(t) / a, where the integral would have a long plateau
        log = math.log(x / (a + 1.0)) - digamma_less_log(a + 1.0)
        weight = log * log - trigamma(a + 1.0) if second else log
        return _by_quadrature(a + 1.0, x, second) + gamma_density(a + 1.0, x) * weight
    return _by_quadrature(a, x, second)


@njit(error_model="numpy")
def _by_quadrature(a, x, second):
    end = math.log(x / a)
    mean = digamma_less_log(a)
    spread = trigamma(a) if second else 0.0
    below = end < mean
    step = (-1.0 if below else 1.0) / (abs(x - a) + math.sqrt(a))
    scale = _log_scale(a)
    total = 0.0
    for k in range(NODES.size):
        z = end + step * NODES[k]
        if z > 700.0:
            break
        log = z - mean
        weight = log * log - spread if second else log
        total += WEIGHTS[k] * (weight * math.exp(scale + _log_times(a, z)))
    return -step * total


FUNCTIONS = {
    "gamma_density": (gamma_density,),
    "gammainc_a": (gammainc_parameter, 0),
    "gammainc_aa": (gammainc_parameter, 1),
}
