"""The nest of natural loops, and where control flow is irreducible (a cycle entered at several blocks)."""

from __future__ import annotations

from collections.abc import Iterator

from enzyme.engine.analysis.cfg import ControlFlow, block_names
from enzyme.engine.analysis.dominance import Dominators
from enzyme.engine.ir.module import Block


class Loop:
    """A natural loop: all blocks that reach a latch without passing the header.

    `blocks` are in reverse postorder, header first, those of inner loops included; `latches` jump back to
    the header; `exiting` blocks have an edge out, `exit_edges` are these edges as (from, to);
    `preheader` is the one block that enters the loop and leads nowhere else, or None.
    """

    def __init__(self, header: Block) -> None:
        self.header = header
        self.blocks: list[Block] = []
        self.parent: Loop | None = None
        self.children: list[Loop] = []
        self.depth = 0
        self.latches: list[Block] = []
        self.entering: list[Block] = []
        self.preheader: Block | None = None
        self.exiting: list[Block] = []
        self.exit_edges: list[tuple[Block, Block]] = []
        self._members: frozenset[Block] = frozenset()

    def __contains__(self, block: object) -> bool:
        return block in self._members

    def ancestors(self) -> Iterator[Loop]:
        """The loop and those around it, inside out."""
        loop: Loop | None = self
        while loop is not None:
            yield loop
            loop = loop.parent

    def _complete(self, members: list[Block], cfg: ControlFlow) -> None:
        self.blocks = sorted(members, key=cfg.index)
        self._members = frozenset(members)
        self.entering = [
            p
            for p in cfg.predecessors(self.header)
            if p not in self._members and cfg.is_reachable(p)
        ]
        if len(self.entering) == 1 and cfg.successors(self.entering[0]) == [self.header]:
            self.preheader = self.entering[0]
        for block in self.blocks:
            out = [s for s in cfg.successors(block) if s not in self._members]
            if out:
                self.exiting.append(block)
                self.exit_edges += [(block, s) for s in out]

    def __repr__(self) -> str:
        return f"<loop at %{self.header.name}, depth {self.depth}>"


class LoopForest:
    """All natural loops; `loops` lists outer before inner, in program order.

    `irreducible` lists blocks that an edge goes back to without their dominating its source. Such a cycle
    is no loop here, and must be handled (or refused) by who walks the loops.
    """

    def __init__(self, cfg: ControlFlow, dominators: Dominators) -> None:
        self.cfg = cfg
        self.irreducible: list[Block] = []
        self._innermost: dict[Block, Loop] = {}
        latches: dict[Block, list[Block]] = {}
        for block in cfg.reverse_postorder:
            for successor in cfg.successors(block):
                if cfg.index(successor) > cfg.index(block):
                    continue
                if dominators.dominates(successor, block):
                    latches.setdefault(successor, []).append(block)
                elif successor not in self.irreducible:
                    self.irreducible.append(successor)
        headers = sorted(latches, key=cfg.index)
        by_header: dict[Block, Loop] = {}
        for header in reversed(headers):  # inner loops first
            loop = by_header[header] = Loop(header)
            loop.latches = latches[header]
            members = {header: None}
            pending = list(loop.latches)
            while pending:
                block = pending.pop()
                if block in members:
                    continue
                members[block] = None
                pending += [p for p in cfg.predecessors(block) if cfg.is_reachable(p)]
            for block in members:
                inner = self._innermost.setdefault(block, loop)
                if inner is not loop:
                    outermost = list(inner.ancestors())[-1]
                    if outermost is not loop:
                        outermost.parent = loop
            loop._complete(list(members), cfg)
        self.loops: list[Loop] = [by_header[header] for header in headers]
        for loop in self.loops:
            if loop.parent is not None:
                loop.parent.children.append(loop)
                loop.depth = loop.parent.depth + 1
            else:
                loop.depth = 1

    @property
    def top_level(self) -> list[Loop]:
        return [loop for loop in self.loops if loop.parent is None]

    def loop_of(self, block: Block) -> Loop | None:
        """The innermost loop with this block."""
        return self._innermost.get(block)

    def __str__(self) -> str:
        names = block_names(self.cfg.function)

        def listed(blocks: list[Block]) -> str:
            return ", ".join(names[b] for b in blocks)

        lines = [f"loops of @{self.cfg.function.name}"]

        def show(loop: Loop) -> None:
            pad = "  " * loop.depth
            preheader = names[loop.preheader] if loop.preheader else "none"
            exits = ", ".join(f"{names[a]} -> {names[b]}" for a, b in loop.exit_edges) or "none"
            lines.append(f"{pad}loop {names[loop.header]} depth {loop.depth}")
            lines.append(f"{pad}  blocks: {listed(loop.blocks)}")
            lines.append(f"{pad}  preheader: {preheader}; latches: {listed(loop.latches)}")
            lines.append(f"{pad}  exits: {exits}")
            for child in loop.children:
                show(child)

        for loop in self.top_level:
            show(loop)
        if self.irreducible:
            lines.append(f"  irreducible: {listed(self.irreducible)}")
        return "\n".join(lines)
