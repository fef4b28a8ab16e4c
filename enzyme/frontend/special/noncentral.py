"""The density of the noncentral chi square distribution, and derivatives in the degrees of freedom."""

from __future__ import annotations

import math

from numba import njit

from enzyme.frontend.special.bessel import first_kind
from enzyme.frontend.special.from_scipy import FromSciPy
from enzyme.frontend.special.gamma import gamma_density, gammainc_parameter
from enzyme.frontend.special.stirling import digamma

_ive = FromSciPy("ive.dd")


@njit(error_model="numpy")
def _ncx2_ratio(x, df, nc):
    """What the density has beside the Bessel function."""
    away = math.sqrt(x) - math.sqrt(nc)
    return 0.5 * math.exp(-0.5 * away * away + (0.25 * df - 0.5) * math.log(x / nc))


@njit(error_model="numpy")
def _central(h, x, kind):
    """For 2 h degrees of freedom at 2 x: the density, its derivative in them, or that of the distribution function."""
    if kind == 2:
        return 0.5 * gammainc_parameter(h, x, 0)
    value = 0.5 * gamma_density(h, x)
    return value if kind == 0 else 0.5 * value * (math.log(x) - digamma(h))


@njit(error_model="numpy")
def _mean(x, df, nc, kind):
    """The mean, over Poisson's distribution of j, of the central one with df + 2 j."""
    mean = 0.5 * nc
    middle = math.floor(mean)
    centre = (
        math.exp(middle * math.log(mean) - mean - math.lgamma(middle + 1.0)) if mean > 0.0 else 1.0
    )
    total = 0.0
    weight, j = centre, middle
    while True:
        part = weight * _central(0.5 * df + j, 0.5 * x, kind)
        total += part
        if mean == 0.0 or (abs(part) <= 1e-18 * abs(total) and j > mean + 10.0):
            break
        if weight < 1e-40 * centre or j > middle + 100000.0:
            break
        j += 1.0
        weight *= mean / j
    weight, j = centre, middle
    while j > 0.0:
        weight *= j / mean
        j -= 1.0
        total += weight * _central(0.5 * df + j, 0.5 * x, kind)
        if weight < 1e-40 * centre:
            break
    return total


@njit(error_model="numpy")
def ncx2_density(x, df, nc):
    if not (x >= 0.0 and nc >= 0.0):
        return math.nan
    if nc == 0.0 or x == 0.0:
        if df <= 0.0:
            return 0.0 if nc == 0.0 and df == 0.0 and x > 0.0 else math.nan
        return 0.5 * gamma_density(0.5 * df, 0.5 * x) * math.exp(-0.5 * nc)
    ratio, bessel = _ncx2_ratio(x, df, nc), _ive(0.5 * df - 1.0, math.sqrt(x) * math.sqrt(nc))
    if df > 0.0 and (ratio > 1e250 or bessel < 1e-250):
        return _mean(x, df, nc, 0)
    return ratio * bessel


@njit(error_model="numpy")
def ncx2_density_df(x, df, nc):
    if not (x > 0.0 and nc >= 0.0):
        return math.nan
    if nc == 0.0:
        return _central(0.5 * df, 0.5 * x, 1)
    v, z = 0.5 * df - 1.0, math.sqrt(x) * math.sqrt(nc)
    ratio, bessel = _ncx2_ratio(x, df, nc), _ive(v, z)
    if df > 0.0 and (ratio > 1e250 or bessel < 1e-250):
        return _mean(x, df, nc, 1)
    return ratio * (0.25 * math.log(x / nc) * bessel + 0.5 * first_kind(v, z, 1, 1, 1))


@njit(error_model="numpy")
def chndtr_df(x, df, nc):
    if not (x >= 0.0 and nc >= 0.0 and df > 0.0):
        return math.nan
    return _mean(x, df, nc, 2)


FUNCTIONS = {
    "ncx2_density": (ncx2_density,),
    "ncx2_density_df": (ncx2_density_df,),
    "chndtr_df": (chndtr_df,),
}
