"""The cheapest set of nodes that separates what is unavailable from what is needed.

Every node may be cut at its cost.  Among the cheapest cuts the one nearest to the needed nodes is chosen, so
that nothing is computed twice without saving storage. That cut is unique, whichever way the flow is found.
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

    A source that is needed itself must be cut; without these the graph mostly falls into small parts, and each
    has a flow of its own.

    >>> cheapest_cut({"a": 8, "b": 1, "c": 8}, {"a": ["b"], "b": ["c"]}, ["a"], ["c"])
    ['b']
    """
    index = {node: k for k, node in enumerate(costs)}
    starts, ends = {index[node] for node in sources}, {index[node] for node in sinks}
    found = starts & ends
    following: list[list[int]] = [[] for _ in index]
    before: list[list[int]] = [[] for _ in index]
    for node, k in index.items():
        if k not in found:
            for user in users.get(node, ()):
                if user in index and index[user] not in found:
                    following[k].append(index[user])
                    before[index[user]].append(k)
    # Only what stands on a way from a source to a sink matters.
    between = _reached(starts - found, following) & _reached(ends - found, before)
    weights = list(costs.values())
    for part in _parts(sorted(between), following, before, between):
        found.update(_cut(part, weights, following, starts, ends, between))
    return [node for node, k in index.items() if k in found]


def _reached(starts: Iterable[int], edges: Sequence[Sequence[int]]) -> set[int]:
    found = set(starts)
    pending = list(found)
    while pending:
        for place in edges[pending.pop()]:
            if place not in found:
                found.add(place)
                pending.append(place)
    return found


def _parts(
    places: Sequence[int],
    following: Sequence[Sequence[int]],
    before: Sequence[Sequence[int]],
    between: set[int],
) -> list[list[int]]:
    """The connected parts of the graph."""
    parts: list[list[int]] = []
    seen: set[int] = set()
    for start in places:
        if start in seen:
            continue
        seen.add(start)
        part = [start]
        for place in part:
            for other in (*following[place], *before[place]):
                if other in between and other not in seen:
                    seen.add(other)
                    part.append(other)
        parts.append(sorted(part))
    return parts


def _cut(
    part: Sequence[int],
    weights: Sequence[int],
    following: Sequence[Sequence[int]],
    starts: set[int],
    ends: set[int],
    between: set[int],
) -> list[int]:
    network = _Network(2 * len(part) + 2)
    source, sink = 2 * len(part), 2 * len(part) + 1
    local = {place: k for k, place in enumerate(part)}
    for place, k in local.items():
        network.connect(2 * k, 2 * k + 1, weights[place])
        for user in following[place]:
            if user in between:
                network.connect(2 * k + 1, 2 * local[user], INFINITE)
        if place in starts:
            network.connect(source, 2 * k, INFINITE)
        if place in ends:
            network.connect(2 * k + 1, sink, INFINITE)
    network.fill(source, sink)
    reaches = network.reaching(sink)
    return [p for p, k in local.items() if 2 * k not in reaches and 2 * k + 1 in reaches]


class _Network:
    """Edges with room left; maximum flow by blocking flows (Dinitz 1970)."""

    def __init__(self, count: int) -> None:
        self.edges: list[list[int]] = [[] for _ in range(count)]
        self.head: list[int] = []
        self.room: list[int] = []

    def connect(self, tail: int, to: int, capacity: int) -> None:
        for one, other, room in ((tail, to, capacity), (to, tail, 0)):
            self.edges[one].append(len(self.head))
            self.head.append(other)
            self.room.append(room)

    def fill(self, source: int, sink: int) -> None:
        while True:
            level = self._levels(source, sink)
            if sink not in level:
                return
            self._block(source, sink, level)

    def _levels(self, source: int, sink: int) -> dict[int, int]:
        level = {source: 0}
        queue = deque([source])
        while queue and sink not in level:
            place = queue.popleft()
            for edge in self.edges[place]:
                if self.room[edge] and self.head[edge] not in level:
                    level[self.head[edge]] = level[place] + 1
                    queue.append(self.head[edge])
        return level

    def _block(self, source: int, sink: int, level: Mapping[int, int]) -> None:
        """Augment along shortest ways until each has a full edge; every edge is given up at most once."""
        tried = dict.fromkeys(level, 0)
        path: list[int] = []
        place = source
        while True:
            if place == sink:
                flow = min(self.room[edge] for edge in path)
                for edge in path:
                    self.room[edge] -= flow
                    self.room[edge ^ 1] += flow
                full = next(k for k, edge in enumerate(path) if not self.room[edge])
                place = self.head[path[full] ^ 1]
                del path[full:]
                continue
            edges, at = self.edges[place], tried[place]
            while at < len(edges) and not (
                self.room[edges[at]] and level.get(self.head[edges[at]], -1) == level[place] + 1
            ):
                at += 1
            tried[place] = at
            if at < len(edges):
                path.append(edges[at])
                place = self.head[edges[at]]
            elif path:
                place = self.head[path.pop() ^ 1]
                tried[place] += 1
            else:
                return

    def reaching(self, sink: int) -> set[int]:
        """From where there is still room on a way to the sink."""
        found = {sink}
        pending = [sink]
        while pending:
            for edge in self.edges[pending.pop()]:
                if self.room[edge ^ 1] and self.head[edge] not in found:
                    found.add(self.head[edge])
                    pending.append(self.head[edge])
        return found
