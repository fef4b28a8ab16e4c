"""Orthogonal polynomials: the derivative is another one, of the degree below.

The degree is an integer (l) or a double, which need not be whole; of it, and of parameters, no derivative is known.
"""

from __future__ import annotations

from collections.abc import Callable

from enzyme.engine.derivatives.catalogue import define
from enzyme.engine.derivatives.scipy.calls import call, in_double
from enzyme.engine.derivatives.scipy.degrees import is_constant, reflected
from enzyme.engine.derivatives.scipy.names import PREFIX
from enzyme.engine.derivatives.table import Rule, lacking, rule
from enzyme.engine.derivatives.terms import Term, of, where

# Of n as a double, the other operands, and `lower(name, ...)`: a polynomial of degree n - 1 at these.
Slope = Callable[..., Term]


def _polynomial(name: str, others: str, slope: Slope, degrees: str = "l d") -> None:
    """`others` has a letter for each operand behind the degree: d for x, p for a parameter."""
    for degree in degrees.split():
        letters = degree + "d" * len(others)
        first = None if degree == "l" else lacking("the degree")
        given = [
            lacking("a parameter") if o == "p" else rule(_product(name, slope)) for o in others
        ]
        define(f"{PREFIX}{name}.{letters}", *_listed(first, given))


def _listed(first: Rule | None, others: list[Rule]) -> list[Rule | None]:
    return [first, *others]


def _product(name: str, slope: Slope) -> Callable[..., Term]:
    def product(d: Term, y: Term, n: Term, *x: Term) -> Term:
        b = d.b
        n, sign = reflected(name, n)
        below = of(b, b.isub(n.value, b.const(n.type, 1))) if n.type.is_int else n - 1.0

        def lower(name: str, *operands: Term | float) -> Term:
            values = [x[-1].like(o) for o in operands]
            return call(
                f"{name}.{'l' if n.type.is_int else 'd'}{'d' * len(values)}", below, *values
            )

        found = slope(lower, in_double(n), *x)
        if sign is not None:
            found = sign * found
        return d * where(is_constant(name, n), 0.0, found)

    return product


def _gegenbauer(lower: Slope, a: Term | float, x: Term) -> Term:
    return lower("eval_gegenbauer", a, x)


_polynomial("eval_legendre", "d", lambda lower, n, x: _gegenbauer(lower, 1.5, x))
_polynomial(
    "eval_sh_legendre", "d", lambda lower, n, x: 2.0 * _gegenbauer(lower, 1.5, 2.0 * x - 1.0)
)
_polynomial("eval_chebyt", "d", lambda lower, n, x: n * lower("eval_chebyu", x))
_polynomial("eval_chebyu", "d", lambda lower, n, x: 2.0 * _gegenbauer(lower, 2.0, x))
_polynomial("eval_chebyc", "d", lambda lower, n, x: n * lower("eval_chebyu", 0.5 * x))
_polynomial("eval_chebys", "d", lambda lower, n, x: _gegenbauer(lower, 2.0, 0.5 * x))
_polynomial(
    "eval_sh_chebyt", "d", lambda lower, n, x: 2.0 * n * lower("eval_chebyu", 2.0 * x - 1.0)
)
_polynomial("eval_sh_chebyu", "d", lambda lower, n, x: 4.0 * _gegenbauer(lower, 2.0, 2.0 * x - 1.0))
_polynomial(
    "eval_gegenbauer", "pd", lambda lower, n, a, x: 2.0 * a * _gegenbauer(lower, a + 1.0, x)
)
_polynomial("eval_laguerre", "d", lambda lower, n, x: -lower("eval_genlaguerre", 1.0, x))
_polynomial("eval_genlaguerre", "pd", lambda lower, n, a, x: -lower("eval_genlaguerre", a + 1.0, x))
_polynomial("eval_hermite", "d", lambda lower, n, x: 2.0 * n * lower("eval_hermite", x), "l")
_polynomial("eval_hermitenorm", "d", lambda lower, n, x: n * lower("eval_hermitenorm", x), "l")
_polynomial(
    "eval_jacobi",
    "ppd",
    lambda lower, n, a, b, x: 0.5 * (n + a + b + 1.0) * lower("eval_jacobi", a + 1.0, b + 1.0, x),
)


def _shifted_jacobi(lower: Slope, n: Term, p: Term, q: Term, x: Term) -> Term:
    """Divided by a binomial coefficient, which the neighbour has for its own degree and p + 2."""
    return n * lower("eval_sh_jacobi", p + 2.0, q + 1.0, x)


_polynomial("eval_sh_jacobi", "ppd", _shifted_jacobi)
