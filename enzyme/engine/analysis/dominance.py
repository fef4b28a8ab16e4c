"""The dominator tree, by the iteration of Cooper, Harvey and Kennedy.

Only reachable blocks are in the tree; every block dominates an unreachable one, as in LLVM.
"""

from __future__ import annotations

from enzyme.engine.analysis.cfg import ControlFlow, block_names
from enzyme.engine.ir.graph import DominatorTree, immediate_dominators
from enzyme.engine.ir.module import Block


class Dominators:
    """Which blocks lie on every path from the entry."""

    def __init__(self, cfg: ControlFlow) -> None:
        self.cfg = cfg
        self._tree = DominatorTree(immediate_dominators(cfg.reverse_postorder, cfg.predecessors))

    def idom(self, block: Block) -> Block | None:
        """The closest other block that dominates; None for the entry and for unreachable blocks."""
        return self._tree.parents.get(block)

    @property
    def preorder(self) -> list[Block]:
        """Blocks of the tree, each before those it dominates."""
        return self._tree.preorder

    def dominates(self, above: Block, below: Block) -> bool:
        """Does every path from the entry to `below` pass `above`? A block dominates itself."""
        if above is below or below not in self._tree.parents:
            return True
        return above in self._tree.parents and self._tree.is_ancestor(above, below)

    def common(self, first: Block, second: Block) -> Block:
        """The closest block that dominates both (reachable) blocks."""
        while not self.dominates(first, second):
            parent = self.idom(first)
            assert parent is not None
            first = parent
        return first

    def __str__(self) -> str:
        head = f"dominators of @{self.cfg.function.name}"
        return "\n".join([head, *self._tree.text(block_names(self.cfg.function))])
