"""Float arithmetic instructions and fused multiply-add."""

from __future__ import annotations

from enzyme.engine.derivatives.table import IDENTITY, NEGATION, OPCODES, SYMBOLS, Term, intrinsic

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
    lambda d, y, a, b: -(d / b) * y,
    note="the quotient itself is used: the numerator need not be kept",
)


def minus_quotient(d: Term, y: Term, a: Term, b: Term) -> Term:
    """-n d where a = n b + y. Rounding a/b would miss n by one just below a multiple of b (1.0 and
    0.1 are such), a - y does not."""
    return -d * intrinsic("rint", (a - y) / b)


OPCODES.add("frem", IDENTITY, minus_quotient)
SYMBOLS.add("fmod fmodf fmodl", IDENTITY, minus_quotient)
SYMBOLS.add("remainder remainderf remainderl drem dremf", IDENTITY, minus_quotient)

SYMBOLS.add(
    "llvm.fma llvm.fmuladd fma fmaf fmal",
    lambda d, y, a, b, c: d * b,
    lambda d, y, a, b, c: d * a,
    IDENTITY,
)
