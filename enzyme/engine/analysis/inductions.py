"""Affine inductions and trip counts.

An *induction* is a header phi whose value in iteration i is `start + i * step` (modulo 2^bits; for pointers in
units of a getelementptr), with loop-invariant start and step: the reverse pass recomputes it from the counter.

The *count* of a loop is the value of its counter when it leaves, as an expression placed in the preheader; it
is exact, or absent.  Signed and unsigned comparisons are used only where the increment cannot wrap: because of
its flags (`nsw`, `nuw`), or because the step is one towards a limit that is not passed.  An equality test with
step +-1 is exact in any case.
"""

from __future__ import annotations

from dataclasses import dataclass

from enzyme.engine.analysis.dominance import Dominators
from enzyme.engine.analysis.loops import Loop
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.dispatch import Selection
from enzyme.engine.ir.instructions import Cmp, Gep, Instruction, Phi
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.types import I64, IntType
from enzyme.engine.ir.values import ConstInt, Value

_NEGATED = {
    "eq": "ne",
    "ne": "eq",
    "slt": "sge",
    "sge": "slt",
    "sgt": "sle",
    "sle": "sgt",
    "ult": "uge",
    "uge": "ult",
    "ugt": "ule",
    "ule": "ugt",
}
_SWAPPED = {
    "slt": "sgt",
    "sgt": "slt",
    "sle": "sge",
    "sge": "sle",
    "ult": "ugt",
    "ugt": "ult",
    "ule": "uge",
    "uge": "ule",
}


@dataclass(frozen=True, slots=True, eq=False)
class Induction:
    """`phi = start + counter * step`; for pointers `step` is an index into `element` (a gep source type)."""

    phi: Phi
    loop: Loop
    start: Value
    step: Value
    negative: bool
    update: Instruction


STEPS = Selection("inductions", "a counter steps by it", ("add", "sub", "getelementptr"))


def is_invariant(value: Value, loop: Loop) -> bool:
    """Is the value defined outside the loop?"""
    return not (isinstance(value, Instruction) and value.parent in loop)


def find_inductions(loop: Loop, latch: Block, preheader: Block) -> dict[Phi, Induction]:
    found: dict[Phi, Induction] = {}
    for phi in loop.header.phis():
        if len(phi.operands) != 2:
            continue
        start, update = phi.value_from(preheader), phi.value_from(latch)
        if not isinstance(update, Instruction) or update.parent not in loop:
            continue
        if update.opcode not in STEPS:
            continue
        if isinstance(phi.type, IntType):
            left, right = update.operands
            if left is phi and is_invariant(right, loop):
                found[phi] = Induction(phi, loop, start, right, update.opcode == "sub", update)
            elif right is phi and update.opcode == "add" and is_invariant(left, loop):
                found[phi] = Induction(phi, loop, start, left, False, update)
        elif isinstance(update, Gep) and update.operands[0] is phi and len(update.operands) == 2:
            if is_invariant(update.operands[1], loop):
                found[phi] = Induction(phi, loop, start, update.operands[1], False, update)
    return found


def trip_count(
    loop: Loop,
    latch: Block,
    preheader: Block,
    inductions: dict[Phi, Induction],
    dominators: Dominators,
    cold: set[Block],
) -> Value | None:
    """The trip count, written into the preheader; None unless one test alone ends the loop in a known way."""
    leaving = list(dict.fromkeys(b for b, target in loop.exit_edges if target not in cold))
    if len(leaving) != 1 or not dominators.dominates(leaving[0], latch):
        return None
    terminator = leaving[0].terminator
    if terminator.opcode != "br" or len(terminator.operands) != 3:
        return None
    condition, then, _ = terminator.operands
    return _closed_form(condition, then in loop, loop, preheader, inductions)


def _closed_form(
    test: Value,
    stays_when_true: bool,
    loop: Loop,
    preheader: Block,
    inductions: dict[Phi, Induction],
) -> Value | None:
    if (
        not isinstance(test, Cmp)
        or test.opcode != "icmp"
        or not isinstance(test.operands[0].type, IntType)
    ):
        return None
    left, right = test.operands
    predicate = test.signed_predicate
    stay = predicate if stays_when_true else _NEGATED[predicate]
    if is_invariant(left, loop):
        left, right = right, left
        stay = _SWAPPED.get(stay, stay)
    if not is_invariant(right, loop):
        return None
    affine = _affine(left, loop, inductions)
    if affine is None:
        return None
    induction, shift = affine
    if not isinstance(induction.step, ConstInt):
        return None
    step = -induction.step.value if induction.negative else induction.step.value
    flags = induction.update.flags
    b = Builder()
    b.before(preheader.terminator)
    start = b.iadd(induction.start, ConstInt(left.type, shift), f"{induction.phi.name}.first")
    return _expand(b, stay, start, right, step, flags)


def _affine(
    value: Value, loop: Loop, inductions: dict[Phi, Induction]
) -> tuple[Induction, int] | None:
    """`value = induction + constant`, where the addition cannot wrap by itself or is the update."""
    if isinstance(value, Phi):
        found = inductions.get(value)
        return None if found is None else (found, 0)
    if (
        isinstance(value, Instruction)
        and value.opcode in ("add", "sub")
        and isinstance(value.operands[1], ConstInt)
    ):
        base = value.operands[0]
        if isinstance(base, Phi) and base in inductions:
            shift = value.operands[1].value
            induction = inductions[base]
            if value is induction.update or "nsw" in value.flags:
                return induction, -shift if value.opcode == "sub" else shift
    return None


def _expand(
    b: Builder, stay: str, start: Value, limit: Value, step: int, flags: tuple[str, ...]
) -> Value | None:
    """Smallest i >= 0 for which `start + i * step` no longer satisfies `stay limit`."""
    type_ = limit.type
    if stay == "ne" and step in (1, -1):
        distance = b.isub(limit, start) if step == 1 else b.isub(start, limit)
        return b.as_count(distance, "count")
    signed, inclusive = stay[0] == "s", stay.endswith("e")
    unit = step in (1, -1) and not inclusive
    if stay[1] == "l" and step > 0 and (unit or ("nsw" if signed else "nuw") in flags):
        span, low, high = step, start, limit
    elif stay[1] == "g" and step < 0 and (unit or (signed and "nsw" in flags)):
        span, low, high = -step, limit, start
    else:
        return None
    empty = b.icmp(
        ("sgt" if signed else "ugt") if inclusive else ("sge" if signed else "uge"), low, high
    )
    distance = b.isub(high, low)
    # ceil(distance / span), or floor(distance / span) + 1 for an inclusive test; the distance is positive here.
    if not inclusive:
        distance = b.isub(distance, ConstInt(type_, 1))
    steps = b.binary("udiv", distance, ConstInt(type_, span)) if span != 1 else distance
    wide = b.iadd(b.as_count(steps), ConstInt(I64, 1))
    return b.select(empty, ConstInt(I64, 0), wide, "count")
