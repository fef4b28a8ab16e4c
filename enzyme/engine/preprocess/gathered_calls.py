"""Functions of one number that are apart only by a check are called in one place.

`(x - e sin(x) - m) / (1 - e cos(x))` computes the divisor, sees that it is not zero, and goes on with the sine. Each of
the two is the derivative of the other, which the reverse pass takes from the program only where both have run
(`derivatives.operands`). And machine code gets both from one call.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from enzyme.engine.analysis.cfg import ControlFlow
from enzyme.engine.derivatives.catalogue import entry_of
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.types import FloatType
from enzyme.engine.ir.values import Value


def gather_calls(cfg: ControlFlow, cold: Collection[Block]) -> None:
    """Move such calls up to the first one; `cold` are the blocks that do not lead to a successful return."""
    for block in cfg.reverse_postorder:
        if block in cold:
            continue
        first: dict[Value, Call] = {}
        for call in _calls(block):
            first.setdefault(call.arguments[0], call)
        below = _next(cfg, block, cold) if first else None
        while below is not None and below is not block:
            for call in list(_calls(below)):
                place = first.get(call.arguments[0])
                if place is not None:
                    call.remove()
                    block.insert(block.instructions.index(place) + 1, call)
            below = _next(cfg, below, cold)


def _calls(block: Block) -> Iterator[Call]:
    """Calls of functions of one number that have a derivative."""
    for instruction in block.instructions:
        if isinstance(instruction, Call) and isinstance(instruction.type, FloatType):
            entry = entry_of(instruction) if len(instruction.arguments) == 1 else None
            if entry is not None and entry.row is not None and entry.row.active_operands == (0,):
                yield instruction


def _next(cfg: ControlFlow, block: Block, cold: Collection[Block]) -> Block | None:
    """Where control goes from a block if nothing fails, and from there only."""
    ways = [successor for successor in cfg.successors(block) if successor not in cold]
    return ways[0] if len(ways) == 1 and cfg.predecessors(ways[0]) == [block] else None
