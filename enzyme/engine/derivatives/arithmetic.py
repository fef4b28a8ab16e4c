"""Float arithmetic instructions and fused multiply-add."""

from __future__ import annotations

from enzyme.engine.derivatives import bounds
from enzyme.engine.derivatives.catalogue import define, everywhere, in_c
from enzyme.engine.derivatives.products import (
    EITHER_ZERO,
    LAST_EITHER_ZERO,
    LAST_STRONG_PRODUCT,
    STRONG_PRODUCT,
    strong_product,
    unless_lost,
)
from enzyme.engine.derivatives.table import IDENTITY, NEGATION, OPCODES, exact, in_two
from enzyme.engine.derivatives.terms import Term, compare, intrinsic, where

OPCODES.add("fadd", IDENTITY, IDENTITY)
OPCODES.add("fsub", IDENTITY, NEGATION)
OPCODES.add("fneg", NEGATION)


def _in_first(d: Term, y: Term, a: Term, b: Term) -> Term:
    """Of a square, both: 2a does not wait for d, and is infinite only where the square is."""
    return d * (a + a) if a is b else d * b


def _in_second(d: Term, y: Term, a: Term, b: Term) -> Term | None:
    return None if a is b else d * a


OPCODES.add("fmul", _in_first, _in_second)
OPCODES.add(
    "fdiv",
    lambda d, y, a, b: d / b,
    in_two(lambda d, y, a, b: -(d / b), lambda d, y, a, b: y),
    note="the quotient itself is used: the numerator need not be kept",
)


def minus_quotient(d: Term, y: Term, a: Term, b: Term) -> Term:
    """-n d where a = n b + y. Rounding a/b would miss n by one just below a multiple of b (1.0 and
    0.1 are such), a - y does not."""
    return -d * intrinsic("rint", (a - y) / b)


OPCODES.add("frem", IDENTITY, minus_quotient)
define(in_c("fmod"), IDENTITY, minus_quotient)
define(in_c("remainder") + " drem dremf", IDENTITY, minus_quotient)

define(
    everywhere("fma") + " llvm.fmuladd",
    lambda d, y, a, b, c: d * b,
    lambda d, y, a, b, c: d * a,
    IDENTITY,
    bound=bounds.product_and_sum,
    cheap=True,
    smooth=True,
)

# A product that is zero where its first factor d is. There the partial p is its slope in d, and d, which is zero, its
# slope in p: of use where that is differentiated again. Elsewhere it is the product q, with the derivative of that.


def _is_zero(d: Term) -> Term:
    return compare("oeq", d, 0.0)


_STRONG_IN_D = exact(lambda t, y, d, p, q: where(_is_zero(d), strong_product(t, p), 0.0))
_STRONG_IN_P = exact(lambda t, y, d, p, q: where(_is_zero(d), strong_product(d, t), 0.0))
_STRONG_IN_Q = exact(lambda t, y, d, p, q: where(_is_zero(d), 0.0, t))


# The same where either factor may be the zero one.


def _either(first: Term, second: Term) -> Term:
    return strong_product(first, second, name=EITHER_ZERO)


def _where_zero(
    d: Term, p: Term, q: Term, is_d: Term | float, is_p: Term | float, other: Term | float
) -> Term:
    return where(_is_zero(d), is_d, unless_lost(p, q, is_p, other))


_EITHER_IN_D = exact(lambda t, y, d, p, q: _where_zero(d, p, q, _either(t, p), _either(p, t), 0.0))
_EITHER_IN_P = exact(lambda t, y, d, p, q: _where_zero(d, p, q, _either(d, t), _either(t, d), 0.0))
_EITHER_IN_Q = exact(lambda t, y, d, p, q: _where_zero(d, p, q, 0.0, 0.0, t))
_EITHER_LAST_IN_D = exact(lambda t, y, d, p, q: where(_is_zero(d), _either(t, p), 0.0))
_EITHER_LAST_IN_P = exact(lambda t, y, d, p, q: _where_zero(d, p, q, 0.0, _either(t, d), 0.0))

for _name, _rules in {
    STRONG_PRODUCT: (_STRONG_IN_D, _STRONG_IN_P, _STRONG_IN_Q),
    LAST_STRONG_PRODUCT: (_STRONG_IN_D, None, _STRONG_IN_Q),
    EITHER_ZERO: (_EITHER_IN_D, _EITHER_IN_P, _EITHER_IN_Q),
    LAST_EITHER_ZERO: (_EITHER_LAST_IN_D, _EITHER_LAST_IN_P, _EITHER_IN_Q),
}.items():
    define(_name, *_rules, bound=bounds.guarded_product)
