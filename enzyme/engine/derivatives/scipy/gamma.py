"""The gamma and beta functions, complete and incomplete, and what is a change of variable away from these.

Derivatives with respect to the parameters of the incomplete functions are integrals of our own, to the second order.
"""

from __future__ import annotations

import math

from enzyme.engine.derivatives.scipy.calls import THIRD, ours, own, scipy, special
from enzyme.engine.derivatives.special import polygamma
from enzyme.engine.derivatives.terms import Term, compare, intrinsic, where


def log(x: Term) -> Term:
    return intrinsic("log", x)


def log1p_negative(x: Term) -> Term:
    """log(1 - x)."""
    return scipy("log1p", -x)


def _digamma(x: Term) -> Term:
    return polygamma(0, x)


# Complete -----------------------------------------------------------------------------------------

special("gamma", "d", lambda y, x: y * _digamma(x))
special("gammaln", "d", lambda y, x: _digamma(x))
special("loggamma", "d", lambda y, x: _digamma(x))
special("psi", "d", lambda y, x: polygamma(1, x))
special("gammasgn", "d", None)


def _rgamma(y: Term, x: Term) -> Term:
    """- digamma(x) / gamma(x); left of 1/2 by reflection, where digamma has poles and this has none."""
    rest = math.pi * (x - intrinsic("rint", x))
    whole = intrinsic("rint", x)
    half = 0.5 * whole
    sign = where(compare("one", half, intrinsic("floor", half)), x.like(-1.0), 1.0)
    cosine, sine = sign * intrinsic("cos", rest), sign * intrinsic("sin", rest)
    other = 1.0 - x
    reflected = scipy("gamma", other) * (cosine - sine * _digamma(other) * (1.0 / math.pi))
    return where(compare("olt", x, 0.5), reflected, -(y * _digamma(x)))


special("rgamma", "d", _rgamma, note="no pole where gamma has one")
special(
    "beta",
    "dd",
    lambda y, a, b: -y * own("digamma_difference", a, b),
    lambda y, a, b: -y * own("digamma_difference", b, a),
)
special(
    "betaln",
    "dd",
    lambda y, a, b: -own("digamma_difference", a, b),
    lambda y, a, b: -own("digamma_difference", b, a),
)
# digamma(a + b) - digamma(a)
ours(
    "digamma_difference",
    lambda y, a, b: polygamma(1, a + b) - polygamma(1, a),
    lambda y, a, b: polygamma(1, a + b),
)
special(
    "poch",
    "dd",
    lambda y, a, m: y * own("digamma_difference", a, m),
    lambda y, a, m: y * _digamma(a + m),
)
special(
    "binom",
    "dd",
    lambda y, n, k: y * own("digamma_difference", n - k + 1.0, k),
    lambda y, n, k: y * (_digamma(n - k + 1.0) - _digamma(k + 1.0)),
)

# The incomplete gamma function --------------------------------------------------------------------


def gamma_density(a: Term, x: Term) -> Term:
    """The derivative of gammainc with respect to x."""
    return own("gamma_density", a, x)


def gammainc_a(a: Term, x: Term) -> Term:
    return own("gammainc_a", a, x)


ours(
    "gamma_density",
    lambda y, a, x: y * (log(x) - _digamma(a)),
    lambda y, a, x: y * ((a - 1.0) / x - 1.0),
)
ours(
    "gammainc_a",
    lambda y, a, x: own("gammainc_aa", a, x),
    lambda y, a, x: gamma_density(a, x) * (log(x) - _digamma(a)),
)


def _gammainc_aax(y: Term, a: Term, x: Term) -> Term:
    w = log(x) - _digamma(a)
    return gamma_density(a, x) * (w * w - polygamma(1, a))


ours("gammainc_aa", THIRD, _gammainc_aax)
special("gammainc", "dd", lambda y, a, x: gammainc_a(a, x), lambda y, a, x: gamma_density(a, x))
special("gammaincc", "dd", lambda y, a, x: -gammainc_a(a, x), lambda y, a, x: -gamma_density(a, x))
special(
    "gammaincinv",
    "dd",
    lambda y, a, p: -gammainc_a(a, y) / gamma_density(a, y),
    lambda y, a, p: 1.0 / gamma_density(a, y),
)
special(
    "gammainccinv",
    "dd",
    lambda y, a, p: -gammainc_a(a, y) / gamma_density(a, y),
    lambda y, a, p: -1.0 / gamma_density(a, y),
)
for _name, _sign in (("gdtr", 1.0), ("gdtrc", -1.0)):
    special(
        _name,
        "ddd",
        lambda y, a, b, x, s=_sign: s * x * gamma_density(b, a * x),
        lambda y, a, b, x, s=_sign: s * gammainc_a(b, a * x),
        lambda y, a, b, x, s=_sign: s * a * gamma_density(b, a * x),
    )
special(
    "gdtrix",
    "ddd",
    lambda y, a, b, p: -y / a,
    lambda y, a, b, p: -gammainc_a(b, a * y) / (a * gamma_density(b, a * y)),
    lambda y, a, b, p: 1.0 / (a * gamma_density(b, a * y)),
)
special(
    "gdtria",
    "ddd",
    lambda y, p, b, x: 1.0 / (x * gamma_density(b, y * x)),
    lambda y, p, b, x: -gammainc_a(b, y * x) / (x * gamma_density(b, y * x)),
    lambda y, p, b, x: -y / x,
)
special(
    "gdtrib",
    "ddd",
    lambda y, a, p, x: -x * gamma_density(y, a * x) / gammainc_a(y, a * x),
    lambda y, a, p, x: 1.0 / gammainc_a(y, a * x),
    lambda y, a, p, x: -a * gamma_density(y, a * x) / gammainc_a(y, a * x),
)

# The incomplete beta function ---------------------------------------------------------------------


def beta_density(a: Term, b: Term, x: Term) -> Term:
    """The derivative of betainc with respect to x."""
    return own("beta_density", a, b, x)


def betainc_a(a: Term, b: Term, x: Term) -> Term:
    return own("betainc_a", a, b, x)


def betainc_b(a: Term, b: Term, x: Term) -> Term:
    return own("betainc_b", a, b, x)


def _of_log(a: Term, b: Term, x: Term) -> Term:
    """The derivative of log beta_density with respect to `a`; `b` and 1 - x give that with respect to `b`."""
    return log(x) + own("digamma_difference", a, b)


def _of_log_b(a: Term, b: Term, x: Term) -> Term:
    return log1p_negative(x) + own("digamma_difference", b, a)


ours(
    "beta_density",
    lambda y, a, b, x: y * _of_log(a, b, x),
    lambda y, a, b, x: y * _of_log_b(a, b, x),
    lambda y, a, b, x: y * ((a - 1.0) / x - (b - 1.0) / (1.0 - x)),
)
ours(
    "betainc_a",
    lambda y, a, b, x: own("betainc_aa", a, b, x),
    lambda y, a, b, x: own("betainc_ab", a, b, x),
    lambda y, a, b, x: beta_density(a, b, x) * _of_log(a, b, x),
)
ours(
    "betainc_b",
    lambda y, a, b, x: own("betainc_ab", a, b, x),
    lambda y, a, b, x: own("betainc_bb", a, b, x),
    lambda y, a, b, x: beta_density(a, b, x) * _of_log_b(a, b, x),
)


def _spread(a: Term, b: Term) -> Term:
    return polygamma(1, a + b) - polygamma(1, a)


def _betainc_aax(y: Term, a: Term, b: Term, x: Term) -> Term:
    w = _of_log(a, b, x)
    return beta_density(a, b, x) * (w * w + _spread(a, b))


def _betainc_abx(y: Term, a: Term, b: Term, x: Term) -> Term:
    both = _of_log(a, b, x) * _of_log_b(a, b, x)
    return beta_density(a, b, x) * (both + polygamma(1, a + b))


def _betainc_bbx(y: Term, a: Term, b: Term, x: Term) -> Term:
    w = _of_log_b(a, b, x)
    return beta_density(a, b, x) * (w * w + _spread(b, a))


ours("betainc_aa", THIRD, THIRD, _betainc_aax)
ours("betainc_ab", THIRD, THIRD, _betainc_abx)
ours("betainc_bb", THIRD, THIRD, _betainc_bbx)

for _name, _sign in (("betainc", 1.0), ("betaincc", -1.0)):
    special(
        _name,
        "ddd fff",
        lambda y, a, b, x, s=_sign: s * betainc_a(a, b, x),
        lambda y, a, b, x, s=_sign: s * betainc_b(a, b, x),
        lambda y, a, b, x, s=_sign: s * beta_density(a, b, x),
    )
for _name, _sign in (("betaincinv", 1.0), ("betainccinv", -1.0)):
    special(
        _name,
        "ddd fff",
        lambda y, a, b, p: -betainc_a(a, b, y) / beta_density(a, b, y),
        lambda y, a, b, p: -betainc_b(a, b, y) / beta_density(a, b, y),
        lambda y, a, b, p, s=_sign: s / beta_density(a, b, y),
    )
special(
    "btdtria",
    "ddd fff",
    lambda y, p, b, x: 1.0 / betainc_a(y, b, x),
    lambda y, p, b, x: -betainc_b(y, b, x) / betainc_a(y, b, x),
    lambda y, p, b, x: -beta_density(y, b, x) / betainc_a(y, b, x),
)
special(
    "btdtrib",
    "ddd fff",
    lambda y, a, p, x: -betainc_a(a, y, x) / betainc_b(a, y, x),
    lambda y, a, p, x: 1.0 / betainc_b(a, y, x),
    lambda y, a, p, x: -beta_density(a, y, x) / betainc_b(a, y, x),
)
