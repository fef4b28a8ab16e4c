"""The gamma and beta functions, complete and incomplete."""

from __future__ import annotations

from enzyme.engine.derivatives.scipy.calls import ours, own, scipy, special
from enzyme.engine.derivatives.special import polygamma
from enzyme.engine.derivatives.terms import Term, intrinsic

_THIRD = "{} a second time: the third derivative of an incomplete function in its parameters"

def _log(x: Term) -> Term:
    return intrinsic("log", x)


special(
    "gammainc",
    "dd",
    lambda y, a, x: own("gammainc_a", a, x),
    lambda y, a, x: own("gamma_density", a, x),
)
ours(
    "gamma_density",
    lambda y, a, x: y * (_log(x) - polygamma(0, a)),
    lambda y, a, x: y * ((a - 1.0) / x - 1.0),
)
ours(
    "gammainc_a",
    lambda y, a, x: own("gammainc_aa", a, x),
    lambda y, a, x: own("gamma_density", a, x) * (_log(x) - polygamma(0, a)),
)
