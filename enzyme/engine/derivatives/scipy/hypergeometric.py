"""Hypergeometric functions.

Derivatives in the argument are neighbours. Those in the parameters are expectations under a beta distribution (Euler's
integral): they exist where this has one, for ``b > a > 0`` of hyp1f1, ``c > a > 0`` or ``c > b > 0`` of hyp2f1 with
x < 1, and a > 0, x > 0 of hyperu; elsewhere they are nan.
"""

from __future__ import annotations

from enzyme.engine.derivatives.scipy.calls import ours, own, scipy, special
from enzyme.engine.derivatives.terms import Term

_TWICE = "a parameter for the second time"


special("hyp0f1", "dd", "the parameter v", lambda y, v, x: scipy("hyp0f1", v + 1.0, x) / v)


def _hyp1f1_x(y: Term, a: Term, b: Term, x: Term) -> Term:
    return (a / b) * scipy("hyp1f1", a + 1.0, b + 1.0, x)


special(
    "hyp1f1",
    "ddd",
    lambda y, a, b, x: own("hyp1f1_a", a, b, x),
    lambda y, a, b, x: own("hyp1f1_b", a, b, x),
    _hyp1f1_x,
)
ours(
    "hyp1f1_a",
    _TWICE,
    _TWICE,
    lambda y, a, b, x: (
        (scipy("hyp1f1", a + 1.0, b + 1.0, x) + a * own("hyp1f1_a", a + 1.0, b + 1.0, x)) / b
    ),
)
ours(
    "hyp1f1_b",
    _TWICE,
    _TWICE,
    lambda y, a, b, x: (
        (a / b) * (own("hyp1f1_b", a + 1.0, b + 1.0, x) - scipy("hyp1f1", a + 1.0, b + 1.0, x) / b)
    ),
)


def _next(a: Term, b: Term, c: Term, x: Term, name: str = "") -> Term:
    call = own if name else scipy
    return call(name or "hyp2f1", a + 1.0, b + 1.0, c + 1.0, x)


special(
    "hyp2f1",
    "dddd",
    lambda y, a, b, c, x: own("hyp2f1_a", a, b, c, x),
    lambda y, a, b, c, x: own("hyp2f1_a", b, a, c, x),
    lambda y, a, b, c, x: own("hyp2f1_c", a, b, c, x),
    lambda y, a, b, c, x: (a * b / c) * _next(a, b, c, x),
)
ours(
    "hyp2f1_a",
    _TWICE,
    _TWICE,
    _TWICE,
    lambda y, a, b, c, x: (b / c) * (_next(a, b, c, x) + a * _next(a, b, c, x, "hyp2f1_a")),
)
ours(
    "hyp2f1_c",
    _TWICE,
    _TWICE,
    _TWICE,
    lambda y, a, b, c, x: (a * b / c) * (_next(a, b, c, x, "hyp2f1_c") - _next(a, b, c, x) / c),
)


def _hyperu_x(y: Term, a: Term, b: Term, x: Term) -> Term:
    return -a * scipy("hyperu", a + 1.0, b + 1.0, x)


special(
    "hyperu",
    "ddd",
    lambda y, a, b, x: own("hyperu_a", a, b, x),
    lambda y, a, b, x: own("hyperu_b", a, b, x),
    _hyperu_x,
)
ours(
    "hyperu_a",
    _TWICE,
    _TWICE,
    lambda y, a, b, x: (
        -scipy("hyperu", a + 1.0, b + 1.0, x) - a * own("hyperu_a", a + 1.0, b + 1.0, x)
    ),
)
ours("hyperu_b", _TWICE, _TWICE, lambda y, a, b, x: -a * own("hyperu_b", a + 1.0, b + 1.0, x))
special(
    "wright_bessel",
    "ddd",
    "the parameter a",
    "the parameter b",
    lambda y, a, b, x: scipy("wright_bessel", a, a + b, x),
)
special(
    "lpmv",
    "ddd",
    "the order m",
    "the degree v",
    lambda y, m, v, x: (
        (v * x * y - (v + m) * scipy("lpmv", m, v - 1.0, x)) / ((x - 1.0) * (x + 1.0))
    ),
)
