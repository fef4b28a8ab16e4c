"""Dominator and post-dominator trees, by the iteration of Cooper, Harvey and Kennedy.

Only reachable blocks are in the tree; every block dominates an unreachable one, as in LLVM. Blocks from
which no exit can be reached (endless loops) have no post-dominator but themselves.
"""

from __future__ import annotations

from collections.abc import Sequence

from enzyme.engine.analysis.cfg import ControlFlow, block_names
from enzyme.engine.ir.graph import DominatorTree, available_at_end, immediate_dominators
from enzyme.engine.ir.instructions import Instruction, Phi
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.values import Argument, Constant, Value


class Dominators:
    """Which blocks lie on every path from the entry."""

    def __init__(self, cfg: ControlFlow) -> None:
        self.cfg = cfg
        order = cfg.reverse_postorder
        self._tree = DominatorTree(
            immediate_dominators(order, cfg.predecessors, {cfg.function.entry})
        )
        self._frontiers: dict[Block, list[Block]] | None = None

    def idom(self, block: Block) -> Block | None:
        """The closest other block that dominates; None for the entry and for unreachable blocks."""
        return self._tree.parents.get(block)

    def children(self, block: Block) -> list[Block]:
        """The blocks that this one immediately dominates."""
        return self._tree.children[block]

    @property
    def preorder(self) -> list[Block]:
        """Blocks of the tree, each before those it dominates."""
        return self._tree.preorder

    def dominates(self, above: Block, below: Block) -> bool:
        """Does every path from the entry to `below` pass `above`? A block dominates itself."""
        if above is below or below not in self._tree.parents:
            return True
        return above in self._tree.parents and self._tree.is_ancestor(above, below)

    def strictly_dominates(self, above: Block, below: Block) -> bool:
        return above is not below and self.dominates(above, below)

    def common(self, first: Block, second: Block) -> Block:
        """The closest block that dominates both (reachable) blocks."""
        while not self.dominates(first, second):
            parent = self.idom(first)
            assert parent is not None
            first = parent
        return first

    def dominates_use(self, value: Value, user: Instruction) -> bool:
        """Is `value` there wherever `user` uses it? A phi uses it at the end of the incoming block."""
        if isinstance(value, (Constant, Argument, Block)) or not isinstance(value, Instruction):
            return True
        block = value.parent
        if block is None or user.parent is None:
            return False
        if isinstance(user, Phi):
            return all(
                self._at_end_of(value, source)
                for operand, source in zip(user.operands, user.blocks)
                if operand is value
            )
        if block is user.parent:
            if not self.cfg.is_reachable(block):
                return True
            return block.index_of(value) < block.index_of(user)
        if value.opcode == "invoke":
            return self._at_end_of(value, user.parent)
        return self.dominates(block, user.parent)

    def _at_end_of(self, value: Instruction, place: Block) -> bool:
        return available_at_end(value, place, self.dominates, self.cfg.predecessors)

    def frontier(self, block: Block) -> list[Block]:
        """Where the block's dominance ends: merges that a predecessor of which it dominates."""
        if self._frontiers is None:
            self._frontiers = self._compute_frontiers()
        return self._frontiers.get(block, [])

    def _compute_frontiers(self) -> dict[Block, list[Block]]:
        found: dict[Block, dict[Block, None]] = {b: {} for b in self.cfg.reverse_postorder}
        for block in self.cfg.reverse_postorder:
            predecessors = [p for p in self.cfg.predecessors(block) if self.cfg.is_reachable(p)]
            stop = self.idom(block)
            for predecessor in predecessors:
                runner: Block | None = predecessor
                while runner is not None and runner is not stop:
                    found[runner][block] = None
                    runner = self.idom(runner)
        return {block: list(blocks) for block, blocks in found.items()}

    def __str__(self) -> str:
        head = f"dominators of @{self.cfg.function.name}"
        return "\n".join([head, *self._tree.text(block_names(self.cfg.function))])


class PostDominators:
    """Which blocks lie on every path to an exit."""

    def __init__(self, cfg: ControlFlow) -> None:
        self.cfg = cfg
        exits = cfg.exits
        order = _reverse_postorder_up(exits, cfg)
        self._tree = DominatorTree(immediate_dominators(order, cfg.successors, set(exits)))

    def idom(self, block: Block) -> Block | None:
        """The closest other block that post-dominates, or None."""
        return self._tree.parents.get(block)

    def children(self, block: Block) -> list[Block]:
        return self._tree.children.get(block, [])

    def dominates(self, below: Block, above: Block) -> bool:
        """Does every path from `above` to an exit pass `below`? A block post-dominates itself."""
        if below is above:
            return True
        parents = self._tree.parents
        return below in parents and above in parents and self._tree.is_ancestor(below, above)

    def __str__(self) -> str:
        head = f"post-dominators of @{self.cfg.function.name}"
        return "\n".join([head, *self._tree.text(block_names(self.cfg.function))])


def _reverse_postorder_up(exits: Sequence[Block], cfg: ControlFlow) -> list[Block]:
    """Reverse postorder of the reversed graph below one virtual root."""
    order: list[Block] = []
    seen: set[Block] = set()
    for root in exits:
        if root in seen:
            continue
        seen.add(root)
        stack = [(root, iter(cfg.predecessors(root)))]
        while stack:
            block, rest = stack[-1]
            for predecessor in rest:
                if predecessor not in seen and cfg.is_reachable(predecessor):
                    seen.add(predecessor)
                    stack.append((predecessor, iter(cfg.predecessors(predecessor))))
                    break
            else:
                stack.pop()
                order.append(block)
    order.reverse()
    return order
