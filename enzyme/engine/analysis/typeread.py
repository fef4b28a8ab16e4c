"""Answers read from a solved `TypeGraph`: the tree of a cell, the kind of bytes behind a pointer."""

from __future__ import annotations

from math import gcd

from enzyme.engine.analysis.typegraph import Target, TypeGraph
from enzyme.engine.analysis.typetree import (
    ANYTHING,
    EMPTY,
    INTEGER,
    MAX_DEPTH,
    MAX_OFFSET,
    POINTER,
    UNKNOWN,
    Kind,
    Path,
    TypeTree,
)


def tree_of(graph: TypeGraph, cell: int) -> TypeTree:
    """The tree of what a cell holds."""
    entries: dict[Path, Kind] = {}
    _scalar(graph, cell, (-1,), entries, frozenset())
    return TypeTree(entries) if entries else EMPTY


def _scalar(
    graph: TypeGraph, cell: int, path: Path, entries: dict[Path, Kind], above: frozenset[int]
) -> None:
    kind = graph.kind(cell)
    if kind is UNKNOWN:
        return
    entries[path] = kind
    target = graph.known_target(cell) if kind is POINTER else None
    if target is not None and len(path) < MAX_DEPTH and target[0] not in above:
        _memory(graph, target, path, entries, above | {target[0]})


def _memory(
    graph: TypeGraph, target: Target, path: Path, entries: dict[Path, Kind], above: frozenset[int]
) -> None:
    node, start, stride = target
    fixed: dict[int, tuple[int, int]] = {}
    repeated: dict[int, tuple[int, int]] = {}
    period = 0
    for (offset, step, size), cell in graph.places(node).items():
        if graph.kind(cell) is UNKNOWN:
            continue
        common = gcd(step, stride)
        if common:
            distance = (offset - start) % common
            found = repeated.get(distance)
            if found is None or size > found[1]:
                repeated[distance] = (cell, size)
            period = gcd(period, common)
        elif start <= offset < start + MAX_OFFSET:
            found = fixed.get(offset - start)
            if found is None or size > found[1]:
                fixed[offset - start] = (cell, size)
    every = graph.every(node)
    everywhere = graph.kind(every) if every >= 0 else UNKNOWN
    if everywhere is UNKNOWN and repeated:
        everywhere, every = _uniform(graph, fixed, repeated, period)
    if everywhere is not UNKNOWN:
        _scalar(graph, every, (*path, -1), entries, above)
        if everywhere is POINTER:
            return
    places = {**repeated, **fixed}
    for distance in sorted(places):
        cell, size = places[distance]
        kind = graph.kind(cell)
        if everywhere is not UNKNOWN and kind is not everywhere:
            continue
        if kind is INTEGER:
            for byte in range(distance, min(distance + size, MAX_OFFSET)):
                entries.setdefault((*path, byte), INTEGER)
        else:
            _scalar(graph, cell, (*path, distance), entries, above)
    if everywhere is UNKNOWN and stride == 0:
        for byte in graph.integer_bytes(node, start, start + MAX_OFFSET):
            entries.setdefault((*path, byte - start), INTEGER)


def _uniform(
    graph: TypeGraph,
    fixed: dict[int, tuple[int, int]],
    repeated: dict[int, tuple[int, int]],
    period: int,
) -> tuple[Kind, int]:
    """The kind that all places have, if the repeated ones leave no gap."""
    kinds = {graph.kind(cell) for cell, _ in (*repeated.values(), *fixed.values())}
    if len(kinds) == 1:
        kind = next(iter(kinds))
        cell, size = next(iter(repeated.values()))
        if len({place % period for place in repeated}) * size >= period:
            return kind, cell
    return UNKNOWN, -1


def kind_in(graph: TypeGraph, pointer: int, offset: int) -> tuple[Kind, int]:
    """The kind of the byte at `offset` behind a pointer, and how many bytes on it holds."""
    found = graph.known_target(pointer)
    if found is None:
        return UNKNOWN, 1
    node, start, stride = found
    place = start + offset
    best: tuple[Kind, int] = (UNKNOWN, 1)
    rank = 0
    for (other, step, size), cell in graph.places(node).items():
        kind = graph.kind(cell)
        if kind is UNKNOWN or kind is ANYTHING:
            continue
        period = gcd(step, stride)
        inside = (place - other) % period if period else place - other
        if not 0 <= inside < size:
            continue
        # A fixed place knows best, then the finest repetition; the start of an element before its middle.
        score = (2 if not period else 1) * 4 + (2 if inside == 0 else 0) + (kind is not INTEGER)
        if score > rank:
            rank, best = score, (kind, size - inside)
    if rank >= 8:
        return best
    every = graph.every(node)
    if every >= 0 and graph.kind(every) is not UNKNOWN:
        kind = graph.kind(every)
        return kind, kind.size or 1
    if stride == 0 and graph.integer_at(node, place):
        return INTEGER, 1
    return best


def kinds_in(graph: TypeGraph, pointer: int) -> tuple[int, list[tuple[int, Kind]]]:
    """The period with which memory behind a pointer repeats, and the kinds within one period."""
    node, _, stride = graph.target(pointer)
    period = stride
    for _, step, _ in graph.places(node):
        period = gcd(period, step)
    every = graph.every(node)
    if every >= 0:
        kind = graph.kind(every)
        return kind.size or 1, [(0, kind)]
    if not period:
        return 1, [(0, UNKNOWN)]
    found: list[tuple[int, Kind]] = []
    place = 0
    while place < period:
        kind, length = kind_in(graph, pointer, place)
        if not (kind in (INTEGER, UNKNOWN) and found and found[-1][1] is kind):
            found.append((place, kind))
        place += length
    return period, found
