"""Distribution functions, their complements and their inverses.

Numbers of trials and successes are truncated to integers by these functions, or their integer part is taken: their
derivative is zero, `TRUNCATED`. Where the inverse gives such a number it is a real one, and so has derivatives.
"""

from __future__ import annotations

import math

from enzyme.engine.derivatives.scipy.calls import THIRD, TRUNCATED, ours, own, scipy, special
from enzyme.engine.derivatives.scipy.gamma import (
    beta_density,
    betainc_a,
    betainc_b,
    gamma_density,
    gammainc_a,
)
from enzyme.engine.derivatives.terms import Term, compare, intrinsic, where

_PER_ROOT_TWO_PI = 1.0 / math.sqrt(2.0 * math.pi)


def _exp(x: Term) -> Term:
    return intrinsic("exp", x)


# The normal distribution --------------------------------------------------------------------------


def normal_density(x: Term) -> Term:
    return _PER_ROOT_TWO_PI * _exp(-0.5 * (x * x))


special("ndtr", "d", lambda y, x: normal_density(x))
special("ndtri", "d", lambda y, p: math.sqrt(2.0 * math.pi) * _exp(0.5 * (y * y)))
special("log_ndtr", "d", lambda y, x: own("mills", x))
special("ndtri_exp", "d", lambda y, p: 1.0 / own("mills", y))
ours("mills", lambda y, x: own("mills_1", x))  # the normal density over ndtr
ours("mills_1", lambda y, x: -(y * (2.0 * own("mills", x) + x) + own("mills", x)))


def _owens_h(y: Term, h: Term, a: Term) -> Term:
    return -0.5 * normal_density(h) * scipy("erf", a * h * math.sqrt(0.5))


def _owens_a(y: Term, h: Term, a: Term) -> Term:
    square = 1.0 + a * a
    return (0.5 / math.pi) * _exp(-0.5 * (h * h) * square) / square


special("owens_t", "dd", _owens_h, _owens_a)

# Student's t --------------------------------------------------------------------------------------


def _density(df: Term, t: Term) -> Term:
    return own("student_density", df, t)


def _slope(df: Term, t: Term) -> Term:
    return own("student_slope", df, t)


def _slope_t(y: Term, df: Term, t: Term) -> Term:
    rest = 1.0 / (1.0 + t * t / df)
    return (t / df) * rest * ((1.0 + 1.0 / df) * rest - 1.0)


def _twice_t(y: Term, df: Term, t: Term) -> Term:
    slope = _slope(df, t)
    return _density(df, t) * (slope * slope + own("student_slope_df", df, t))


ours(
    "student_density",
    lambda y, df, t: y * _slope(df, t),
    lambda y, df, t: -y * (df + 1.0) * t / (df + t * t),
)
ours("student_slope", lambda y, df, t: own("student_slope_df", df, t), _slope_t)
ours("student_slope_df", THIRD, THIRD)
ours(
    "stdtr_df",
    lambda y, df, t: own("stdtr_dfdf", df, t),
    lambda y, df, t: _density(df, t) * _slope(df, t),
)
ours("stdtr_dfdf", THIRD, _twice_t)
special("stdtr", "dd ff", lambda y, df, t: own("stdtr_df", df, t), lambda y, df, t: _density(df, t))
special(
    "stdtrit",
    "dd ff",
    lambda y, df, p: -own("stdtr_df", df, y) / _density(df, y),
    lambda y, df, p: 1.0 / _density(df, y),
)
special(
    "stdtridf",
    "dd",
    lambda y, p, t: 1.0 / own("stdtr_df", y, t),
    lambda y, p, t: -_density(y, t) / own("stdtr_df", y, t),
)

# Chi square ---------------------------------------------------------------------------------------

for _name, _sign in (("chdtr", 0.5), ("chdtrc", -0.5)):
    special(
        _name,
        "dd",
        lambda y, v, x, s=_sign: s * gammainc_a(0.5 * v, 0.5 * x),
        lambda y, v, x, s=_sign: s * gamma_density(0.5 * v, 0.5 * x),
    )
special(
    "chdtri",
    "dd",
    lambda y, v, p: -gammainc_a(0.5 * v, 0.5 * y) / gamma_density(0.5 * v, 0.5 * y),
    lambda y, v, p: -2.0 / gamma_density(0.5 * v, 0.5 * y),
)
special(
    "chdtriv",
    "dd ff",
    lambda y, p, x: 2.0 / gammainc_a(0.5 * y, 0.5 * x),
    lambda y, p, x: -gamma_density(0.5 * y, 0.5 * x) / gammainc_a(0.5 * y, 0.5 * x),
)

# The same, not central ----------------------------------------------------------------------------
# chndtr falls in nc by the density with two degrees more.


def _off_centre(x: Term, df: Term, nc: Term) -> Term:
    return own("ncx2_density", x, df, nc)


def _in_nc(x: Term, df: Term, nc: Term) -> Term:
    return -_off_centre(x, df + 2.0, nc)


ours(
    "ncx2_density",
    lambda y, x, df, nc: 0.5 * (_off_centre(x, df - 2.0, nc) - y),
    lambda y, x, df, nc: own("ncx2_density_df", x, df, nc),
    lambda y, x, df, nc: 0.5 * (_off_centre(x, df + 2.0, nc) - y),
)
ours("ncx2_density_df", *([THIRD] * 3))
ours(
    "chndtr_df",
    lambda y, x, df, nc: own("ncx2_density_df", x, df, nc),
    "df for the second time",
    lambda y, x, df, nc: -own("ncx2_density_df", x, df + 2.0, nc),
)
special(
    "chndtr",
    "ddd fff",
    lambda y, x, df, nc: _off_centre(x, df, nc),
    lambda y, x, df, nc: own("chndtr_df", x, df, nc),
    lambda y, x, df, nc: _in_nc(x, df, nc),
)
special(
    "chndtrix",
    "ddd fff",
    lambda y, p, df, nc: 1.0 / _off_centre(y, df, nc),
    lambda y, p, df, nc: -own("chndtr_df", y, df, nc) / _off_centre(y, df, nc),
    lambda y, p, df, nc: -_in_nc(y, df, nc) / _off_centre(y, df, nc),
)
special(
    "chndtridf",
    "ddd fff",
    lambda y, x, p, nc: -_off_centre(x, y, nc) / own("chndtr_df", x, y, nc),
    lambda y, x, p, nc: 1.0 / own("chndtr_df", x, y, nc),
    lambda y, x, p, nc: -_in_nc(x, y, nc) / own("chndtr_df", x, y, nc),
)
special(
    "chndtrinc",
    "ddd fff",
    lambda y, x, df, p: -_off_centre(x, df, y) / _in_nc(x, df, y),
    lambda y, x, df, p: -own("chndtr_df", x, df, y) / _in_nc(x, df, y),
    lambda y, x, df, p: 1.0 / _in_nc(x, df, y),
)

# F: betainc(n / 2, m / 2, w) with w = n x / (m + n x) ---------------------------------------------


def _w(n: Term, m: Term, x: Term) -> Term:
    return n * x / (m + n * x)


def _f_n(n: Term, m: Term, x: Term) -> Term:
    a, b, w, all_ = 0.5 * n, 0.5 * m, _w(n, m, x), m + n * x
    return 0.5 * betainc_a(a, b, w) + beta_density(a, b, w) * (x / all_) * (m / all_)


def _f_m(n: Term, m: Term, x: Term) -> Term:
    a, b, w, all_ = 0.5 * n, 0.5 * m, _w(n, m, x), m + n * x
    return 0.5 * betainc_b(a, b, w) - beta_density(a, b, w) * (w / all_)


def _f_x(n: Term, m: Term, x: Term) -> Term:
    all_ = m + n * x
    return beta_density(0.5 * n, 0.5 * m, _w(n, m, x)) * (n / all_) * (m / all_)


for _name, _sign in (("fdtr", 1.0), ("fdtrc", -1.0)):
    special(
        _name,
        "ddd fff",
        lambda y, n, m, x, s=_sign: s * _f_n(n, m, x),
        lambda y, n, m, x, s=_sign: s * _f_m(n, m, x),
        lambda y, n, m, x, s=_sign: s * _f_x(n, m, x),
    )
special(
    "fdtri",
    "ddd fff",
    lambda y, n, m, p: -_f_n(n, m, y) / _f_x(n, m, y),
    lambda y, n, m, p: -_f_m(n, m, y) / _f_x(n, m, y),
    lambda y, n, m, p: 1.0 / _f_x(n, m, y),
)
special(
    "fdtridfd",
    "ddd",
    lambda y, n, p, x: -_f_n(n, y, x) / _f_m(n, y, x),
    lambda y, n, p, x: 1.0 / _f_m(n, y, x),
    lambda y, n, p, x: -_f_x(n, y, x) / _f_m(n, y, x),
)

# Counts -------------------------------------------------------------------------------------------


def _floor(k: Term) -> Term:
    return intrinsic("floor", k)


special("pdtr", "dd", TRUNCATED, lambda y, k, m: -gamma_density(_floor(k) + 1.0, m))
special("pdtrc", "dd", TRUNCATED, lambda y, k, m: gamma_density(_floor(k) + 1.0, m))
special(
    "pdtri",
    "dd ld",
    TRUNCATED,
    lambda y, k, p: -1.0 / gamma_density(intrinsic("trunc", k) + 1.0, y),
)
special(
    "pdtrik",
    "dd ff",
    lambda y, p, m: -1.0 / gammainc_a(y + 1.0, m),
    lambda y, p, m: -gamma_density(y + 1.0, m) / gammainc_a(y + 1.0, m),
)


def _binomial(k: Term, n: Term, p: Term) -> Term:
    """The derivative of bdtrc in p; 0 where it is constant."""
    k, n = _floor(k), intrinsic("trunc", n)
    inside = k.b.and_(compare("oge", k, 0.0).value, compare("olt", k, n).value)
    density = beta_density(k + 1.0, n - k, p)
    return where(Term(k.b, inside.type, inside), density, 0.0)


special("bdtr", "ddd dld", TRUNCATED, TRUNCATED, lambda y, k, n, p: -_binomial(k, n, p))
special("bdtrc", "ddd dld", TRUNCATED, TRUNCATED, lambda y, k, n, p: _binomial(k, n, p))
special("bdtri", "ddd dld", TRUNCATED, TRUNCATED, lambda y, k, n, p: -1.0 / _binomial(k, n, y))


def _b_k(k: Term, n: Term, p: Term) -> Term:
    """The derivative of betainc(n - k, k + 1, 1 - p), which is bdtr of real numbers, in k."""
    other = 1.0 - p
    return betainc_b(n - k, k + 1.0, other) - betainc_a(n - k, k + 1.0, other)


def _b_n(k: Term, n: Term, p: Term) -> Term:
    return betainc_a(n - k, k + 1.0, 1.0 - p)


def _b_p(k: Term, n: Term, p: Term) -> Term:
    return -beta_density(k + 1.0, n - k, p)


special(
    "bdtrik",
    "ddd",
    lambda y, q, n, p: 1.0 / _b_k(y, n, p),
    lambda y, q, n, p: -_b_n(y, n, p) / _b_k(y, n, p),
    lambda y, q, n, p: -_b_p(y, n, p) / _b_k(y, n, p),
)
special(
    "bdtrin",
    "ddd",
    lambda y, k, q, p: -_b_k(k, y, p) / _b_n(k, y, p),
    lambda y, k, q, p: 1.0 / _b_n(k, y, p),
    lambda y, k, q, p: -_b_p(k, y, p) / _b_n(k, y, p),
)


def _negative(k: Term, n: Term, p: Term) -> Term:
    return beta_density(intrinsic("trunc", n), intrinsic("trunc", k) + 1.0, p)


special("nbdtr", "ddd lld", TRUNCATED, TRUNCATED, lambda y, k, n, p: _negative(k, n, p))
special("nbdtrc", "ddd lld", TRUNCATED, TRUNCATED, lambda y, k, n, p: -_negative(k, n, p))
special("nbdtri", "ddd lld", TRUNCATED, TRUNCATED, lambda y, k, n, p: 1.0 / _negative(k, n, y))
special(
    "nbdtrik",
    "ddd",
    lambda y, q, n, p: 1.0 / betainc_b(n, y + 1.0, p),
    lambda y, q, n, p: -betainc_a(n, y + 1.0, p) / betainc_b(n, y + 1.0, p),
    lambda y, q, n, p: -beta_density(n, y + 1.0, p) / betainc_b(n, y + 1.0, p),
)
special(
    "nbdtrin",
    "ddd",
    lambda y, k, q, p: -betainc_b(y, k + 1.0, p) / betainc_a(y, k + 1.0, p),
    lambda y, k, q, p: 1.0 / betainc_a(y, k + 1.0, p),
    lambda y, k, q, p: -beta_density(y, k + 1.0, p) / betainc_a(y, k + 1.0, p),
)
