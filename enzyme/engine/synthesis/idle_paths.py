"""Reverse work that a branch made idle: values that only the other side uses have no adjoint.

``if r2 < cutoff: energy += f(r2)`` computes `r2` for every pair, and backwards its adjoint is zero for every pair
beyond the cut-off.  Coming back along the side that was not taken, control can pass over the reverse of all that
only the taken side made active, up to the block where the computation began.

A skip goes from the edge into the branching block to the end of the reverse of an earlier block, `start`.  Between
them lies a region with one entry and one exit.  Conditions: every active value of the region is used, actively, only
in the region and behind the other side of the branch; nothing in it stores to shadows, has an adjoint of its own, or
may raise an exception in the reverse pass (`fused`); and no cache that grows counts the iterations of loops in it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field

from enzyme.engine.analysis.activity_result import ActivityResult
from enzyme.engine.analysis.known_functions import lookup_known
from enzyme.engine.analysis.loops import Loop
from enzyme.engine.derivatives.catalogue import row_for_call
from enzyme.engine.ir.instructions import Call, Instruction, Phi, Store
from enzyme.engine.ir.module import Block
from enzyme.engine.synthesis.prepare import CanonicalFunction

Edge = tuple[Block, Block]


def adds_alone(
    i: Instruction, activity: ActivityResult, has_adjoint: Callable[[Instruction], bool]
) -> bool:
    """Does its reverse add to adjoints what is zero if its own adjoint is, and nothing else?"""
    if isinstance(i, Store):
        return not activity.has_shadow(i.pointer)
    if has_adjoint(i):
        return False
    if isinstance(i, Call) and row_for_call(i) is None:
        known = lookup_known(i)
        return known is not None and known.kind == "hint"
    return True


@dataclass(slots=True)
class IdleReversePaths:
    """Finds the skips of one function.

    `has_adjoint` knows calls with an adjoint of their own; `uncountable` are the loops with growing caches,
    `rolling` those whose reverse carries sums, `failing` those that raise their exceptions there.
    """

    p: CanonicalFunction
    activity: ActivityResult
    order: dict[Block, list[Instruction]]
    has_adjoint: Callable[[Instruction], bool]
    uncountable: Container[Loop]
    rolling: Container[Loop]
    failing: Container[Loop]
    _program: set[Instruction] = field(init=False)

    def __post_init__(self) -> None:
        self._program = {i for instructions in self.order.values() for i in instructions}

    def find(self) -> dict[Edge, Block]:
        """For edges (branching block, successor): the block whose reverse has nothing left to do but to end."""
        found = {}
        taking = self._taking()
        for block in self.p.blocks:
            terminator = block.terminator
            if terminator.opcode != "br" or len(terminator.operands) != 3:
                continue
            _, then, other = terminator.operands
            assert isinstance(then, Block) and isinstance(other, Block)
            for taken, idle in ((then, other), (other, then)):
                if taken is idle or taken in self.p.cold or idle in self.p.cold:
                    continue
                if taken not in taking or self.p.predecessors(taken) != [block]:
                    continue
                start = self.start(block, taken)
                if start is not None:
                    found[block, idle] = start
        return found

    def _taking(self) -> set[Block]:
        """Blocks behind which active values are used that were computed before them; others make nothing idle."""
        depth: dict[Block | None, int] = {None: 0}
        for block in self.p.dominators.preorder:
            depth[block] = depth[self.p.dominators.idom(block)] + 1
        # The highest place of what is used in a block, and then in all that it dominates.
        highest = dict(depth)
        for value in self._program:
            if not self.activity.is_active(value):
                continue
            for user in value.users:
                at = [b for v, b in user.incoming if v is value] if isinstance(user, Phi) else ()
                for place in at or (user.parent,):
                    if place in highest:
                        highest[place] = min(highest[place], depth[value.parent])
        for block in reversed(self.p.dominators.preorder):
            above = self.p.dominators.idom(block)
            highest[above] = min(highest[above], highest[block])
        return {b for b in self.p.dominators.preorder if highest[b] < depth[b]}

    def start(self, block: Block, taken: Block) -> Block | None:
        """The earliest block from which on everything is idle when `block` is not left for `taken`."""
        loop = self.p.forest.loop_of(block)
        region = _Region(self.p, block)
        found: Block | None = None
        worth_it = False
        candidate: Block | None = block
        while candidate is not None and (loop is None or candidate in loop):
            if self.p.forest.loop_of(candidate) is loop and region.grow(candidate):
                added = region.added()
                if self._may_raise(added, loop) or not self._is_idle(added, region, taken):
                    break
                worth_it = worth_it or self._is_worth_it(added)
                if worth_it and self._may_end(candidate):
                    found = candidate
            candidate = self.p.dominators.idom(candidate)
        return found

    def _may_raise(self, blocks: Iterable[Block], around: Loop | None) -> bool:
        outside = set() if around is None else set(around.ancestors())
        return any(
            inner in self.failing and inner not in outside
            for block in blocks
            if (innermost := self.p.forest.loop_of(block)) is not None
            for inner in innermost.ancestors()
        )

    def _is_idle(self, blocks: Iterable[Block], region: _Region, taken: Block) -> bool:
        """Are these blocks of the region idle? Those that were found to be stay so while it grows."""
        for block in blocks:
            loop = self.p.forest.loop_of(block)
            counts = loop is not None and loop.header is block and block is not region.first
            if counts and loop in self.uncountable:
                return False
            for i in self.order.get(block, ()):
                # What the phis of the first block have is passed on where its reverse ends.
                ends = block is region.first and isinstance(i, Phi)
                if not ends and not self._is_idle_unless(i, region, taken):
                    return False
        return True

    def _is_idle_unless(self, i: Instruction, region: _Region, taken: Block) -> bool:
        if not adds_alone(i, self.activity, self.has_adjoint):
            return False
        if isinstance(i, Store) or not self.activity.is_active(i):
            return True
        return all(self._belongs(user, i, region, taken) for user in i.users)

    def _belongs(
        self, user: Instruction, value: Instruction, region: _Region, taken: Block
    ) -> bool:
        block = user.parent
        if block is None or user not in self._program:
            return True  # on the way to an exception, or written by the synthesis
        if isinstance(user, Phi):
            sources = [b for v, b in user.incoming if v is value]
            # A phi of the first block hands its adjoint to the iteration before, whatever is skipped.
            inside = block in region.blocks and block is not region.first
            inside = inside and all(b in region.blocks for b in sources)
            return inside or all(self._is_behind(b, taken) for b in sources)
        if block in region.blocks:
            return True
        carries = self.activity.is_active(user) or isinstance(user, Store | Call)
        return not (carries or user.opcode == "ret") or self._is_behind(block, taken)

    def _is_behind(self, block: Block, taken: Block) -> bool:
        return block is taken or self.p.dominators.dominates(taken, block)

    def _is_worth_it(self, blocks: Iterable[Block]) -> bool:
        return any(
            self.activity.is_active(i) and not isinstance(i, Phi)
            for block in blocks
            for i in self.order.get(block, ())
        )

    def _may_end(self, block: Block) -> bool:
        loop = self.p.forest.loop_of(block)
        return loop is None or loop.header is not block or loop not in self.rolling


class _Region:
    """The blocks from one that dominates it, `first`, to the last; it grows as `first` goes up."""

    def __init__(self, p: CanonicalFunction, last: Block) -> None:
        self.p = p
        self.first = last
        self.blocks = {last}
        self._exits: set[Block] = set()
        self._added = {last}

    def grow(self, first: Block) -> bool:
        """Begin at `first`; can control only enter there, and leave from the last?"""
        pending = [self.first]
        new = []
        while pending:
            block = pending.pop()
            if block is first:
                continue
            for predecessor in self.p.predecessors(block):
                if predecessor not in self.blocks:
                    self.blocks.add(predecessor)
                    pending.append(predecessor)
                    new.append(predecessor)
        self.first = first
        self._added.update(new)
        self._exits = {b for b in (*self._exits, *new) if self._has_exit(b)}
        return first in self.blocks and not self._exits

    def added(self) -> list[Block]:
        """The blocks that were added since this was asked last, and the one that was first then."""
        added = list(self._added)
        self._added = {self.first}
        return added

    def _has_exit(self, block: Block) -> bool:
        return any(s not in self.blocks and s not in self.p.cold for s in block.successors())
