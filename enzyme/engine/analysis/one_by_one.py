"""Loops whose iterations must run one after the other."""

from __future__ import annotations

from enzyme.engine.analysis.alias import AliasOracle
from enzyme.engine.analysis.loop_indices import LoopFacts
from enzyme.engine.analysis.loops import Loop
from enzyme.engine.ir.instructions import Instruction, Load, Phi, Store
from enzyme.engine.ir.types import FloatType
from enzyme.engine.ir.values import Value

# Loops with more are not looked at.
_MOST_STORES = 16


def is_one_by_one(loop: Loop, facts: LoopFacts, oracle: AliasOracle) -> bool:
    """Must the iterations of a loop run one after the other, so that its functions are not computed in vectors?

    It carries a number that it does not only add to, in a register or in memory, or stores to places that are looked
    up.
    """
    if loop.children or facts.trips.get(loop) is None:
        return False
    (latch,) = loop.latches
    for phi in loop.header.phis():
        if isinstance(phi.type, FloatType) and not _only_adds(phi, phi.value_from(latch), loop):
            return True
    inside = [i for block in loop.blocks for i in block.instructions]
    stores = [i for i in inside if isinstance(i, Store)]
    if any(_is_looked_up(store.pointer, loop) for store in stores):
        return True
    loads = [i for i in inside if isinstance(i, Load)] if len(stores) <= _MOST_STORES else []
    size_of = oracle.summaries.layout.size_of
    return any(
        store.pointer is not load.pointer
        and oracle.may_write(store, load.pointer, size_of(load.type), load)
        for store in stores
        for load in loads
    )


def _only_adds(phi: Phi, update: Value, loop: Loop) -> bool:
    """Is it a sum that nobody looks at before the loop is over, or carried along?"""
    if update is phi:
        return True
    if not isinstance(update, Instruction) or update.parent not in loop:
        return True
    if update.opcode not in ("fadd", "fsub"):
        return False
    return all(
        [u for u in v.users if u.parent in loop] == [w] for v, w in ((phi, update), (update, phi))
    )


def _is_looked_up(pointer: Value, loop: Loop) -> bool:
    """Does an address depend on what the loop loads?"""
    seen: set[Value] = set()
    pending = [pointer]
    while pending:
        value = pending.pop()
        if value in seen or not isinstance(value, Instruction) or value.parent not in loop:
            continue
        if isinstance(value, Load):
            return True
        seen.add(value)
        if not isinstance(value, Phi):
            pending += value.operands
    return False
