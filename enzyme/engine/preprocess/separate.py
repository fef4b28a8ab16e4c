"""Read constants and active memory by separate loads: a load through a `select` of both is split into two.

`np.where(mask, constants, x)` becomes one load whose address was chosen.  Its adjoint would need a shadow for
the constants; under a branch, each memory has its own load and only that of `x` has an adjoint.
"""

from __future__ import annotations

from collections.abc import Sequence

from enzyme.engine.analysis.addresses import is_gep
from enzyme.engine.analysis.kinds import Activity
from enzyme.engine.ir.clone import clone_instruction
from enzyme.engine.ir.edit import split_block
from enzyme.engine.ir.instructions import Instruction, Load, Phi
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.types import VOID, FloatType
from enzyme.engine.ir.values import Argument, Constant, GlobalVariable, Value


def separate_constants(function: Function, activities: Sequence[Activity]) -> None:
    """Split every load of a float whose address is selected from constant and other memory."""
    pending = list(function.blocks)
    while pending:
        block = pending.pop()
        for instruction in block.instructions:
            if isinstance(instruction, Load) and isinstance(instruction.type, FloatType):
                chain = _address(instruction.pointer)
                if chain and _is_mixed(chain[-1], activities):
                    pending.extend(_split(function, block, instruction, chain))
                    break


def _address(pointer: Value) -> list[Instruction]:
    """The offsets added to a selected pointer and the select, which comes last; empty if there is none."""
    chain: list[Instruction] = []
    while isinstance(pointer, Instruction):
        chain.append(pointer)
        if pointer.opcode == "select":
            return chain
        if not is_gep(pointer):
            break
        pointer = pointer.operands[0]
    return []


def _is_mixed(select: Instruction, activities: Sequence[Activity]) -> bool:
    constant = [_is_constant(arm, activities) for arm in select.operands[1:]]
    return any(constant) and not all(constant)


def _is_constant(pointer: Value, activities: Sequence[Activity]) -> bool:
    while isinstance(pointer, Instruction) and is_gep(pointer):
        pointer = pointer.operands[0]
    if isinstance(pointer, Argument):
        return activities[pointer.index] is Activity.CONST
    if isinstance(pointer, Instruction) and pointer.opcode == "select":
        return all(_is_constant(arm, activities) for arm in pointer.operands[1:])
    return isinstance(pointer, (GlobalVariable, Constant))


def _split(
    function: Function, block: Block, load: Load, chain: list[Instruction]
) -> tuple[Block, ...]:
    condition, *choices = chain[-1].operands
    tail = split_block(block, block.instructions.index(load), f"{block.name}.join")
    block.instructions[-1].erase()
    arms = []
    joined = Phi(load.type, (), load.name)
    for choice, label in zip(choices, ("then", "else"), strict=True):
        arm = function.append_block(f"{block.name}.{label}", after=block)
        pointer = choice
        for step in reversed(chain[:-1]):
            pointer = arm.append(clone_instruction(step, {step.operands[0]: pointer}))
        value = arm.append(clone_instruction(load, {load.pointer: pointer}))
        arm.append(Instruction("br", VOID, (tail,)))
        joined.add_incoming(value, arm)
        arms.append(arm)
    block.append(Instruction("br", VOID, (condition, *arms)))
    tail.insert(0, joined)
    load.replace_uses_with(joined)
    load.erase()
    for step in chain:
        if not step.users:
            step.erase()
    return (block, *arms, tail)
