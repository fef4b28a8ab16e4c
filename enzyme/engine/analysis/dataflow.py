"""Small graph algorithms that analyses share."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

from enzyme.engine.ir.module import Block, Function

Node = TypeVar("Node", bound=Hashable)


def strong_groups(edges: Mapping[Node, Sequence[Node]]) -> list[tuple[Node, ...]]:
    """Strongly connected groups, successors before predecessors (Tarjan, without recursion)."""
    number: dict[Node, int] = {}
    low: dict[Node, int] = {}
    stack: list[Node] = []
    place: dict[Node, int] = {}
    waiting: set[Node] = set()
    groups: list[tuple[Node, ...]] = []
    for root in edges:
        if root in number:
            continue
        path = [(root, iter(edges[root]))]
        number[root] = low[root] = len(number)
        place[root] = len(stack)
        stack.append(root)
        waiting.add(root)
        while path:
            node, rest = path[-1]
            for successor in rest:
                if successor not in number:
                    number[successor] = low[successor] = len(number)
                    place[successor] = len(stack)
                    stack.append(successor)
                    waiting.add(successor)
                    path.append((successor, iter(edges[successor])))
                    break
                if successor in waiting:
                    low[node] = min(low[node], number[successor])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == number[node]:
                    group = tuple(stack[place[node] :])
                    groups.append(group)
                    waiting.difference_update(group)
                    del stack[place[node] :]
    return groups


def blocks_in_cycles(function: Function) -> set[Block]:
    """The blocks that may run more than once in one call."""
    edges = {b: b.successors() if b.is_terminated else [] for b in function.blocks}
    repeated = {block for group in strong_groups(edges) if len(group) > 1 for block in group}
    return repeated | {block for block, successors in edges.items() if block in successors}
