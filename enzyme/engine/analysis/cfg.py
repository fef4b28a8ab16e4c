"""Orders and edges of a function's blocks, computed once; a change of the control flow makes it stale."""

from __future__ import annotations

from collections.abc import Mapping

from enzyme.engine.ir.graph import reverse_postorder
from enzyme.engine.ir.module import Block, Function
from enzyme.engine.ir.printer import local_names


class ControlFlow:
    """Predecessors, successors and orders of the blocks of one definition.

    `reverse_postorder` holds the reachable blocks only; `predecessors` and `successors` answer for all of
    them and name each block once, whatever the number of edges.
    """

    def __init__(self, function: Function) -> None:
        self.function = function
        self._successors: dict[Block, list[Block]] = {
            block: block.successors() if block.instructions else [] for block in function.blocks
        }
        self._predecessors: dict[Block, list[Block]] = {block: [] for block in function.blocks}
        for block, successors in self._successors.items():
            for successor in successors:
                self._predecessors[successor].append(block)
        self.reverse_postorder: list[Block] = reverse_postorder(function.entry, self._successors)
        self._index = {block: index for index, block in enumerate(self.reverse_postorder)}

    def successors(self, block: Block) -> list[Block]:
        return self._successors[block]

    def predecessors(self, block: Block) -> list[Block]:
        """In the order of the blocks of the function, unreachable ones included."""
        return self._predecessors[block]

    def index(self, block: Block) -> int:
        """Position of a reachable block in `reverse_postorder`."""
        return self._index[block]

    def is_reachable(self, block: Block) -> bool:
        return block in self._index

    @property
    def unreachable(self) -> list[Block]:
        return [block for block in self.function.blocks if block not in self._index]

    def __str__(self) -> str:
        names = block_names(self.function)
        lines = [f"control flow of @{self.function.name}"]
        for block in self.reverse_postorder:
            targets = ", ".join(names[s] for s in self._successors[block])
            lines.append(f"  {names[block]} -> {targets or _ending(block)}")
        if self.unreachable:
            lines.append(f"  unreachable: {', '.join(names[b] for b in self.unreachable)}")
        return "\n".join(lines)


def reachability(cfg: ControlFlow, bit: Mapping[Block, int]) -> dict[Block, int]:
    """Blocks that each block leads to along at least one edge, as sets of bits; paths go through these blocks only."""
    reach = dict.fromkeys(bit, 0)
    changed = True
    while changed:
        changed = False
        for block in reversed(reach):
            found = reach[block]
            for successor in cfg.successors(block):
                if successor in bit:
                    found |= bit[successor] | reach[successor]
            if found != reach[block]:
                reach[block] = found
                changed = True
    return reach


def block_names(function: Function) -> dict[Block, str]:
    """A readable name for each block, as in the printed function."""
    names = local_names(function)
    return {block: names[block] for block in function.blocks}


def _ending(block: Block) -> str:
    return block.terminator.opcode if block.instructions else "nothing"
