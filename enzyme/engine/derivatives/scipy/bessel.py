"""Bessel functions and their relatives, in their arguments and in their orders.

Derivatives in the order are integrals of our own, to the second order; their own derivatives in the argument follow
from the same recurrences as those of the functions.
"""

from __future__ import annotations

import math

from enzyme.engine.derivatives.scipy.calls import THIRD, Partial, ours, own, scipy, special
from enzyme.engine.derivatives.terms import Term, compare, intrinsic, where

_ORDER = "the order"

# Of the orders 0 and 1 ----------------------------------------------------------------------------


def _over(y: Term, x: Term, at_zero: float) -> Term:
    """The quotient; at 0 its limit."""
    return where(compare("oeq", x, 0.0), at_zero, y / x)


def _sign(x: Term) -> Term:
    return intrinsic("copysign", x.like(1.0), x)


special("j0", "d", lambda y, x: -scipy("j1", x))
# Not y0 - y / x, whose derivative cancels at 0.
special("j1", "d", lambda y, x: 0.5 * (scipy("j0", x) - scipy("jv", 2.0, x)))
special("y0", "d", lambda y, x: -scipy("y1", x))
special("y1", "d", lambda y, x: scipy("y0", x) - y / x)
special("i0", "d", lambda y, x: scipy("i1", x))
special("i1", "d", lambda y, x: 0.5 * (scipy("i0", x) + scipy("iv", 2.0, x)))
special("k0", "d", lambda y, x: -scipy("k1", x))
special("k1", "d", lambda y, x: -scipy("k0", x) - y / x)
special("i0e", "d", lambda y, x: scipy("i1e", x) - _sign(x) * y)
special("i1e", "d", lambda y, x: 0.5 * (scipy("i0e", x) + scipy("ive", 2.0, x)) - _sign(x) * y)
special("k0e", "d", lambda y, x: y - scipy("k1e", x))
special("k1e", "d", lambda y, x: y - scipy("k0e", x) - y / x)

# Of any order: half the sum, or the difference, of the neighbours ---------------------------------


def _neighbours(call: Partial, v: Term, x: Term, below: float, above: float) -> Term:
    return below * call(v - 1.0, x) + above * call(v + 1.0, x)


def _bessel(
    name: str, below: float, above: float, scaled: float = 0.0, by_sign: bool = False
) -> None:
    """A function f of order v, with the derivative below f(v - 1) + above f(v + 1) + scaled f, and its own in v."""

    def in_x(call: Partial) -> Partial:
        def partial(y: Term, v: Term, x: Term) -> Term:
            found = _neighbours(call, v, x, below, above)
            if not scaled:
                return found
            return found + (scaled * _sign(x) * y if by_sign else scaled * y)

        return partial

    def of_scipy(v: Term, x: Term) -> Term:
        return scipy(name, v, x)

    def first(v: Term, x: Term) -> Term:
        return own(f"{name}_v", v, x)

    def second(v: Term, x: Term) -> Term:
        return own(f"{name}_vv", v, x)

    special(name, "dd", lambda y, v, x: first(v, x), in_x(of_scipy))
    ours(f"{name}_v", lambda y, v, x: second(v, x), in_x(first))
    ours(f"{name}_vv", THIRD, in_x(second))


_bessel("jv", 0.5, -0.5)
_bessel("yv", 0.5, -0.5)
_bessel("iv", 0.5, 0.5)
_bessel("kv", -0.5, -0.5)
_bessel("jve", 0.5, -0.5)
_bessel("yve", 0.5, -0.5)
_bessel("ive", 0.5, 0.5, scaled=-1.0, by_sign=True)
_bessel("kve", -0.5, -0.5, scaled=1.0)


def _of_integers(name: str, real: str, below: float, above: float) -> None:
    def partial(y: Term, n: Term, x: Term) -> Term:
        whole = intrinsic("trunc", n)
        return _neighbours(lambda v, x: scipy(real, v, x), whole, x, below, above)

    special(name, "dd ld", None, partial)


_of_integers("kn", "kv", -0.5, -0.5)
_of_integers("yn", "yv", 0.5, -0.5)

# Struve -------------------------------------------------------------------------------------------


def _struve_rest(v: Term, x: Term) -> Term:
    return intrinsic("pow", 0.5 * x, v) * scipy("rgamma", v + 1.5) * (0.5 / math.sqrt(math.pi))


special(
    "struve",
    "dd",
    _ORDER,
    lambda y, v, x: (
        _neighbours(lambda v, x: scipy("struve", v, x), v, x, 0.5, -0.5) + _struve_rest(v, x)
    ),
)
special(
    "modstruve",
    "dd",
    _ORDER,
    lambda y, v, x: (
        _neighbours(lambda v, x: scipy("modstruve", v, x), v, x, 0.5, 0.5) + _struve_rest(v, x)
    ),
)

# Kelvin: the slopes are functions of SciPy's, and the equation gives theirs ------------------------

special("ber", "d", lambda y, x: scipy("berp", x))
special("bei", "d", lambda y, x: scipy("beip", x))
special("ker", "d", lambda y, x: scipy("kerp", x))
special("kei", "d", lambda y, x: scipy("keip", x))
special("berp", "d", lambda y, x: -scipy("bei", x) - _over(y, x, 0.0))
special("beip", "d", lambda y, x: scipy("ber", x) - _over(y, x, 0.5))
special("kerp", "d", lambda y, x: -scipy("kei", x) - y / x)
special("keip", "d", lambda y, x: scipy("ker", x) - y / x)
