"""Derivatives of hypergeometric functions in their parameters, by Euler's integrals.

``hyp2f1(a, b, c, x)`` is the mean of (1 - x t)^(-b) over t with the beta distribution of a and c - a, and
``hyp1f1(a, b, x)`` that of exp(x t) with a and b - a. `hyperu(a, b, x)` is an integral of
exp(-x t) t^(a-1) (1 + t)^(b-a-1) over t > 0.
"""

from __future__ import annotations

import math

from numba import njit

from enzyme.frontend.special.quadrature import GAUSS, GAUSS_WEIGHTS, NODES, WEIGHTS
from enzyme.frontend.special.stirling import digamma

# Below that the parts of the integral cancel.
LEAST = 1e-4


@njit(error_model="numpy")
def _part(of, kind, a, rest, other, x, v):
    """The integrand at v = log(t / (1 - t)); `of` is 1 or 2, for hyp1f1 and hyp2f1."""
    if v > 0.0:
        e = math.exp(-v)
        left, right = -math.log1p(e), -v - math.log1p(e)
    else:
        e = math.exp(v)
        left, right = v - math.log1p(e), -math.log1p(e)
    if of == 1:
        power, log = x * math.exp(left), 0.0
    else:
        # 1 - x t = (1 - t) + (1 - x) t
        log = (
            math.log1p(-x * math.exp(left))
            if x < 0.5
            else math.log(math.exp(right) + (1.0 - x) * math.exp(left))
        )
        power = -other * log
    density = math.exp(a * left + rest * right + power)
    if density == 0.0:
        return 0.0
    if kind == 0:  # in the exponent `other` of hyp2f1
        weight = -log
    elif kind == 1:  # in a, at constant a + rest
        weight = left - right - digamma(a) + digamma(rest)
    else:  # in a + rest
        weight = right - digamma(rest) + digamma(a + rest)
    return weight * density


@njit(error_model="numpy")
def _mean(of, kind, a, rest, other, x):
    if not (a > LEAST and rest > LEAST) or (of == 2 and not x < 1.0):
        return math.nan
    scale = math.exp(math.lgamma(a + rest) - math.lgamma(a) - math.lgamma(rest))
    middle = math.log(a / rest)
    step = 1.0 / math.sqrt(a * rest / (a + rest) + 0.1)
    bend = 0.0
    if of == 2 and x < 0.0:
        bend = -math.log(-x)
    elif of == 2:
        bend = -math.log1p(-x)
    first, last = min(middle, bend), max(middle, bend)
    # The density falls off as exp(-a |v|) on one side, as exp(-rest |v|) on the other.
    before, behind = max(step, 1.0 / a), max(step, 1.0 / rest)
    total = 0.0
    for k in range(NODES.size):
        total += before * WEIGHTS[k] * _part(of, kind, a, rest, other, x, first - before * NODES[k])
        total += behind * WEIGHTS[k] * _part(of, kind, a, rest, other, x, last + behind * NODES[k])
    if last > first:
        panels = 4 + int((last - first) / step)
        half = 0.5 * (last - first) / panels
        for p in range(panels):
            for j in range(GAUSS.size):
                v = first + half * (2 * p + 1 + GAUSS[j])
                total += half * GAUSS_WEIGHTS[j] * _part(of, kind, a, rest, other, x, v)
    return scale * total


@njit(error_model="numpy")
def hyp2f1_parameter(a, b, c, x, in_c):
    """In the first parameter, or in the third."""
    if c > b and b > 0.0:
        return _mean(2, 2 if in_c else 0, b, c - b, a, x)
    return _mean(2, 2 if in_c else 1, a, c - a, b, x)


@njit(error_model="numpy")
def hyp1f1_parameter(a, b, x, in_b):
    return _mean(1, 2 if in_b else 1, a, b - a, 0.0, x)


@njit(error_model="numpy")
def _hyperu_part(a, b, x, in_b, v):
    if v > 300.0:
        return 0.0
    t = math.exp(v)
    grown = math.log1p(t)
    density = math.exp(a * v - x * t + (b - a - 1.0) * grown)
    weight = grown if in_b else v - grown - digamma(a)
    return weight * density if density > 0.0 else 0.0


@njit(error_model="numpy")
def hyperu_parameter(a, b, x, in_b):
    if not (a > LEAST and x > 0.0):
        return math.nan
    scale = 1.0 / math.gamma(a)
    first = min(0.0, math.log(max(a, 1.0) / x))
    last = max(0.0, math.log(max(a, b - 1.0, 1.0) / x))
    step = 1.0 / math.sqrt(a + 0.1)
    before = max(step, 1.0 / a)
    total = 0.0
    for k in range(NODES.size):
        total += before * WEIGHTS[k] * _hyperu_part(a, b, x, in_b, first - before * NODES[k])
        total += step * WEIGHTS[k] * _hyperu_part(a, b, x, in_b, last + step * NODES[k])
    if last > first:
        panels = 2 + int(2.0 * (last - first) / min(step, 1.0))
        half = 0.5 * (last - first) / panels
        for p in range(panels):
            for j in range(GAUSS.size):
                v = first + half * (2 * p + 1 + GAUSS[j])
                total += half * GAUSS_WEIGHTS[j] * _hyperu_part(a, b, x, in_b, v)
    return scale * total


FUNCTIONS = {
    "hyp2f1_a": (hyp2f1_parameter, 0),
    "hyp2f1_c": (hyp2f1_parameter, 1),
    "hyp1f1_a": (hyp1f1_parameter, 0),
    "hyp1f1_b": (hyp1f1_parameter, 1),
    "hyperu_a": (hyperu_parameter, 0),
    "hyperu_b": (hyperu_parameter, 1),
}
