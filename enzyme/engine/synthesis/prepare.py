"""One function made ready for differentiation: the analyses, on a private copy, in one place.

`Prepared` holds a clone of the primal in canonical form (successful exits told from failing ones, simplified
loops with counters, exit counts as values) and everything that is known about it.  Forward and reverse synthesis
start from it and then turn the clone into the derivative.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from enzyme.engine.analysis.cfg import ControlFlow
from enzyme.engine.analysis.dominance import Dominators
from enzyme.engine.analysis.inductions import Induction, find_inductions, trip_count
from enzyme.engine.analysis.kinds import Activity
from enzyme.engine.analysis.loops import Loop, LoopForest
from enzyme.engine.derivatives.packed_tanh import pack_tanh
from enzyme.engine.ir.clone import clone_function
from enzyme.engine.ir.instructions import Phi
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.types import IntType, numbering_type
from enzyme.engine.ir.values import ConstInt, Value
from enzyme.engine.preprocess.canonical_loops import (
    canonicalise_loops,
    counter_of,
    latch_of,
    preheader_of,
)
from enzyme.engine.preprocess.cleanup import clean_up
from enzyme.engine.preprocess.item_addresses import sink_item_addresses
from enzyme.engine.preprocess.returns import cold_blocks, split_returns
from enzyme.engine.preprocess.separate import separate_constants
from enzyme.engine.preprocess.squares import smooth_squares
from enzyme.engine.preprocess.steady_selects import settle_selects
from enzyme.engine.preprocess.unspeculate import unspeculate


@dataclass(slots=True)
class Prepared:
    """`function` is the clone of `primal`; `exit_counts[block][loop]`: the counter with which `loop` was left into
    `block`; `origin[block]`: how the reverse pass finds the predecessor that control came from."""

    primal: Function
    function: Function
    cfg: ControlFlow
    dominators: Dominators
    forest: LoopForest
    successful: set[Block]
    cold: set[Block]
    blocks: list[Block]
    counters: dict[Loop, Phi] = field(default_factory=dict)
    trips: dict[Loop, Value | None] = field(default_factory=dict)
    inductions: dict[Phi, Induction] = field(default_factory=dict)
    exit_counts: dict[Block, dict[Loop, Value]] = field(default_factory=dict)
    origin: dict[Block, tuple[Value, dict[Block, int]]] = field(default_factory=dict)

    @property
    def failing(self) -> list[Block]:
        """The cold blocks in the order of the function."""
        return [b for b in self.function.blocks if b in self.cold]

    def predecessors(self, block: Block) -> list[Block]:
        return self.cfg.predecessors(block)

    def loops_left(self, source: Block, target: Block) -> list[Loop]:
        """Loops that the edge leaves, innermost first."""
        left = []
        loop = self.forest.loop_of(source)
        while loop is not None and target not in loop:
            left.append(loop)
            loop = loop.parent
        return left


def prepare(
    primal: Function,
    name: str,
    activities: Sequence[Activity],
    success: tuple[int, ...] | None,
    reverse: bool,
    cut: Callable[[Function, Mapping[Value, Value]], None] | None = None,
) -> Prepared:
    """Clone the primal under `name` and bring the clone into canonical form; `cut` takes out what is refused."""
    function, mapping = clone_function(primal, name)
    if cut is not None:
        cut(function, mapping)
    clean_up(function)
    smooth_squares(function)
    pack_tanh(function)
    separate_constants(function, activities)
    if reverse:
        sink_item_addresses(function)
        unspeculate(function)
    if not isinstance(
        function.function_type.ret, IntType
    ):  # a status inside a struct is the caller's business
        success = None
    successful = split_returns(function, success)
    cold = cold_blocks(function, successful)
    cfg, dominators, forest = canonicalise_loops(function, cold)
    settle_selects(function, forest)
    cold = cold_blocks(function, successful)
    blocks = [b for b in cfg.reverse_postorder if b not in cold]
    made = Prepared(primal, function, cfg, dominators, forest, successful, cold, blocks)
    if reverse:
        _describe_loops(made)
        _describe_exits(made)
        _describe_origins(made)
    return made


def _describe_loops(p: Prepared) -> None:
    for loop in p.forest.loops:
        if loop.header in p.cold:
            continue
        latch, preheader = latch_of(loop), preheader_of(loop)
        p.counters[loop] = counter_of(loop)
        inductions = find_inductions(loop, latch, preheader)
        p.trips[loop] = trip_count(loop, latch, preheader, inductions, p.dominators, p.cold)
        inductions.pop(p.counters[loop], None)
        p.inductions.update(inductions)


def _describe_exits(p: Prepared) -> None:
    for block in p.blocks:
        predecessors = p.predecessors(block)
        for loop in dict.fromkeys(
            left for source in predecessors for left in p.loops_left(source, block)
        ):
            exact = p.trips[loop]
            if exact is not None and p.forest.loop_of(block) is loop.parent:
                p.exit_counts.setdefault(block, {})[loop] = exact
                continue
            phi = Phi(p.counters[loop].type, (), f"{loop.header.name}.trips")
            for source in predecessors:
                phi.add_incoming(p.counters[loop], source)
            block.insert(0, phi)
            p.exit_counts.setdefault(block, {})[loop] = phi


def _describe_origins(p: Prepared) -> None:
    headers = {loop.header for loop in p.forest.loops}
    for block in p.blocks:
        predecessors = p.predecessors(block)
        if len(predecessors) < 2 or block in headers:
            continue
        p.origin[block] = _origin_by_branch(p, block, predecessors) or _origin_by_phi(
            block, predecessors
        )


def _origin_by_branch(
    p: Prepared, block: Block, predecessors: list[Block]
) -> tuple[Value, dict[Block, int]] | None:
    """The condition of the immediate dominator decides, where each side leads to one predecessor."""
    dominator = p.dominators.idom(block)
    if (
        dominator is None
        or len(predecessors) != 2
        or p.forest.loop_of(dominator) is not p.forest.loop_of(block)
    ):
        return None
    terminator = dominator.terminator
    if terminator.opcode != "br" or len(terminator.operands) != 3:
        return None
    condition, then, other = terminator.operands
    assert isinstance(then, Block) and isinstance(other, Block)
    found: dict[Block, int] = {}
    for predecessor in predecessors:
        sides = [
            bit
            for bit, side in ((1, then), (0, other))
            if (side is block and predecessor is dominator)
            or (
                side is not block
                and len(p.predecessors(side)) == 1
                and p.dominators.dominates(side, predecessor)
            )
        ]
        if len(sides) != 1:
            return None
        found[predecessor] = sides[0]
    return (condition, found) if len(set(found.values())) == 2 else None


def _origin_by_phi(block: Block, predecessors: list[Block]) -> tuple[Value, dict[Block, int]]:
    phi = Phi(numbering_type(len(predecessors)), (), f"{block.name}.from")
    for number, predecessor in enumerate(predecessors):
        phi.add_incoming(ConstInt(phi.type, number), predecessor)
    block.insert(0, phi)
    return phi, {predecessor: number for number, predecessor in enumerate(predecessors)}
