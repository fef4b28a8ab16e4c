"""Orders and dominance on bare blocks: what the verifier and the analyses share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from enzyme.engine.ir.instructions import Instruction
from enzyme.engine.ir.module import Block

T = TypeVar("T")


def reverse_postorder(entry: Block, successors: dict[Block, list[Block]]) -> list[Block]:
    """Blocks that the entry reaches, each before its successors except along back edges."""
    order: list[Block] = []
    seen = {entry}
    # Successors are visited last to first, which leaves the "then" side before the "else" side.
    stack = [(entry, iter(reversed(successors[entry])))]
    while stack:
        block, rest = stack[-1]
        for successor in rest:
            if successor not in seen:
                seen.add(successor)
                stack.append((successor, iter(reversed(successors[successor]))))
                break
        else:
            stack.pop()
            order.append(block)
    order.reverse()
    return order


def reached(starts: Iterable[T], step: Callable[[T], Iterable[T]]) -> dict[T, None]:
    """These blocks, or values, and all that steps from them lead to."""
    found: dict[T, None] = {}
    pending = list(starts)
    while pending:
        each = pending.pop()
        if each not in found:
            found[each] = None
            pending += step(each)
    return found


def immediate_dominators(
    order: Sequence[Block], predecessors: Callable[[Block], list[Block]]
) -> dict[Block, Block | None]:
    """Immediate dominators of blocks given in reverse postorder, the entry first, which has none."""
    number = {block: index for index, block in enumerate(order)}
    before = [[number[p] for p in predecessors(block) if p in number] for block in order[1:]]
    above = [-1] * len(order)
    above[0] = 0
    changed = True
    while changed:
        changed = False
        for index, candidates in enumerate(before, start=1):
            best = -1
            for candidate in candidates:
                if above[candidate] < 0:
                    continue
                if best < 0:
                    best = candidate
                    continue
                other = candidate
                while best != other:
                    while best > other:
                        best = above[best]
                    while other > best:
                        other = above[other]
            if above[index] != best:
                above[index] = best
                changed = True
    return {block: order[above[index]] if index else None for index, block in enumerate(order)}


class DominatorTree:
    """A tree of blocks with constant-time ancestor questions."""

    def __init__(self, parents: Mapping[Block, Block | None]) -> None:
        self.parents = parents
        self.children: dict[Block, list[Block]] = {block: [] for block in parents}
        roots: list[Block] = []
        for block, parent in parents.items():
            (roots if parent is None else self.children[parent]).append(block)
        self.enter: dict[Block, int] = {}
        self.leave: dict[Block, int] = {}
        self.preorder: list[Block] = []
        clock = 0
        stack: list[tuple[Block, bool]] = [(root, False) for root in reversed(roots)]
        while stack:
            block, done = stack.pop()
            clock += 1
            if done:
                self.leave[block] = clock
                continue
            self.enter[block] = clock
            self.preorder.append(block)
            stack.append((block, True))
            stack += [(child, False) for child in reversed(self.children[block])]

    def is_ancestor(self, above: Block, below: Block) -> bool:
        """Is `above` equal to `below` or above it?"""
        return self.enter[above] <= self.enter[below] and self.leave[below] <= self.leave[above]

    def text(self, names: Mapping[Block, str]) -> list[str]:
        lines: list[str] = []
        depth: dict[Block, int] = {}
        for block in self.preorder:
            parent = self.parents[block]
            depth[block] = 0 if parent is None else depth[parent] + 1
            lines.append("  " * (depth[block] + 1) + names[block])
        return lines


def available_at_end(
    value: Instruction,
    place: Block,
    dominates: Callable[[Block, Block], bool],
    predecessors: Callable[[Block], list[Block]],
) -> bool:
    """Is the result of `value` there at the end of block `place`?

    The result of an invoke is there only behind its normal edge.
    """
    block = value.parent
    if block is None:
        return False
    if value.opcode != "invoke":
        return dominates(block, place)
    normal = next(iter(value.successors()))
    if predecessors(normal) == [block]:
        return dominates(normal, place)
    return block is place
