"""Removal of what has no effect: dead instructions and unreachable blocks.

A call is dead only where attributes say that it writes nothing, returns and does not unwind, or where it is an
intrinsic that computes a number. Debug records never keep a value alive; they are left to describe poison.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from enzyme.engine.ir.dispatch import Dispatch
from enzyme.engine.ir.instructions import Call, Instruction
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.opcodes import CALLS, DEBUG_RECORDS, INSTRUCTIONS, PURE, READS
from enzyme.engine.ir.types import Type
from enzyme.engine.ir.values import poison_of

_MEMORY = re.compile(r"\bmemory\(([^)]*)\)")


def has_side_effects(inst: Instruction) -> bool:
    """May running this instruction change anything but its own result?"""
    handler = EFFECTS.handlers[inst.opcode]
    return handler is not None and handler(inst)


def _always(inst: Instruction) -> bool:
    return True


def _load_has_effects(inst: Instruction) -> bool:
    return bool(inst.flags)


def _call_has_effects(call: Instruction) -> bool:
    assert isinstance(call, Call)
    if call.callee_name.startswith("llvm.") and _computes(call):
        return False
    callee = call.callee
    module = call.parent.parent.module if call.parent and call.parent.parent else None
    if isinstance(callee, Function):
        module = callee.module or module
    texts = call.fn_attributes if module is None else module.with_groups(call.fn_attributes)
    if isinstance(callee, Function):
        texts += " " + callee.attribute_texts()
    words = set(texts.split())
    if "nounwind" not in words or "willreturn" not in words:
        return True
    if words & {"readnone", "readonly"}:
        return False
    memory = _MEMORY.search(texts)
    return memory is None or "write" in memory[1]


def _computes(call: Call) -> bool:
    """Does it make a number, or several, of numbers? An intrinsic that does has no effect, whatever attributes its
    declaration carries (a new one has none yet)."""
    makes = call.type.is_aggregate or _is_number(call.type)
    return makes and bool(call.arguments) and all(_is_number(a.type) for a in call.arguments)


def _is_number(type_: Type) -> bool:
    return type_.scalar.is_float or type_.scalar.is_int


_SEEN_TO = {READS: _load_has_effects, CALLS: _call_has_effects}

EFFECTS: Dispatch[Callable[[Instruction], bool]] = Dispatch(
    "effects",
    "what must stay though nobody uses its result",
    INSTRUCTIONS,
    {o.name: _SEEN_TO.get(o.effect, _always) for o in INSTRUCTIONS.values() if o.effect != PURE},
    ignored=[o.name for o in INSTRUCTIONS.values() if o.effect == PURE],
)


def is_debug_record(inst: Instruction) -> bool:
    return inst.opcode in DEBUG_RECORDS


def remove_dead(function: Function) -> int:
    """Erase instructions that nothing with an effect depends on, cycles included; returns their number."""
    live: set[Instruction] = set()
    pending: list[Instruction] = []
    for inst in function.instructions():
        if has_side_effects(inst) and not is_debug_record(inst):
            live.add(inst)
            pending.append(inst)
    while pending:
        for operand in pending.pop().operands:
            if isinstance(operand, Instruction) and operand not in live:
                live.add(operand)
                pending.append(operand)
    removed = 0
    for block in function.blocks:
        dead: list[Instruction] = []
        kept: list[Instruction] = []
        for inst in block.instructions:
            if inst in live:
                kept.append(inst)
            elif is_debug_record(inst):
                for index, operand in enumerate(inst.operands):
                    if isinstance(operand, Instruction) and operand not in live:
                        inst.set_operand(index, poison_of(operand.type))
                kept.append(inst)
            else:
                dead.append(inst)
        if dead:
            removed += len(dead)
            block.instructions = kept
            for inst in dead:
                inst.drop_operands()
                inst.parent = None
    return removed


def remove_unreachable_blocks(function: Function) -> int:
    """Erase blocks that the entry does not reach; returns their number."""
    if not function.blocks:
        return 0
    reached = {function.entry}
    pending = [function.entry]
    while pending:
        for successor in pending.pop().successors():
            if successor not in reached:
                reached.add(successor)
                pending.append(successor)
    gone = [block for block in function.blocks if block not in reached]
    if gone:
        remove_blocks(function, gone)
    return len(gone)


def remove_blocks(function: Function, gone: list[Block]) -> None:
    """Erase blocks that no other block jumps to; uses of their values become poison."""
    members = set(gone)
    for block in gone:
        for successor in block.successors() if block.is_terminated else ():
            if successor not in members:
                for phi in successor.phis():
                    phi.remove_incoming(block)
    for block in gone:
        for inst in block.instructions:
            inst.drop_operands()
            inst.parent = None
    for block in gone:
        for inst in block.instructions:
            if inst.users:
                inst.replace_uses_with(poison_of(inst.type))
        block.instructions = []
        block.parent = None
    function.blocks = [block for block in function.blocks if block not in members]


__all__ = [
    "has_side_effects",
    "is_debug_record",
    "remove_blocks",
    "remove_dead",
    "remove_unreachable_blocks",
]
