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
        simplifier = _Simplifier(cfg, forest, cold)
        if not any([simplifier.simplify(loop) for loop in forest.loops]):
            return cfg, dominators, forest


class _Simplifier:
    """Goes through all loops of one graph; what it inserts, the loops after it see."""

    def __init__(self, cfg: ControlFlow, forest: LoopForest, cold: set[Block]) -> None:
        self.cold = cold
        self._cfg = cfg
        self._predecessors: dict[Block, list[Block]] = {}
        self._members = {loop: set(loop.blocks) for loop in forest.loops}

    def simplify(self, loop: Loop) -> bool:
        """Bring one loop into the form; did anything have to be done?"""
        if loop.header in self.cold:
            return False
        changed = False
        while self._step(loop):
            changed = True
        return changed

    def _step(self, loop: Loop) -> bool:
        header, inside = loop.header, self._members[loop]
        entering = [p for p in self._before(header) if p not in inside]
        if len(entering) != 1 or len(entering[0].successors()) != 1:
            made = self._merge(header, entering, f"{header.name}.ph")
            self._join(made, loop.parent)
            return True
        latches = [p for p in self._before(header) if p in inside]
        if len(latches) != 1:
            made = self._merge(header, latches, f"{header.name}.latch")
            self._join(made, loop)
            return True
        out = (s for b in loop.exiting for s in b.successors())
        for target in dict.fromkeys(s for s in out if s not in inside and s not in self.cold):
            predecessors = self._before(target)
            mine = [p for p in predecessors if p in inside]
            if len(mine) != len(predecessors):
                made = self._merge(target, mine, f"{target.name}.exit")
                around = loop.parent
                while around is not None and target not in self._members[around]:
                    around = around.parent
                self._join(made, around)
                return True
        return False

    def _before(self, block: Block) -> list[Block]:
        found = self._predecessors.get(block)
        return self._cfg.predecessors(block) if found is None else found

    def _merge(self, target: Block, sources: list[Block], name: str) -> Block:
        """The new block stands right before its target, so it comes last but for what stands behind that."""
        made = merge_edges(target, sources, name)
        self._predecessors[made] = sources
        kept = [p for p in self._before(target) if p not in sources]
        if kept and target.parent is not None:
            kept = sorted([*kept, made], key=target.parent.index_of)
        else:
            kept = [made]
        self._predecessors[target] = kept
        return made

    def _join(self, made: Block, loop: Loop | None) -> None:
        while loop is not None:
            self._members[loop].add(made)
            loop = loop.parent


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
