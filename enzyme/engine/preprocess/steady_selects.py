"""A choice that never changes needs no memory of earlier iterations.

numba's array expressions walk every operand with an index that stands still along an axis of length one:
`p = phi [0, entry], [s, latch]` with `s = select(wide, i, p)`, where `wide` does not change in the loop.  If `wide`
is false then `p` has always been 0, so `s = select(wide, i, 0)`: an index that the reverse pass recomputes instead
of a value to be stored for each element.

The proof follows the arm of a select through phis and through selects on the same condition, as they are when that
arm is taken.  If all ways end in one constant or argument, the arm is that.  The condition must not change in any
loop that the ways go round.
"""

from __future__ import annotations

from enzyme.engine.analysis.loops import LoopForest
from enzyme.engine.ir.instructions import Instruction, Phi
from enzyme.engine.ir.module import Function
from enzyme.engine.ir.simplify import remove_dead
from enzyme.engine.ir.values import Argument, Constant, Value


def settle_selects(function: Function, forest: LoopForest) -> None:
    """Replace arms of selects that are known whenever they are taken; control flow stays."""
    settled = False
    for block in function.blocks:
        for instruction in block.instructions:
            if instruction.opcode != "select":
                continue
            condition = instruction.operands[0]
            if isinstance(condition, Constant):
                continue
            for arm in (1, 2):
                known = _value_when(condition, arm, instruction.operands[arm], forest)
                if known is not None:
                    instruction.set_operand(arm, known)
                    settled = True
    if settled:
        remove_dead(function)


def _value_when(condition: Value, arm: int, value: Value, forest: LoopForest) -> Value | None:
    """The one constant or argument that `value` is while `condition` selects `arm`."""
    if not isinstance(value, Phi):
        return None
    ends: dict[Value, None] = {}
    seen: dict[Value, None] = {}
    pending: list[Value] = [value]
    while pending:
        place = pending.pop()
        if place in seen:
            continue
        seen[place] = None
        if isinstance(place, Phi):
            if _may_change(condition, place, forest):
                return None
            pending.extend(place.operands)
        elif isinstance(place, Instruction):
            if place.opcode != "select" or place.operands[0] is not condition:
                return None
            pending.append(place.operands[arm])
        else:
            ends[place] = None
    if len(ends) != 1:
        return None
    (end,) = ends
    return end if isinstance(end, (Argument, Constant)) else None


def _may_change(condition: Value, phi: Phi, forest: LoopForest) -> bool:
    """Is the condition computed anew in the loop whose iterations meet in `phi`?"""
    if not isinstance(condition, Instruction) or phi.parent is None:
        return False
    loop = forest.loop_of(phi.parent)
    while loop is not None and loop.header is not phi.parent:
        loop = loop.parent
    return loop is not None and condition.parent in loop
