"""The density of Student's t distribution, and the derivatives of the distribution function with respect to `df`.

The logarithmic derivative of the density in `df` is positive around 0 and negative far out, and what it integrates to
on both together is zero: so it is integrated from 0 to t, or from t on, whichever has one sign. Integrals run over w,
t = sqrt(df) sinh(w), in which the density falls off as exp(-df w).
"""

from __future__ import annotations

import math

from numba import njit

from enzyme.frontend.special.quadrature import FINITE_WEIGHTS, FROM_LEFT, NODES, WEIGHTS
from enzyme.frontend.special.stirling import digamma, log1p_less, stirling_rest, trigamma

_HALF_LOG_TWO_PI = 0.9189385332046727


@njit(error_model="numpy")
def _log_scale(df):
    """The logarithm of the density at 0."""
    h = 0.5 * df
    head = stirling_rest(h + 0.5) - stirling_rest(h)
    return h * log1p_less(0.5 / h) + head - _HALF_LOG_TWO_PI


@njit(error_model="numpy")
def _slope_of_scale(df):
    """The derivative of the logarithm of the density at 0, times two."""
    if df < 40.0:
        return digamma(0.5 * (df + 1.0)) - digamma(0.5 * df) - 1.0 / df
    r = 1.0 / (df * df)
    return r * (0.5 + r * (-0.25 + r * (0.5 + r * (-17 / 8 + r * (31 / 2 - r * (691 / 4))))))


@njit(error_model="numpy")
def _second_slope_of_scale(df):
    if df < 40.0:
        return 0.5 * (trigamma(0.5 * (df + 1.0)) - trigamma(0.5 * df)) + 1.0 / (df * df)
    r = 1.0 / (df * df)
    tail = -1.0 + r * (1.0 + r * (-3.0 + r * (17.0 - r * (155.0 - r * 2073.0))))
    return tail * r / df


@njit(error_model="numpy")
def student_density(df, t):
    if not df > 0.0:
        return math.nan
    u = t * (t / df)
    return math.exp(_log_scale(df) - 0.5 * (df + 1.0) * math.log1p(u))


@njit(error_model="numpy")
def student_slope(df, t):
    """The derivative of the logarithm of the density with respect to `df`."""
    u = t * (t / df)
    if u == math.inf:
        return -math.inf
    q = u / (1.0 + u)
    return 0.5 * (_slope_of_scale(df) - log1p_less(u) - u * q + q / df)


@njit(error_model="numpy")
def student_slope_df(df, t):
    """The derivative of `student_slope` with respect to `df`."""
    u = t * (t / df)
    return _slope_df(df, 1.0 if u == math.inf else u / (1.0 + u), 1.0 / (1.0 + u))


@njit(error_model="numpy")
def _slope_df(df, q, rest):
    """The same in terms of q = u / (1 + u) and of 1 - q."""
    # of -log(1 + u) + (1 + 1 / df) q, where u and q fall as u / df and q rest / df
    moved = q - (1.0 + 1.0 / df) * q * rest
    return 0.5 * (_second_slope_of_scale(df) + (moved - q / df) / df)


@njit(error_model="numpy")
def _term(df, scale, w, second):
    """The integrand at t = sqrt(df) sinh(w); far out sinh(w) overflows, and t is not asked for."""
    if w < 1.0:
        t = math.sqrt(df) * math.sinh(w)
        fall = 0.5 * math.log1p(math.sinh(w) ** 2)  # log(cosh(w))
        slope, slope_df = student_slope(df, t), student_slope_df(df, t) if second else 0.0
    else:
        fall = w + math.log1p(math.exp(-2.0 * w)) - 0.6931471805599453
        q = math.tanh(w) ** 2
        slope = 0.5 * (_slope_of_scale(df) - 2.0 * fall + q + q / df)
        slope_df = _slope_df(df, q, 1.0 / math.cosh(min(w, 300.0)) ** 2) if second else 0.0
    weight = slope * slope + slope_df if second else slope
    value = math.exp(scale - df * fall)
    return weight * value if value > 0.0 else 0.0


@njit(error_model="numpy")
def stdtr_parameter(df, t, second):
    if not df > 0.0 or math.isnan(t):
        return math.nan
    if t == 0.0 or math.isinf(t) or df == math.inf:
        return 0.0
    sign = math.copysign(1.0, t)
    root = math.sqrt(df)
    end = math.asinh(abs(t) / root)
    scale = _log_scale(df) + math.log(root)
    total = 0.0
    if student_slope(df, t) > 0.0:
        for k in range(FROM_LEFT.size):
            total += end * FINITE_WEIGHTS[k] * _term(df, scale, end * FROM_LEFT[k], second)
        return sign * total
    step = 1.0 / (df * math.tanh(end) + root)
    for k in range(NODES.size):
        total += step * WEIGHTS[k] * _term(df, scale, end + step * NODES[k], second)
    return -sign * total


FUNCTIONS = {
    "student_density": (student_density,),
    "student_slope": (student_slope,),
    "student_slope_df": (student_slope_df,),
    "stdtr_df": (stdtr_parameter, 0),
    "stdtr_dfdf": (stdtr_parameter, 1),
}
