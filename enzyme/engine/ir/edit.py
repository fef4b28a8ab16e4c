"""Edits of the control flow graph that keep phis and uses right."""

from __future__ import annotations

from collections.abc import Iterable

from enzyme.engine.ir.instructions import Instruction, Phi
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.types import VOID
from enzyme.engine.ir.values import Value, poison_of


def split_block(block: Block, index: int, name: str) -> Block:
    """Move the instructions from `index` on into a new block, reached by an unconditional branch."""
    function = block.parent
    assert function is not None
    tail = function.append_block(name, after=block)
    tail.instructions = block.instructions[index:]
    del block.instructions[index:]
    for instruction in tail.instructions:
        instruction.parent = tail
    for successor in tail.successors() if tail.is_terminated else ():
        for phi in successor.phis():
            phi.blocks = [tail if b is block else b for b in phi.blocks]
    block.append(Instruction("br", VOID, (tail,)))
    return tail


def take_return(block: Block) -> Value | None:
    """Remove the `ret` that ends the block; returns the value that it returned, if any."""
    terminator = block.terminator
    value = terminator.operands[0] if terminator.operands else None
    terminator.erase()
    return value


def redirect(predecessor: Block, old: Block, new: Block) -> None:
    """Let every edge predecessor -> old go to `new`; phis are the caller's business."""
    predecessor.terminator.replace_operand(old, new)


def merge_edges(block: Block, predecessors: Iterable[Block], name: str) -> Block:
    """Insert a block that collects the edges from `predecessors` to `block`; phis are split accordingly."""
    function = block.parent
    assert function is not None
    chosen = dict.fromkeys(predecessors)
    middle = Block(name)
    middle.parent = function
    function.blocks.insert(function.index_of(block), middle)
    for phi in block.phis():
        pairs = [(v, b) for v, b in phi.incoming if b in chosen]
        merged: Value = pairs[0][0]
        # An instruction gets a phi of its own even when all edges agree: that keeps loop-closed form.
        if any(v is not merged for v, _ in pairs) or isinstance(merged, Instruction):
            merged = middle.append(Phi(phi.type, pairs, f"{phi.name}.j" if phi.name else ""))
        phi.remove_incoming(*chosen)
        phi.add_incoming(merged, middle)
    middle.append(Instruction("br", VOID, (block,)))
    for predecessor in chosen:
        redirect(predecessor, block, middle)
    return middle


def remove_blocks(function: Function, doomed: Iterable[Block]) -> None:
    """Delete blocks that no kept block branches to."""
    gone = list(doomed)
    gone_set = set(gone)
    for block in gone:
        for successor in block.successors() if block.is_terminated else ():
            if successor not in gone_set:
                for phi in successor.phis():
                    phi.remove_incoming(block)
    for block in gone:
        for instruction in block.instructions:
            if instruction.users:
                instruction.replace_uses_with(poison_of(instruction.type))
            instruction.drop_operands()
    function.blocks = [b for b in function.blocks if b not in gone_set]


def drop_removed(function: Function) -> None:
    """Let go of what instructions that are no longer in the function still use."""
    instructions = list(function.instructions())
    present = set(instructions)
    for value in (*function.args, *instructions):
        for user in [user for user in value.users if user not in present]:
            user.drop_operands()
