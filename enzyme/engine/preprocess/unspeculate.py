"""Undo speculation: a value that only one arm of a `select` uses is computed under a branch again.

LLVM turns `log(x) if x > 0 else 0` into an unconditional logarithm and a select.  Backwards that would multiply
the zero adjoint of the arm that was not taken by an infinite partial, and do work that the primal's author had
guarded.  Chains that only compute cheap, everywhere smooth things stay speculated: their products are guarded
(`synthesis.guards`).
"""

from __future__ import annotations

from enzyme.engine.derivatives.catalogue import INTRINSIC, find
from enzyme.engine.derivatives.stated import DIFFERENTIAL, WITH_DERIVATIVE_OF
from enzyme.engine.ir.dispatch import Selection
from enzyme.engine.ir.edit import split_block
from enzyme.engine.ir.instructions import Call, Instruction, Phi
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.opcodes import opcodes
from enzyme.engine.ir.types import VOID, FloatType
from enzyme.engine.ir.values import Value

# What LLVM speculates, and what of ours stands beside it.
MOVABLE_CALLS = (INTRINSIC, WITH_DERIVATIVE_OF, DIFFERENTIAL)


MOVABLE = Selection(
    "unspeculate",
    "it goes back under the branch that guards it",
    (
        *opcodes("float arithmetic"),
        *"fcmp freeze fptrunc fpext fptoui fptosi sitofp uitofp select".split(),
    ),
)
HAZARDOUS = Selection("unspeculate", "its partial derivative may be infinite", ("fdiv", "frem"))


def unspeculate(function: Function) -> None:
    """Turn every such select of the function into control flow."""
    pending = list(function.blocks)
    while pending:
        block = pending.pop()
        for instruction in reversed(block.instructions):
            if instruction.opcode != "select" or not isinstance(instruction.type, FloatType):
                continue
            chains = [_guarded_chain(arm, instruction) for arm in instruction.operands[1:]]
            if any(_is_hazardous(i) for chain in chains for i in chain):
                pending.extend(_split(function, block, instruction, chains))
                break


def _guarded_chain(arm: Value, user: Instruction) -> list[Instruction]:
    """Instructions of the same block that only serve this arm, users before operands."""
    chain: list[Instruction] = []
    members: set[Instruction] = {user}
    pending = [arm]
    while pending:
        value = pending.pop()
        if (
            not isinstance(value, Instruction)
            or isinstance(value, Phi)
            or value.parent is not user.parent
            or not _is_movable(value)
            or not set(value.users) <= members
            or value in members
            or (value is not arm and user in value.users)
            or (value is arm and user.operands.count(value) != 1)
            or value is user.operands[0]
        ):
            continue
        members.add(value)
        chain.append(value)
        pending.extend(value.operands)
    assert user.parent is not None
    return sorted(chain, key=user.parent.index_of)


def _is_movable(i: Instruction) -> bool:
    if isinstance(i, Call):
        return i.callee_name.startswith(MOVABLE_CALLS) and isinstance(i.type, FloatType)
    return i.opcode in MOVABLE


def _is_hazardous(i: Instruction) -> bool:
    """Can the partial derivative be infinite, or is the call expensive?"""
    if isinstance(i, Call):
        entry = find(i.callee_name)
        return entry is None or not entry.smooth
    return i.opcode in HAZARDOUS


def _split(
    function: Function, block: Block, select: Instruction, chains: list[list[Instruction]]
) -> list[Block]:
    condition, then, other = select.operands
    tail = split_block(block, block.index_of(select), f"{block.name}.join")
    block.instructions[-1].erase()
    arms: list[Block] = []
    for chain, label in zip(chains, ("then", "else"), strict=True):
        arm = function.append_block(f"{block.name}.{label}", after=block)
        for instruction in chain:
            instruction.remove()
            arm.append(instruction)
        arm.append(Instruction("br", VOID, (tail,)))
        arms.append(arm)
    block.append(Instruction("br", VOID, (condition, *arms)))
    joined = Phi(select.type, [(then, arms[0]), (other, arms[1])], select.name)
    tail.insert(0, joined)
    select.replace_uses_with(joined)
    select.erase()
    return [block, *arms, tail]
