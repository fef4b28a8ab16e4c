"""Tell successful exits from failing ones.

After `split_returns`, every `ret` either always succeeds or always fails according to the request's status
convention, so "cold" is a property of blocks: a block from which no successful return can be reached.  Cold
blocks have no derivative; the reverse pass never enters them.
"""

from __future__ import annotations

from enzyme.engine.analysis.cfg import ControlFlow
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.clone import clone_instruction
from enzyme.engine.ir.edit import split_block
from enzyme.engine.ir.instructions import Phi
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.values import ConstInt, Value


def split_returns(function: Function, success: tuple[int, ...] | None) -> set[Block]:
    """Split returns of mixed status; return the blocks whose `ret` is a success."""
    returning = [b for b in function.blocks if b.is_terminated and b.terminator.opcode == "ret"]
    if success is None:
        return set(returning)
    successful: set[Block] = set()
    pending = returning
    while pending:
        block = pending.pop()
        value = block.terminator.operands[0]
        if isinstance(value, ConstInt):
            if value.value in success:
                successful.add(block)
        elif isinstance(value, Phi) and value.parent is block and len(set(value.blocks)) > 1:
            pending.extend(_duplicate_per_predecessor(function, block))
        elif (
            isinstance(value, Phi)
            and value.parent is block
            and isinstance(value.operands[0], ConstInt)
        ):
            block.terminator.set_operand(0, value.operands[0])
            pending.append(block)
        else:
            successful.add(_check_at_run_time(block, value, success))
    return successful


def cold_blocks(function: Function, successful: set[Block]) -> set[Block]:
    """Blocks that cannot reach a successful return."""
    cfg = ControlFlow(function)
    live: set[Block] = set()
    pending = list(successful)
    while pending:
        block = pending.pop()
        if block not in live:
            live.add(block)
            pending.extend(cfg.predecessors(block))
    return {b for b in function.blocks if b not in live}


def _duplicate_per_predecessor(function: Function, block: Block) -> list[Block]:
    """Give every predecessor its own copy of a returning block; values in it must not be used elsewhere."""
    copies: list[Block] = []
    predecessors = list(dict.fromkeys(block.phis()[0].blocks))
    for predecessor in predecessors[1:]:
        copy = function.append_block(block.name, after=block)
        mapping: dict[Value, Value] = {phi: phi.value_from(predecessor) for phi in block.phis()}
        for instruction in block.instructions[block.first_non_phi() :]:
            made = clone_instruction(instruction, mapping)
            copy.append(made)
            mapping[instruction] = made
        predecessor.terminator.replace_operand(block, copy)
        for phi in block.phis():
            phi.remove_incoming(predecessor)
        copies.append(copy)
    for phi in block.phis():
        only: Value = phi.operands[0]
        if isinstance(only, ConstInt):
            phi.replace_uses_with(only)
            phi.erase()
    return [block, *copies]


def _check_at_run_time(block: Block, value: Value, success: tuple[int, ...]) -> Block:
    """Branch on a status known only at run time; return the successful exit."""
    index = len(block.instructions) - 1
    normal = split_block(block, index, f"{block.name}.ok")
    function = block.parent
    assert function is not None
    failed = function.append_block(f"{block.name}.failed", after=normal)
    Builder(failed).ret(value)
    block.instructions[-1].erase()
    builder = Builder(block)
    builder.switch(value, failed, [(ConstInt(value.type, code), normal) for code in success])
    return normal
