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
from enzyme.engine.derivatives.table import IDENTITY, NEGATION, OPCODES, Rule, exact, in_two
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

# A product that is zero where its first factor d is. There the partial p is its slope in d, and what else it depends
# on has no influence, whatever it does; elsewhere it is the product q, with the derivative of that.


def _in_factor(name: str) -> Rule:
    return exact(lambda t, y, d, p, q: where(_is_zero(d), strong_product(t, p, name=name), 0.0))


def _is_zero(d: Term) -> Term:
    return compare("oeq", d, 0.0)


def _where_lost(d: Term, p: Term, q: Term, lost: Term | float, other: Term | float) -> Term:
    return where(_is_zero(d), 0.0, unless_lost(p, q, lost, other))


define(
    STRONG_PRODUCT,
    _in_factor(STRONG_PRODUCT),
    None,
    exact(lambda t, y, d, p, q: where(_is_zero(d), 0.0, t)),
    bound=bounds.guarded_product,
)
define(
    EITHER_ZERO,
    _in_factor(EITHER_ZERO),
    exact(lambda t, y, d, p, q: _where_lost(d, p, q, strong_product(t, d, name=EITHER_ZERO), 0.0)),
    exact(lambda t, y, d, p, q: _where_lost(d, p, q, 0.0, t)),
    bound=bounds.guarded_product,
)
