"""Minimum, maximum, absolute value, sign transfer: the conventions at ties, zeros and nan.

A maximum passes its derivative to b exactly if a < b (a tie or a nan goes to a); a minimum to a
exactly if a < b (a tie or a nan goes to b). |x| has slope +1 at both zeros.
"""

from __future__ import annotations

from enzyme.engine.derivatives import bounds
from enzyme.engine.derivatives.catalogue import define, everywhere, in_c
from enzyme.engine.derivatives.table import Rule, exact
from enzyme.engine.derivatives.terms import Term, compare, intrinsic, lanes, of, where
from enzyme.engine.ir.instructions import Instruction
from enzyme.engine.ir.types import I32
from enzyme.engine.ir.values import ConstInt

_LARGER = (
    exact(lambda d, y, a, b: where(compare("olt", a, b), 0.0, d)),
    exact(lambda d, y, a, b: where(compare("olt", a, b), d, 0.0)),
)
_SMALLER = _LARGER[::-1]

define(f"llvm.maxnum {in_c('fmax')}", *_LARGER, bound=bounds.larger, cheap=True, smooth=True)
define(f"llvm.minnum {in_c('fmin')}", *_SMALLER, bound=bounds.smaller, cheap=True, smooth=True)
define(f"llvm.maximum {in_c('fmaximum')}", *_LARGER, bound=bounds.larger, cheap=True)
define(f"llvm.minimum {in_c('fminimum')}", *_SMALLER, bound=bounds.smaller, cheap=True)
define(f"llvm.maximumnum {in_c('fmaximum_num')}", *_LARGER, bound=bounds.larger, cheap=True)
define(f"llvm.minimumnum {in_c('fminimum_num')}", *_SMALLER, bound=bounds.smaller, cheap=True)
define(
    everywhere("fabs"),
    exact(lambda d, y, x: where(compare("olt", x, 0.0), -d, d)),
    bound=bounds.magnitude,
    cheap=True,
    smooth=True,
)


def same_sign(d: Term, y: Term, x: Term, sign: Term) -> Term:
    """The sign bits of both operands, applied to d."""
    one = x.like(1.0)
    return d * (intrinsic("copysign", one, x) * intrinsic("copysign", one, sign))


define(
    everywhere("copysign"),
    exact(same_sign),
    None,
    bound=bounds.with_sign,
    cheap=True,
    smooth=True,
)
define(
    in_c("fdim"),
    exact(lambda d, y, a, b: where(compare("ogt", a, b), d, 0.0)),
    exact(lambda d, y, a, b: where(compare("ogt", a, b), -d, 0.0)),
)


# Extremum of a vector: the first lane that equals the result carries the derivative.


def _extremum_tangent(d: Term, y: Term, v: Term) -> Term:
    chosen = d.lane(lanes(v.type) - 1)
    for k in reversed(range(lanes(v.type) - 1)):
        chosen = where(compare("oeq", v.lane(k), y), d.lane(k), chosen)
    return chosen


def _extremum_adjoint(d: Term, y: Term, v: Term) -> Term:
    b = d.b
    made = b.zero(v.type)
    left = d
    for k in range(lanes(v.type)):
        place = ConstInt(I32, k)
        if k == lanes(v.type) - 1:
            share = left
        else:
            hit = compare("oeq", v.lane(k), y)
            share = where(hit, left, 0.0)
            left = where(hit, 0.0, left)
        made = b.add(Instruction("insertelement", v.type, (made, share.value, place)))  # type: ignore[assignment]
    return of(b, made)


define(
    "llvm.vector.reduce.fmax llvm.vector.reduce.fmin "
    "llvm.vector.reduce.fmaximum llvm.vector.reduce.fminimum",
    Rule(_extremum_tangent, _extremum_adjoint, exact=True),
)
