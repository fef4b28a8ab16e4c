"""Parts of a program that have no reverse: a search for an index, a choice between constants.

Where control comes back to the end of such a part, the reverse pass goes on at its beginning, whatever way control took
in between; so nothing need be kept of that way, neither branches nor how often loops ran.

A part lies between two blocks of one loop: `first` dominates `last`, all ways from `first` that do not fail lead to
`last`, and between them nothing has an adjoint.  Phis of `last` are none of active numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass, field

from enzyme.engine.analysis.activity_result import ActivityResult
from enzyme.engine.analysis.known_functions import lookup_known
from enzyme.engine.analysis.loops import Loop
from enzyme.engine.derivatives.catalogue import row_for_call
from enzyme.engine.ir.instructions import Call, Instruction, Store
from enzyme.engine.ir.module import Block
from enzyme.engine.synthesis.prepare import CanonicalFunction


@dataclass(slots=True)
class IdleRegions:
    """Those of one function: `beginning` leads from the last block of each to the first one, `between` holds the blocks
    inside."""

    p: CanonicalFunction
    activity: ActivityResult
    order: dict[Block, list[Instruction]]
    has_adjoint: Callable[[Instruction], bool]
    beginning: dict[Block, Block] = field(default_factory=dict)
    between: dict[Block, None] = field(default_factory=dict)

    def find(self, kept_out: Container[Loop]) -> None:
        """Fill in what is found anew; no region contains the loops that are `kept_out`."""
        self.beginning.clear()
        self.between.clear()
        idle: dict[Block, bool] = {
            b: False for b in self.p.blocks if self.p.forest.loop_of(b) in kept_out
        }
        for last in reversed(self.p.blocks):
            if last in self.between or not self._merges(last):
                continue
            if any(self.activity.is_active(phi) for phi in last.phis()):
                continue
            first = self._dominator_around(last)
            inside = None if first is None else self._inside(first, last, idle)
            if first is not None and inside:
                self.beginning[last] = first
                self.between.update(dict.fromkeys(inside))

    def _merges(self, block: Block) -> bool:
        loop = self.p.forest.loop_of(block)
        if loop is not None and loop.header is block:
            return False
        sources = self.p.predecessors(block)
        return len(sources) > 1 or any(self.p.loops_left(source, block) for source in sources)

    def _dominator_around(self, block: Block) -> Block | None:
        """The last block on all ways to this one that is in the same loop."""
        loop = self.p.forest.loop_of(block)
        above = self.p.dominators.idom(block)
        while above is not None and self.p.forest.loop_of(above) is not loop:
            above = self.p.dominators.idom(above)
        return above

    def _inside(self, first: Block, last: Block, idle: dict[Block, bool]) -> list[Block]:
        """The blocks between, if nothing in them has an adjoint and all ways lead to the last one."""
        found: dict[Block, None] = {}
        pending = [s for s in first.successors() if s is not last and s not in self.p.cold]
        while pending:
            block = pending.pop()
            if block in found:
                continue
            if block is first or block in self.p.successful or not self._is_idle(block, idle):
                return []
            found[block] = None
            pending += [s for s in block.successors() if s is not last and s not in self.p.cold]
        return list(found)

    def _is_idle(self, block: Block, idle: dict[Block, bool]) -> bool:
        known = idle.get(block)
        if known is None:
            known = not any(self._has_reverse(i) for i in self.order.get(block, ()))
            idle[block] = known
        return known

    def _has_reverse(self, i: Instruction) -> bool:
        if isinstance(i, Store):
            return self.activity.has_shadow(i.pointer)
        if self.has_adjoint(i) or self.activity.is_active(i):
            return True
        if isinstance(i, Call) and row_for_call(i) is None:
            known = lookup_known(i)
            return known is None or known.kind not in ("hint", "pure")
        return False
