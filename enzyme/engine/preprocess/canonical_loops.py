"""Bring loops into the form that synthesis relies on.

Every natural loop gets: a preheader (the only way in), one latch, exits that are reached from this loop only,
and a 64-bit counter `phi [0, preheader], [counter + 1, latch]` that counts executions of the header.  Exits
into cold blocks are left alone, the reverse pass never comes from there.  A cycle with several entries gets one
(`one_entry`).
"""

from __future__ import annotations

from enzyme.engine.analysis.cfg import ControlFlow
from enzyme.engine.analysis.dominance import Dominators
from enzyme.engine.analysis.loops import Loop, LoopForest
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.edit import merge_edges
from enzyme.engine.ir.instructions import Instruction, Phi
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.types import I64
from enzyme.engine.ir.values import ConstInt
from enzyme.engine.preprocess.one_entry import make_reducible


def canonicalise_loops(
    function: Function, cold: set[Block]
) -> tuple[ControlFlow, Dominators, LoopForest]:
    """Establish the form above; returns the analyses of the final graph."""
    while True:
        cfg = ControlFlow(function)
        dominators = Dominators(cfg)
        forest = LoopForest(cfg, dominators)
        if any(b not in cold for b in forest.irreducible):
            make_reducible(function, cold)
            continue
        if not any(_simplify(loop, cfg, cold) for loop in forest.loops):
            return cfg, dominators, forest


def _simplify(loop: Loop, cfg: ControlFlow, cold: set[Block]) -> bool:
    header = loop.header
    if header in cold:
        return False
    inside = set(loop.blocks)
    entering = [p for p in cfg.predecessors(header) if p not in inside]
    if len(entering) != 1 or len(entering[0].successors()) != 1:
        merge_edges(header, entering, f"{header.name}.ph")
        return True
    latches = [p for p in cfg.predecessors(header) if p in inside]
    if len(latches) != 1:
        merge_edges(header, latches, f"{header.name}.latch")
        return True
    exits = dict.fromkeys(target for _, target in loop.exit_edges if target not in cold)
    for target in exits:
        predecessors = cfg.predecessors(target)
        mine = [p for p in predecessors if p in inside]
        if len(mine) != len(predecessors):
            merge_edges(target, mine, f"{target.name}.exit")
            return True
    return False


def latch_of(loop: Loop) -> Block:
    assert len(loop.latches) == 1
    return loop.latches[0]


def preheader_of(loop: Loop) -> Block:
    assert loop.preheader is not None
    return loop.preheader


def counter_of(loop: Loop) -> Phi:
    """The loop's canonical counter, inserted if there is none."""
    header, latch, preheader = loop.header, latch_of(loop), preheader_of(loop)
    for phi in header.phis():
        if phi.type is I64 and len(phi.operands) == 2:
            start, following = phi.value_from(preheader), phi.value_from(latch)
            if (
                isinstance(start, ConstInt)
                and start.value == 0
                and isinstance(following, Instruction)
                and following.opcode == "add"
                and following.operands[0] is phi
                and isinstance(following.operands[1], ConstInt)
                and following.operands[1].value == 1
            ):
                return phi
    counter = Phi(I64, (), f"{header.name}.iv")
    header.insert(0, counter)
    builder = Builder()
    builder.before(latch.terminator)
    following = builder.add(
        Instruction(
            "add", I64, (counter, ConstInt(I64, 1)), f"{header.name}.iv.next", ("nuw", "nsw")
        )
    )
    counter.add_incoming(ConstInt(I64, 0), preheader)
    counter.add_incoming(following, latch)
    return counter
