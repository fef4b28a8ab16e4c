"""Elliptic integrals; derivatives in the parameter are integrals of our own, to the second order.

These take 1 - m, as `ellipkm1` does.
"""

from __future__ import annotations

from enzyme.engine.derivatives.scipy.calls import THIRD, ours, own, special
from enzyme.engine.derivatives.terms import Term, intrinsic


def _root(phi: Term, m: Term) -> Term:
    """sqrt(1 - m sin(phi)^2)."""
    s = intrinsic("sin", phi)
    return intrinsic("sqrt", 1.0 - m * (s * s))


def _square(phi: Term) -> Term:
    s = intrinsic("sin", phi)
    return s * s


special("ellipk", "d", lambda y, m: own("ellipk_1", 1.0 - m))
special("ellipkm1", "d", lambda y, p: -own("ellipk_1", p))
special("ellipe", "d", lambda y, m: own("ellipe_1", 1.0 - m))
ours("ellipk_1", lambda y, p: -own("ellipk_2", p))
ours("ellipk_2", lambda y, p: -own("ellipk_3", p))
ours("ellipe_1", lambda y, p: -own("ellipe_2", p))
ours("ellipe_2", lambda y, p: -own("ellipe_3", p))
ours("ellipk_3", THIRD)
ours("ellipe_3", THIRD)

special(
    "ellipkinc",
    "dd",
    lambda y, phi, m: 1.0 / _root(phi, m),
    lambda y, phi, m: own("ellipkinc_m", phi, m),
)
special(
    "ellipeinc",
    "dd",
    lambda y, phi, m: _root(phi, m),
    lambda y, phi, m: own("ellipeinc_m", phi, m),
)


def _cube(phi: Term, m: Term) -> Term:
    root = _root(phi, m)
    return root * root * root


ours(
    "ellipkinc_m",
    lambda y, phi, m: 0.5 * _square(phi) / _cube(phi, m),
    lambda y, phi, m: own("ellipkinc_mm", phi, m),
)
ours(
    "ellipeinc_m",
    lambda y, phi, m: -0.5 * _square(phi) / _root(phi, m),
    lambda y, phi, m: own("ellipeinc_mm", phi, m),
)
ours("ellipkinc_mm", THIRD, THIRD)
ours("ellipeinc_mm", THIRD, THIRD)
