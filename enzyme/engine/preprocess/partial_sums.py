"""A sum over two loops, taken for the inner one first: ``total += term`` in both becomes a sum of sums.

Rounding is another one then, so it is done only where nobody learns the sum itself, as in the reverse pass of a
likelihood: of what is added up, derivatives need nothing.

A sum to which something is added on some ways only, where loops inside run at all, gets nothing added on the others:
that changes no number.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from enzyme.engine.analysis.loops import Loop
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.dispatch import Selection
from enzyme.engine.ir.instructions import Instruction, Phi, Store
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.types import FloatType
from enzyme.engine.ir.values import Argument, Value
from enzyme.engine.preprocess.canonical_loops import latch_of

_LINEAR = Selection(
    "partial_sums",
    "its derivative with respect to a sum is the same whatever the sum is",
    ("fadd", "fsub", "fmul", "fdiv", "fneg", "fptrunc", "fpext", "phi"),
)


@dataclass(frozen=True, slots=True)
class PartialSum:
    """The sum `phi` of a loop goes from `start` to the sum `inner` of a loop inside of it, there on as `update`, and
    comes back as `after`."""

    phi: Phi
    inner: Phi
    start: Block
    update: Instruction
    after: Phi


def find_partial_sum(phi: Phi, loop: Loop, unread: Collection[Argument]) -> PartialSum | None:
    """A sum of the loop that goes on in one loop inside of it and is needed for nothing but what is stored behind
    `unread` pointers."""
    for child in loop.children:
        for inner in child.header.phis():
            if child.preheader is None or len(child.latches) != 1 or phi not in inner.operands:
                continue
            update = inner.value_from(latch_of(child))
            if inner.value_from(child.preheader) is not phi or not _adds(inner, update, child):
                continue
            assert isinstance(update, Instruction)
            after = _behind(phi, update, loop, child)
            if after is not None and {u for u in phi.users if u.parent in loop} <= {inner, after}:
                found = PartialSum(phi, inner, child.preheader, update, after)
                return found if _is_unread(found, unread) else None
    return None


def _behind(phi: Phi, update: Instruction, loop: Loop, child: Loop) -> Phi | None:
    """The sum behind the inner loop, whether this ran or not, where it is handed to the next iteration or added to."""
    closed = [u for u in update.users if u.parent not in child]
    if len(closed) != 1 or not isinstance(closed[0], Phi) or closed[0].parent not in loop:
        return None
    after = closed[0]
    if after.operands != [update]:
        return None
    joins = [u for u in after.users if isinstance(u, Phi) and u.parent in loop]
    if len(after.users) == 1 and len(joins) == 1 and joins[0].parent is not loop.header:
        after = joins[0]
        if not all(v is phi or v is closed[0] for v in after.operands):
            return None
    following = phi.value_from(latch_of(loop))
    fits = isinstance(following, Instruction) and following.parent is after.parent
    return after if fits else None


@dataclass(frozen=True, slots=True)
class SumOnSomeWays:
    """`phi` of a loop is `after` in the next iteration: the number itself, or one of the `sums`."""

    phi: Phi
    after: Phi
    sums: list[Instruction]


def find_sum_on_some_ways(phi: Phi, loop: Loop) -> SumOnSomeWays | None:
    after = phi.value_from(latch_of(loop))
    if not isinstance(after, Phi) or not isinstance(phi.type, FloatType):
        return None
    if after.parent not in loop or after.parent is loop.header:
        return None
    sums = [
        v
        for v in dict.fromkeys(after.operands)
        if isinstance(v, Instruction) and _term(v, phi) is not None and list(v.users) == [after]
    ]
    if {*sums, phi} != set(after.operands) or len({v.opcode for v in sums}) != 1:
        return None
    inside = {u for u in phi.users if u.parent in loop}
    return SumOnSomeWays(phi, after, sums) if inside == {after, *sums} else None


def _term(value: Value, phi: Phi) -> Value | None:
    """What a sum adds to the number, or takes off it, and is not the number itself."""
    if not isinstance(value, Instruction) or value.opcode not in ("fadd", "fsub"):
        return None
    one, other = value.operands
    if one is phi:
        return None if other is phi else other
    return one if other is phi and value.opcode == "fadd" else None


def write_sum_on_all_ways(found: SumOnSomeWays) -> list[Instruction]:
    """Add something on all ways, where they have come together; what is new."""
    after, first = found.after, found.sums[0]
    block = after.parent
    assert block is not None
    terms = Phi(after.type, (), f"{after.name}.term" if after.name else "")
    block.insert(0, terms)
    b = Builder(block, block.first_non_phi())
    nothing = b.const(found.phi.type, -0.0 if first.opcode == "fadd" else 0.0)
    for value, source in after.incoming:
        terms.add_incoming(_term(value, found.phi) or nothing, source)
    flags = tuple(f for f in first.flags if all(f in each.flags for each in found.sums))
    total = b.add(Instruction(first.opcode, after.type, (found.phi, terms), "", flags))
    after.replace_uses_with(total)
    after.erase()
    for each in found.sums:
        each.erase()
    return [terms, total]


def _adds(inner: Phi, update: Value, child: Loop) -> bool:
    return _term(update, inner) is not None and all(
        [u for u in v.users if u.parent in child] == [w]
        for v, w in ((inner, update), (update, inner))
    )


def _is_unread(found: PartialSum, unread: Collection[Argument]) -> bool:
    """Does nothing depend on the sum but numbers that nobody reads, and these in such a way that no derivative does?"""
    seen: set[Value] = {found.phi, found.inner, found.update}
    pending = [u for v in (found.phi, found.update, found.after) for u in v.users]
    while pending:
        user = pending.pop()
        if user in seen:
            continue
        seen.add(user)
        if isinstance(user, Store):
            if user.pointer not in unread or not _is_only_stored_to(user.pointer):
                return False
        elif user.opcode in _LINEAR and isinstance(user.type, FloatType):
            pending += user.users
        else:
            return False
    return not any(
        isinstance(v, Instruction)
        and (
            (v.opcode == "fmul" and seen.issuperset(v.operands))
            or (v.opcode == "fdiv" and v.operands[1] in seen)
        )
        for v in seen
    )


def _is_only_stored_to(pointer: Value) -> bool:
    return all(isinstance(user, Store) and user.value is not pointer for user in pointer.users)


def write_partial_sum(found: PartialSum) -> Instruction:
    """Take the sum for the inner loop first; what is added in each iteration of the outer one."""
    after = found.after
    block = after.parent
    assert block is not None
    b = Builder(block, block.first_non_phi())
    # The number that changes nothing.
    nothing = b.const(found.phi.type, -0.0)
    total = b.add(Instruction("fadd", found.phi.type, (found.phi, after), "", found.update.flags))
    for user in list(after.users):
        if user is not total:
            user.replace_operand(after, total)
    for place, value in enumerate(after.operands):
        if value is found.phi:
            after.set_operand(place, nothing)
    found.inner.set_operand(found.inner.blocks.index(found.start), nothing)
    return total


__all__ = [
    "PartialSum",
    "SumOnSomeWays",
    "find_partial_sum",
    "find_sum_on_some_ways",
    "write_partial_sum",
    "write_sum_on_all_ways",
]
