"""What becomes of the adjoints' stack variables when a reverse pass is complete.

Each variable is zero before its first use. One that a single block uses, and leaves as zero, is no variable at all: its
loads are the values that were stored last. The others become zero as late as can be, so that what turns them into
registers does not carry them through the whole function.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from enzyme.engine.analysis.cfg import ControlFlow
from enzyme.engine.analysis.dataflow import blocks_in_cycles
from enzyme.engine.analysis.dominance import Dominators
from enzyme.engine.ir.instructions import Alloca, Instruction, Load, Store
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.values import Value, is_zero, zero_of


def settle_slots(function: Function, slots: Mapping[Alloca, Store]) -> set[Instruction]:
    """Do it for the variables of `function` that are to be set to zero where it begins, and are not placed yet.

    Returns those, and the stores of zero, that have no place there any more.
    """
    gone: set[Instruction] = set()
    within: dict[Block, dict[Alloca, Value]] = {}
    spread: list[tuple[Store, dict[Block, None]]] = []
    for slot, entering in slots.items():
        if not all(_is_access(user, slot) for user in slot.users):
            continue
        blocks = {user.parent: None for user in slot.users if user.parent is not None}
        if len(blocks) == 1:
            zero = zero_of(slot.allocated_type)
            within.setdefault(next(iter(blocks)), {})[slot] = zero
        elif blocks:
            spread.append((entering, blocks))
    for block, found in within.items():
        kept = _left_as_zero(block, found)
        _keep_in_registers(block, kept)
        for slot in kept:
            slots[slot].drop_operands()
            gone.update((slot, slots[slot]))
    if spread:
        gone.update(_begin_late(function, spread))
    return gone


def _is_access(user: Instruction, slot: Alloca) -> bool:
    """Is it a load from the variable, or a store to it?"""
    if isinstance(user, Store):
        return user.pointer is slot and user.operands[0] is not slot
    return isinstance(user, Load)


def _left_as_zero(block: Block, slots: dict[Alloca, Value]) -> dict[Alloca, Value]:
    """Those of the variables to which the block stores zero after all else."""
    last: dict[Alloca, bool] = {}
    for i in block.instructions:
        if isinstance(i, (Load, Store)) and i.pointer in slots:
            assert isinstance(i.pointer, Alloca)
            last[i.pointer] = isinstance(i, Store) and is_zero(i.operands[0])
    return {slot: value for slot, value in slots.items() if last.get(slot)}


def _keep_in_registers(block: Block, values: dict[Alloca, Value]) -> None:
    """Replace loads by what was stored, and sums with zero where the sign of zero does not count."""
    if not values:
        return
    kept: list[Instruction] = []
    for i in block.instructions:
        if isinstance(i, (Load, Store)) and i.pointer in values:
            assert isinstance(i.pointer, Alloca)
            if isinstance(i, Load):
                i.replace_uses_with(values[i.pointer])
            else:
                values[i.pointer] = i.operands[0]
        elif i.opcode == "fadd" and "nsz" in i.flags and is_zero(i.operands[0]):
            i.replace_uses_with(i.operands[1])
        else:
            kept.append(i)
            continue
        i.drop_operands()
        i.parent = None
    block.instructions = kept


def _begin_late(
    function: Function, spread: list[tuple[Store, dict[Block, None]]]
) -> Iterator[Store]:
    """Put the first zero at the last place that is passed once, and before all uses."""
    dominators = Dominators(ControlFlow(function))
    # The reverse of a loop that is left in its middle is entered there, and no loop of the usual kind.
    repeated = blocks_in_cycles(function)
    number = {block: k for k, block in enumerate(dominators.preorder)}
    for entering, blocks in spread:
        reached = [b for b in blocks if b in number]
        if not reached:
            continue
        # What dominates the first and the last of them dominates those between.
        first, last = min(reached, key=number.__getitem__), max(reached, key=number.__getitem__)
        place: Block | None = dominators.common(first, last)
        while place is not None and place in repeated:
            place = dominators.idom(place)
        if place is not None and place is not function.entry:
            place.insert(place.first_non_phi(), entering)
            yield entering
