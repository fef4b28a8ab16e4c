"""Float arithmetic instructions and fused multiply-add."""

from __future__ import annotations

from enzyme.engine.derivatives import bounds
from enzyme.engine.derivatives.catalogue import define, everywhere, in_c
from enzyme.engine.derivatives.products import (
    EITHER_ZERO,
    STRONG_PRODUCT,
    strong_product,
    unless_lost,
)
from enzyme.engine.derivatives.table import IDENTITY, NEGATION, OPCODES, exact, in_two
from enzyme.engine.derivatives.terms import Term, compare, intrinsic, where

OPCODES.add("fadd", IDENTITY, IDENTITY)
OPCODES.add("fsub", IDENTITY, NEGATION)
OPCODES.add("fneg", NEGATION)
OPCODES.add(
    "fmul",
    lambda d, y, a, b: d * b,
    lambda d, y, a, b: d * a,
)
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
# slope in p: such a slope has a derivative itself. Elsewhere it is the product q, with the derivative of that.


def _is_zero(d: Term) -> Term:
    return compare("oeq", d, 0.0)


define(
    STRONG_PRODUCT,
    exact(lambda t, y, d, p, q: where(_is_zero(d), strong_product(t, p), 0.0)),
    exact(lambda t, y, d, p, q: where(_is_zero(d), strong_product(d, t), 0.0)),
    exact(lambda t, y, d, p, q: where(_is_zero(d), 0.0, t)),
    bound=bounds.guarded_product,
)


# The same where either factor may be the zero one.


def _either(first: Term, second: Term) -> Term:
    return strong_product(first, second, name=EITHER_ZERO)


def _where_zero(
    d: Term, p: Term, q: Term, is_d: Term | float, is_p: Term | float, other: Term | float
) -> Term:
    return where(_is_zero(d), is_d, unless_lost(p, q, is_p, other))


define(
    EITHER_ZERO,
    exact(lambda t, y, d, p, q: _where_zero(d, p, q, _either(t, p), _either(p, t), 0.0)),
    exact(lambda t, y, d, p, q: _where_zero(d, p, q, _either(d, t), _either(t, d), 0.0)),
    exact(lambda t, y, d, p, q: _where_zero(d, p, q, 0.0, 0.0, t)),
    bound=bounds.guarded_product,
)
