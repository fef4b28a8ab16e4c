"""The cheapest set of nodes that separates what is unavailable from what is needed.

Every node may be cut at its cost.  Among the cheapest cuts the one nearest to the needed nodes is chosen, so
that nothing is computed twice without saving storage.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

Node = TypeVar("Node")
INFINITE = 1 << 60


def cheapest_cut(
    costs: Mapping[Node, int],
    users: Mapping[Node, Sequence[Node]],
    sources: Iterable[Node],
    sinks: Iterable[Node],
) -> list[Node]:
    """Nodes to cut so that no path `source -> ... -> sink` along `users` is left whole.

    Each node is split into an entry (2k) and an exit (2k + 1) joined by an edge of its cost; maximum flow by
    shortest augmenting paths (Edmonds and Karp 1972).
    """
    index = {node: k for k, node in enumerate(costs)}
    count = 2 * len(index) + 2
    source, sink = count - 2, count - 1
    edges: list[list[int]] = [[] for _ in range(count)]
    head: list[int] = []
    room: list[int] = []

    def connect(tail: int, to: int, capacity: int) -> None:
        edges[tail].append(len(head))
        head.append(to)
        room.append(capacity)
        edges[to].append(len(head))
        head.append(tail)
        room.append(0)

    for node, k in index.items():
        connect(2 * k, 2 * k + 1, costs[node])
        for user in users.get(node, ()):
            if user in index:
                connect(2 * k + 1, 2 * index[user], INFINITE)
    for node in sources:
        connect(source, 2 * index[node], INFINITE)
    for node in sinks:
        connect(2 * index[node] + 1, sink, INFINITE)

    while True:
        came: dict[int, int] = {source: -1}
        queue = deque([source])
        while queue and sink not in came:
            place = queue.popleft()
            for edge in edges[place]:
                if room[edge] and head[edge] not in came:
                    came[head[edge]] = edge
                    queue.append(head[edge])
        if sink not in came:
            break
        path = []
        place = sink
        while place != source:
            path.append(came[place])
            place = head[came[place] ^ 1]
        flow = min(room[edge] for edge in path)
        for edge in path:
            room[edge] -= flow
            room[edge ^ 1] += flow

    reaches = {sink}
    queue = deque([sink])
    while queue:
        place = queue.popleft()
        for edge in edges[place]:
            if room[edge ^ 1] and head[edge] not in reaches:
                reaches.add(head[edge])
                queue.append(head[edge])
    return [node for node, k in index.items() if 2 * k not in reaches and 2 * k + 1 in reaches]
