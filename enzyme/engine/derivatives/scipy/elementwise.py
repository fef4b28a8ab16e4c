"""Functions of information theory and of statistics, transformations, and elementary functions in SciPy's words.

At points where limits are taken: xlogy, xlog1py, rel_entr and kl_div are 0 at x = 0, so their derivative in y is that
of a constant there, and the one in x is the logarithm, infinite. Where a function is infinite by definition (entr of
negative numbers, rel_entr with y <= 0) its derivative is 0.
"""

from __future__ import annotations

import math

from enzyme.engine.derivatives.scipy.calls import ours, own, scipy, special
from enzyme.engine.derivatives.terms import Term, compare, intrinsic, where

_DEGREE = math.pi / 180.0


def _log(x: Term) -> Term:
    return intrinsic("log", x)


def _exp(x: Term) -> Term:
    return intrinsic("exp", x)


def _abs(x: Term) -> Term:
    return intrinsic("fabs", x)


# Logistic functions
special("expit", "d f", lambda y, x: y * scipy("expit", -x))
special("log_expit", "d f", lambda y, x: scipy("expit", -x))
special("logit", "d f", lambda y, p: 1.0 / (p * (1.0 - p)))

# x log y
special(
    "xlogy",
    "dd",
    lambda y, x, z: _log(z),
    lambda y, x, z: where(compare("oeq", x, 0.0), 0.0, x.over(z)),
)
special(
    "xlog1py",
    "dd",
    lambda y, x, z: scipy("log1p", z),
    lambda y, x, z: where(compare("oeq", x, 0.0), 0.0, x.over(1.0 + z)),
)
special("entr", "d", lambda y, x: where(compare("olt", x, 0.0), 0.0, -1.0 - _log(x)))


def _inside(x: Term, z: Term) -> Term:
    both = x.b.and_(compare("oge", x, 0.0).value, compare("ogt", z, 0.0).value)
    return Term(x.b, both.type, both)


def _log_ratio(x: Term, z: Term) -> Term:
    """log(x / z), also where both are nearly the same, and without overflow."""
    near = compare("olt", _abs(x - z), 0.25 * z)
    return where(near, scipy("log1p", (x - z) / z), _log(x) - _log(z))


special(
    "rel_entr",
    "dd",
    lambda y, x, z: where(_inside(x, z), _log_ratio(x, z) + 1.0, 0.0),
    lambda y, x, z: where(_inside(x, z), -x.over(z), 0.0),
)


def _kl_z(y: Term, x: Term, z: Term) -> Term:
    """1 - x / z, and 1 where x is 0, z = 0 among them."""
    inside = where(_inside(x, z), (z - x).over(z), 0.0)
    return where(compare("oeq", x, 0.0), where(compare("oge", z, 0.0), z.like(1.0), 0.0), inside)


special(
    "kl_div",
    "dd",
    lambda y, x, z: where(_inside(x, z), _log_ratio(x, z), 0.0),
    _kl_z,
)


def _huber_delta(y: Term, delta: Term, r: Term) -> Term:
    linear = compare("ogt", _abs(r), delta)
    beyond = where(linear, _abs(r) - delta, 0.0)
    return where(compare("olt", delta, 0.0), 0.0, beyond)


def _huber_r(y: Term, delta: Term, r: Term) -> Term:
    linear = compare("ogt", _abs(r), delta)
    inside = where(linear, intrinsic("copysign", delta, r), r)
    return where(compare("olt", delta, 0.0), 0.0, inside)


special("huber", "dd", _huber_delta, _huber_r)


def _root_of_one_and(square: Term) -> Term:
    return intrinsic("sqrt", 1.0 + square)


def _pseudo_delta(y: Term, delta: Term, r: Term) -> Term:
    q = r / delta
    square = q * q
    root = _root_of_one_and(square)
    ratio = square / (1.0 + root)
    inside = delta * (ratio * ratio) / root
    return where(compare("oeq", delta, 0.0), 0.0, inside)


def _pseudo_r(y: Term, delta: Term, r: Term) -> Term:
    q = r / delta
    return where(compare("oeq", delta, 0.0), 0.0, r / _root_of_one_and(q * q))


special("pseudo_huber", "dd", _pseudo_delta, _pseudo_r)

# Box and Cox. exp_moment_n(u) is the integral of s^n exp(u s) over (0, 1), log1p_moment_n(u) that of
# s^n / (1 + u s)^(n+1): each is the derivative of the one before, up to a factor.
_MOMENTS = 4
for _n in range(_MOMENTS):
    ours(f"exp_moment_{_n}", lambda y, u, n=_n: own(f"exp_moment_{n + 1}", u))
    ours(f"log1p_moment_{_n}", lambda y, u, n=_n: -(n + 1.0) * own(f"log1p_moment_{n + 1}", u))
ours(f"exp_moment_{_MOMENTS}", "an exponent for the fifth time")
ours(f"log1p_moment_{_MOMENTS}", "an argument for the fifth time")


def _transformed(log: Term, power: Term) -> Term:
    """The derivative of (exp(power log) - 1) / power in the power."""
    return log * log * own("exp_moment_1", power * log)


special(
    "boxcox",
    "dd",
    lambda y, x, p: _exp((p - 1.0) * _log(x)),
    lambda y, x, p: _transformed(_log(x), p),
)
special(
    "boxcox1p",
    "dd",
    lambda y, x, p: _exp((p - 1.0) * scipy("log1p", x)),
    lambda y, x, p: _transformed(scipy("log1p", x), p),
)
special(
    "inv_boxcox",
    "dd",
    lambda y, x, p: y / (1.0 + p * x),
    lambda y, x, p: -y * (x * x) * own("log1p_moment_1", p * x),
)
special(
    "inv_boxcox1p",
    "dd",
    lambda y, x, p: (y + 1.0) / (1.0 + p * x),
    lambda y, x, p: -(y + 1.0) * (x * x) * own("log1p_moment_1", p * x),
)
special(
    "powm1",
    "dd ff",
    lambda y, x, p: p * intrinsic("pow", x, p - 1.0),
    lambda y, x, p: where(compare("oeq", x, 0.0), 0.0, intrinsic("pow", x, p) * _log(x)),
    note="0 in the power for 0, as pow",
)
special("exprel", "d", lambda y, x: own("exp_moment_1", x))
special("spence", "d", lambda y, x: -own("log1p_moment_0", x - 1.0))
special("wrightomega", "d", lambda y, x: y / (1.0 + y))

# Elementary functions
special("expm1", "d", lambda y, x: _exp(x))
special("log1p", "d", lambda y, x: 1.0 / (1.0 + x))
special("exp2", "d", lambda y, x: y * math.log(2.0))
special("exp10", "d", lambda y, x: y * math.log(10.0))
special(
    "cbrt",
    "d",
    lambda y, x: where(compare("oeq", y, 0.0), 0.0, 1.0 / (3.0 * (y * y))),
    note="0 at 0, as cbrt",
)
special("cosm1", "d", lambda y, x: -intrinsic("sin", x))
special("sindg", "d", lambda y, x: _DEGREE * scipy("cosdg", x))
special("cosdg", "d", lambda y, x: -_DEGREE * scipy("sindg", x))
special("tandg", "d", lambda y, x: _DEGREE * (1.0 + y * y))
special("cotdg", "d", lambda y, x: -_DEGREE * (1.0 + y * y))
special(
    "radian",
    "ddd",
    lambda y, degrees, minutes, seconds: y.like(_DEGREE),
    lambda y, degrees, minutes, seconds: y.like(_DEGREE / 60.0),
    lambda y, degrees, minutes, seconds: y.like(_DEGREE / 3600.0),
)
special("round", "d", None)
special("agm", "dd", lambda y, a, b: own("agm_a", a, b), lambda y, a, b: own("agm_a", b, a))
# Homogeneous: a times the derivative in a plus b times that in b are as many times the function as its degree.
ours(
    "agm_a",
    lambda y, a, b: own("agm_aa", a, b),
    lambda y, a, b: -(a / b) * own("agm_aa", a, b),
)
ours("agm_aa", "a mean for the third time", "a mean for the third time")
