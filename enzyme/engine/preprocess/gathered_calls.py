"""Functions of one number that are apart only by a check are called in one place.

`(x - e sin(x) - m) / (1 - e cos(x))` computes the divisor, sees that it is not zero, and goes on with the sine. Each of
the two is the derivative of the other, which the reverse pass takes from the program only where both have run
(`derivatives.operands`). And machine code gets both from one call.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from enzyme.engine.derivatives.catalogue import entry_of
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.types import FloatType
from enzyme.engine.ir.values import Value


def gather_calls(function: Function, cold: Collection[Block]) -> None:
    """Move such calls up to the first one; `cold` are the blocks that do not lead to a successful return."""
    entered: dict[Block, int] = {}
    for block in function.blocks:
        for successor in block.successors():
            entered[successor] = entered.get(successor, 0) + 1
    for block in function.blocks:
        if block in cold:
            continue
        first: dict[Value, Call] = {}
        for call in _calls(block):
            first.setdefault(call.arguments[0], call)
        below = _next(block, cold, entered) if first else None
        while below is not None and below is not block:
            for call in list(_calls(below)):
                place = first.get(call.arguments[0])
                if place is not None:
                    call.remove()
                    block.insert(block.instructions.index(place) + 1, call)
            below = _next(below, cold, entered)


def _calls(block: Block) -> Iterator[Call]:
    """Calls of functions of one number that have a derivative."""
    for instruction in block.instructions:
        if isinstance(instruction, Call) and isinstance(instruction.type, FloatType):
            entry = entry_of(instruction) if len(instruction.arguments) == 1 else None
            if entry is not None and entry.row is not None and entry.row.active_operands == (0,):
                yield instruction


def _next(block: Block, cold: Collection[Block], entered: dict[Block, int]) -> Block | None:
    """Where control goes from a block if nothing fails, and from there only."""
    ways = {successor for successor in block.successors() if successor not in cold}
    (way,) = ways if len(ways) == 1 else (None,)
    return way if way is not None and entered[way] == 1 else None
