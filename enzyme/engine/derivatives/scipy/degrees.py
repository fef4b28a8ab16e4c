"""Degrees of orthogonal polynomials: negative ones, which stand for others, and those of constants.

SciPy defines polynomials of negative degree by the recurrence that those of positive degree satisfy (DLMF 18.9), so
that P of Legendre has ``P(-1 - n) = P(n)``, T of Chebyshev ``T(-n) = T(n)`` and U ``U(-2 - n) = -U(n)``.
"""

from __future__ import annotations

from enzyme.engine.derivatives.terms import Term, compare, intrinsic, of, where
from enzyme.engine.ir.types import DOUBLE

# The sum of two degrees that stand for one another, and the sign between their polynomials.
_REFLECTED = {
    **dict.fromkeys(("eval_legendre", "eval_sh_legendre"), (-1, 1.0)),
    **dict.fromkeys(("eval_chebyt", "eval_chebyc", "eval_sh_chebyt"), (0, 1.0)),
    **dict.fromkeys(("eval_chebyu", "eval_chebys", "eval_sh_chebyu"), (-2, -1.0)),
}
# Those that are zero where the degree is a negative integer.
_VANISHING = frozenset(("eval_chebyu", "eval_chebys", "eval_sh_chebyu", "eval_gegenbauer"))


def reflected(name: str, n: Term) -> tuple[Term, Term | None]:
    """The degree that stands for `n`, if that is negative, and the sign of its polynomial if there is one."""
    if name not in _REFLECTED:
        return n, None
    total, sign = _REFLECTED[name]
    b = n.b
    if n.type.is_int:
        is_below = compare("slt", n, -(-total // 2))
        other = of(b, b.isub(b.const(n.type, total), n.value))
    else:
        is_below = compare("olt", n, 0.5 * total)
        other = float(total) - n
    degree = of(b, b.select(is_below.value, other.value, n.value))
    if sign > 0.0:
        return degree, None
    return degree, where(is_below, of(b, b.const(DOUBLE, -1.0)), 1.0)


def is_constant(name: str, n: Term) -> Term:
    """Is a polynomial of this degree, which `reflected` gave, a constant?"""
    if n.type.is_int:
        return compare("slt", n, 1)
    if name not in _VANISHING:
        return compare("oeq", n, 0.0)
    whole = compare("oeq", intrinsic("floor", n), n)
    return of(n.b, n.b.and_(whole.value, compare("ole", n, 0.0).value))
