"""Read constants and active memory by separate loads: a load through an address chosen from both is split.

`np.where(mask, constants, x)` becomes one load whose address was selected.  Its adjoint would need a shadow for
the constants; under a branch, each memory has its own load and only that of `x` has an adjoint.  LLVM also joins the
loads of two branches into one behind them, from a phi of their addresses; it goes back to where control comes from.
"""

from __future__ import annotations

from collections.abc import Sequence

from enzyme.engine.analysis.addresses import is_gep
from enzyme.engine.analysis.chosen import arms_of, comes_from_itself, is_choice
from enzyme.engine.analysis.kinds import Activity
from enzyme.engine.ir.clone import clone_instruction
from enzyme.engine.ir.edit import merge_edges, split_block
from enzyme.engine.ir.instructions import Call, Instruction, Load, Phi, Raw, Store
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.types import VOID, FloatType
from enzyme.engine.ir.values import Argument, Constant, GlobalVariable, Value

_MANY = 32


def separate_constants(function: Function, activities: Sequence[Activity]) -> None:
    """Split every load of a float whose address is chosen from constant and other memory."""
    pending = list(function.blocks)
    while pending:
        block = pending.pop()
        for instruction in block.instructions:
            if isinstance(instruction, Load) and isinstance(instruction.type, FloatType):
                chain = _address(instruction.pointer)
                if not chain or not _is_mixed(chain[-1], activities):
                    continue
                if isinstance(chain[-1], Phi):
                    changed = _lift(block, instruction, chain)
                else:
                    changed = _split(function, block, instruction, chain)
                if changed:
                    pending.extend(changed)
                    break


def _address(pointer: Value) -> list[Instruction]:
    """The offsets added to a chosen pointer and the select or phi, which comes last; empty if there is none."""
    chain: list[Instruction] = []
    while isinstance(pointer, Instruction):
        chain.append(pointer)
        if is_choice(pointer):
            return chain
        if not is_gep(pointer):
            break
        pointer = pointer.operands[0]
    return []


def _is_mixed(choice: Instruction, activities: Sequence[Activity]) -> bool:
    """Is the address chosen from constant and other memory, and from not too many?"""
    constant, other = _Ends(activities).count(choice)
    return constant > 0 and other > 0 and constant + other <= _MANY


class _Ends:
    """How many constant and other memories a pointer may come from, each counted once for every way to it."""

    def __init__(self, activities: Sequence[Activity]) -> None:
        self._activities = activities
        self._known: dict[Value, tuple[int, int]] = {}

    def count(self, pointer: Value, depth: int = 0) -> tuple[int, int]:
        while isinstance(pointer, Instruction) and is_gep(pointer):
            pointer = pointer.operands[0]
        if pointer not in self._known:
            self._known[pointer] = 0, 0  # for a pointer on the way to itself
            constant, other = (0, 1) if depth > _MANY else self._of(pointer, depth + 1)
            self._known[pointer] = constant, other
        return self._known[pointer]

    def _of(self, pointer: Value, depth: int) -> tuple[int, int]:
        if is_choice(pointer):
            counts = [self.count(arm, depth) for arm in arms_of(pointer)]
            return sum(c for c, _ in counts), sum(o for _, o in counts)
        if isinstance(pointer, Load):
            constant, other = self.count(pointer.pointer, depth)
            is_constant = constant > 0 and not other
        elif isinstance(pointer, Argument):
            is_constant = self._activities[pointer.index] is Activity.CONST
        else:
            is_constant = isinstance(pointer, (GlobalVariable, Constant))
        return (1, 0) if is_constant else (0, 1)


def _lift(block: Block, load: Load, chain: list[Instruction]) -> list[Block]:
    """Move a load to where the phi of its address comes from; empty if it cannot move."""
    choice, offsets = chain[-1], chain[:-1]
    assert isinstance(choice, Phi)
    if choice.parent is not block or len(set(choice.operands)) < 2 or comes_from_itself(choice):
        return []
    if not _may_lift(load, chain):
        return []
    for predecessor in dict.fromkeys(choice.blocks):
        if len(predecessor.successors()) > 1:
            merge_edges(block, [predecessor], f"{block.name}.from")
    predecessors = list(dict.fromkeys(choice.blocks))
    values: dict[Block, Value] = {}
    for predecessor in predecessors:
        there: dict[Value, Value] = {phi: phi.value_from(predecessor) for phi in block.phis()}
        for step in reversed(offsets):
            there[step] = predecessor.insert(-1, clone_instruction(step, there))
        values[predecessor] = predecessor.insert(-1, clone_instruction(load, there))
    joined = Phi(load.type, [(values[b], b) for b in choice.blocks], load.name)
    block.insert(0, joined)
    _replace(load, joined, chain)
    return [block, *predecessors]


def _may_lift(load: Load, chain: list[Instruction]) -> bool:
    """Does nothing write between the phi and the load, and is all that adds to the address known before?"""
    block = load.parent
    assert block is not None
    before = block.instructions[: block.index_of(load)]
    added = (index for step in chain[:-1] for index in step.operands[1:])
    return not any(isinstance(i, (Store, Call, Raw)) for i in before) and not any(
        isinstance(i, Instruction) and i.parent is block and not isinstance(i, Phi) for i in added
    )


def _split(function: Function, block: Block, load: Load, chain: list[Instruction]) -> list[Block]:
    condition, *choices = chain[-1].operands
    tail = split_block(block, block.index_of(load), f"{block.name}.join")
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
    _replace(load, joined, chain)
    return [block, *arms, tail]


def _replace(load: Load, joined: Phi, chain: list[Instruction]) -> None:
    load.replace_uses_with(joined)
    load.erase()
    for step in chain:
        if not step.users:
            step.erase()
