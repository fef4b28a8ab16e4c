"""Loops whose numbers leave them by phis alone, in the block behind."""

from __future__ import annotations

from enzyme.engine.analysis.loops import Loop
from enzyme.engine.ir.instructions import Instruction, Phi
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.values import Value


def close(loop: Loop, latch: Block, target: Block) -> None:
    """Have what is used behind the loop go through a phi where it ends, from `latch` to `target`."""
    for i in [i for block in loop.blocks for i in block.instructions]:
        behind = users_behind(loop, i)
        if behind:
            closed = Phi(i.type, [(i, latch)], f"{i.name}.closed" if i.name else "")
            target.insert(0, closed)
            for user, _ in behind:
                _replace_behind(user, i, closed, loop)


def users_behind(loop: Loop, i: Instruction) -> list[tuple[Instruction, Block]]:
    """Who uses a value behind the loop, but for phis where it is left, and where control comes to that use from."""
    found: list[tuple[Instruction, Block]] = []
    for user in i.users:
        if isinstance(user, Phi):
            found += ((user, b) for v, b in user.incoming if v is i and b not in loop)
        elif user.parent is not None and user.parent not in loop:
            found.append((user, user.parent))
    return found


def _replace_behind(user: Instruction, old: Value, new: Value, loop: Loop) -> None:
    for index, operand in enumerate(user.operands):
        if operand is old and not (isinstance(user, Phi) and user.blocks[index] in loop):
            user.set_operand(index, new)


__all__ = ["close", "users_behind"]
