"""Undo speculation: a value that only one arm of a `select` uses is computed under a branch again.

LLVM turns `log(x) if x > 0 else 0` into an unconditional logarithm and a select.  Backwards that would multiply
the zero adjoint of the arm that was not taken by an infinite partial, and do work that the primal's author had
guarded.  Chains that only compute cheap, everywhere smooth things stay speculated; what such a chain computes may
still be NaN or infinite where its arm is not taken, so `only_selected` names its members: their zero adjoints
must not be multiplied by that.  LLVM also computes before a loop what a branch in the loop divides by; `idle_chains`
names what control may pass without using it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from enzyme.engine.ir.edit import split_block
from enzyme.engine.ir.instructions import Call, Instruction, Load, Phi
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.types import VOID, FloatType
from enzyme.engine.ir.values import Value

SMOOTH_CALLS = (
    "llvm.fabs",
    "llvm.fma",
    "llvm.fmuladd",
    "llvm.copysign",
    "llvm.minnum",
    "llvm.maxnum",
)


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


def only_selected(blocks: Iterable[Block]) -> set[Instruction]:
    """Products and calls that matter only if a select chooses them; `blocks` come in reverse postorder."""
    found: set[Instruction] = set()
    for block in reversed(list(blocks)):
        for i in reversed(block.instructions):
            if i.type.scalar.is_float and i.users and not isinstance(i, (Phi, Load)):
                if all(user in found or _chooses(user, i) for user in i.users):
                    found.add(i)
    return {i for i in found if i.opcode == "call" or not any(o.is_constant for o in i.operands)}


def idle_chains(blocks: Iterable[Block], cold: Container[Block]) -> set[Instruction]:
    """Chains with an infinite partial somewhere that may go unused where they were computed."""
    order = list(blocks)
    hazards: set[Instruction] = set()
    for block in order:
        for i in block.instructions:
            if i.type.scalar.is_float and i.users and not isinstance(i, (Phi, Load)):
                if _is_hazardous(i) or any(o in hazards for o in i.operands):
                    hazards.add(i)
    idle: set[Instruction] = set()
    for block in reversed(order):
        for i in reversed(block.instructions):
            if i in hazards and _may_go_unused(i, idle, cold):
                idle.add(i)
    divides = ("call", "fdiv", "frem")
    return {i for i in idle if i.opcode in divides or not any(o.is_constant for o in i.operands)}


def _may_go_unused(i: Instruction, idle: Container[Instruction], cold: Container[Block]) -> bool:
    """Is there a way on from the instruction, to an exit or to itself, without a use that has an adjoint?"""
    block = i.parent
    assert block is not None
    places: set[Block] = set()
    edges: set[tuple[Block, Block]] = set()
    for user in i.users:
        if user in idle or user.parent is None or user.opcode in _WITHOUT_ADJOINT:
            continue
        if isinstance(user, Phi):
            edges.update((source, user.parent) for v, source in user.incoming if v is i)
        elif user.parent is block:
            return False
        else:
            places.add(user.parent)
    if not places and not edges:
        return any(user in idle for user in i.users)
    pending, seen = [block], {block}
    while pending:
        here = pending.pop()
        onward = [s for s in here.successors() if s not in cold]
        if not onward:
            return True
        for successor in onward:
            if (here, successor) in edges or successor in places:
                continue
            if successor is block:
                return True
            if successor not in seen:
                seen.add(successor)
                pending.append(successor)
    return False


_WITHOUT_ADJOINT = frozenset({"fcmp", "icmp", "br", "switch", "fptosi", "fptoui"})


def _chooses(user: Instruction, arm: Instruction) -> bool:
    return user.opcode == "select" and user.operands[0] is not arm


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
    position = {i: k for k, i in enumerate(user.parent.instructions)}
    return sorted(chain, key=lambda i: position[i])


def _is_movable(i: Instruction) -> bool:
    if isinstance(i, Call):
        return i.callee_name.startswith("llvm.") and isinstance(i.type, FloatType)
    return not isinstance(i, Load) and (
        i.opcode[0] == "f" or i.opcode in ("sitofp", "uitofp", "select")
    )


def _is_hazardous(i: Instruction) -> bool:
    """Can the partial derivative be infinite, or is the call expensive?"""
    if isinstance(i, Call):
        return not i.callee_name.startswith(SMOOTH_CALLS)
    return i.opcode in ("fdiv", "frem")


def _split(
    function: Function, block: Block, select: Instruction, chains: list[list[Instruction]]
) -> list[Block]:
    condition, then, other = select.operands
    tail = split_block(block, block.instructions.index(select), f"{block.name}.join")
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
