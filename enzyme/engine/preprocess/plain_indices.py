"""Indices that cannot be negative need not be asked whether they are.

Numba counts negative indices from the end: ``a[j]`` reads ``a + j + (n if j < 0 else 0)``. LLVM sees that a counter
from zero needs no such choice, but seldom that one from ``i + 1`` does not. A choice in an index keeps a loop from
being one over neighbours, in the derivative as in the program.

`loop_indices` takes no index to wrap around, so only choices that end up in addresses are looked at; and it may count
on a loop's trip count only where the loop ends in no other way, or the count might be none.
"""

from __future__ import annotations

from dataclasses import replace

from enzyme.engine.analysis.loop_indices import LoopFacts, LoopIndices
from enzyme.engine.ir.instructions import Cmp, Instruction
from enzyme.engine.ir.module import Function
from enzyme.engine.ir.types import I64
from enzyme.engine.ir.values import Value

_IN_BETWEEN = frozenset(("add", "sub", "mul", "shl", "icmp", "select", "freeze"))


def certain_indices(loops: LoopFacts) -> LoopIndices:
    """Sums and inequalities that count on no trip count of a loop that may end in another way."""
    certain = {
        loop: count if len(loop.exit_edges) == 1 else None for loop, count in loops.trips.items()
    }
    return LoopIndices(replace(loops, trips=certain))


def settle_indices(function: Function, loops: LoopFacts) -> None:
    """Take the arm of every such choice that is certain to be taken."""
    indices = certain_indices(loops)
    settled: dict[Instruction, Value] = {}
    for block in function.blocks:
        for i in block.instructions:
            if i.opcode != "select" or i.type is not I64 or not is_address(i):
                continue
            test = i.operands[0]
            if isinstance(test, Cmp):
                holds = indices.settled(test, block)
                if holds is not None:
                    settled[i] = i.operands[1 if holds else 2]
    for i, value in settled.items():
        while isinstance(value, Instruction) and value in settled:
            value = settled[value]
        test = i.operands[0]
        i.replace_uses_with(value)
        i.erase()
        if isinstance(test, Cmp) and not test.users:
            test.erase()


def is_address(index: Instruction) -> bool:
    """Is a number used in addresses, and in nothing else?"""
    pending = [index]
    seen = {index}
    while pending:
        for user in pending.pop().users:
            if user.opcode == "getelementptr":
                continue
            if user.opcode not in _IN_BETWEEN:
                return False
            if user not in seen:
                seen.add(user)
                pending.append(user)
    return bool(index.users)
