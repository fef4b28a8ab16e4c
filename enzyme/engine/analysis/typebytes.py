"""Which bytes places hold, once or once in a period, and what is known of these: looked up, not compared in pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import gcd
from typing import TYPE_CHECKING

from enzyme.engine.analysis.typetags import Key
from enzyme.engine.analysis.typetree import UNKNOWN, ConcreteType

if TYPE_CHECKING:
    from enzyme.engine.analysis.typegraph import TypeGraph

_Facts = set[tuple[ConcreteType, ConcreteType]]


def bytes_of(offset: int, size: int, period: int) -> Iterator[int]:
    """The bytes of a place, counted around a period unless that is 0.

    >>> list(bytes_of(6, 4, 0)), list(bytes_of(6, 4, 8)), list(bytes_of(6, 4, 2))
    ([6, 7, 8, 9], [6, 7, 0, 1], [0, 1])
    """
    for byte in range(offset, offset + (min(size, period) if period else size)):
        yield byte % period if period else byte


class Around:
    """What is told of places, and what they are, by which of them may share a byte."""

    def __init__(self, places: Iterable[tuple[Key, ConcreteType]]) -> None:
        self._by_stride: dict[int, list[tuple[Key, ConcreteType]]] = {}
        for key, kind in places:
            self._by_stride.setdefault(key[1], []).append((key, kind))
        self._tables: dict[tuple[int, int], dict[int, _Facts]] = {}

    def of(self, place: Key) -> _Facts:
        """What is told of the places that may share a byte with one, and what they are: as `typetags.overlap` says."""
        offset, stride, size, _ = place
        found: _Facts = set()
        for other in self._by_stride:
            period = gcd(stride, other)
            table = self._table(other, period)
            for byte in bytes_of(offset, size, period):
                found |= table.get(byte, set())
        return found

    def _table(self, stride: int, period: int) -> dict[int, _Facts]:
        """The facts about each byte of the places with a stride."""
        if (stride, period) not in self._tables:
            made: dict[int, _Facts] = {}
            for (offset, _, size, told), kind in self._by_stride[stride]:
                for byte in bytes_of(offset, size, period):
                    made.setdefault(byte, set()).add((told, kind))
            self._tables[stride, period] = made
        return self._tables[stride, period]


class Rarer:
    """Which bytes of one region of a graph hold something else than a kind, and repeat more rarely than that does.

    What was found holds until anything new is known.
    """

    def __init__(self, graph: TypeGraph) -> None:
        self._graph = graph
        self._stamp: tuple[int, ...] = ()
        self._known: dict[tuple[ConcreteType, int], dict[int, set[int]]] = {}

    def holds(
        self, node: int, stride: int, place: tuple[int, int], kind: ConcreteType, step: int
    ) -> bool:
        """Do the bytes of a place (offset, size), reached by a stride, hold something else than a `kind` that repeats
        every `step` bytes?"""
        return any(
            byte in covered
            for period, covered in self._bytes(node, stride, kind, step).items()
            for byte in bytes_of(*place, period)
        )

    def _bytes(self, node: int, stride: int, kind: ConcreteType, step: int) -> dict[int, set[int]]:
        """These bytes, by how often they repeat; 0 where they do not."""
        graph = self._graph
        places = graph.places(node)
        stamp = (graph.revision, len(places), node, stride)
        if self._stamp != stamp:
            self._stamp = stamp
            self._known.clear()
        found = self._known.get((kind, step))
        if found is None:
            found = self._known[kind, step] = {}
            for (offset, repeats, size, _), cell in places.items():
                period, known = gcd(repeats, stride), graph.kind(cell)
                if known is not UNKNOWN and known is not kind and not 0 < period <= step:
                    found.setdefault(period, set()).update(bytes_of(offset, size, period))
        return found
