"""Pointers that are as far from one as others are from each other: how far is known when all facts are together."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import TYPE_CHECKING

from enzyme.engine.analysis.typereasons import Reason
from enzyme.engine.analysis.typetree import POINTER

if TYPE_CHECKING:
    from enzyme.engine.analysis.typegraph import Target, TypeGraph


@dataclass(slots=True)
class _Distance:
    """A pointer `made` as far from `base` as `first` is from `second`.

    `known` is what was found of that: so many bytes, and a multiple of how many more.
    """

    made: int
    base: Target
    first: int
    second: int
    reason: Reason
    known: tuple[int, int] | None = None


class Distances:
    """The pointers of one graph that are reached over distances between others."""

    def __init__(self, graph: TypeGraph) -> None:
        self._graph = graph
        self._all: list[_Distance] = []

    def pointer(self, base: Target, first: int, second: int, reason: Reason) -> int:
        """A pointer that is as far from `base` as `first` is from `second`."""
        made = self._graph.new_cell()
        self._graph.set_kind(made, POINTER, reason)
        self._all.append(_Distance(made, base, first, second, reason))
        return made

    def measure(self, last: bool) -> None:
        """Tell the graph where the pointers are.

        At the `last`, pointers between which there is a distance lead to one region if they step by items; and what
        is at other distances is anywhere.
        """
        graph = self._graph
        for one in self._all:
            found = self._between(one, last)
            if found is None or found == one.known:
                continue
            one.known = found
            graph.revision += 1
            node, shift = graph.find_node(one.base[0])
            place = (node, one.base[1] + shift + found[0], gcd(one.base[2], found[1]))
            graph.unite(one.made, graph.new_pointer(place, one.reason), one.reason)

    def _between(self, one: _Distance, last: bool) -> tuple[int, int] | None:
        """How far it is, None where that is not known yet."""
        anywhere = (0, 1) if last else None
        graph = self._graph
        first, second = graph.known_target(one.first), graph.known_target(one.second)
        if first is None or second is None:
            return anywhere
        found = first[1] - second[1], gcd(first[2], second[2])
        if first[0] == second[0]:
            return found
        if last and found[1] > 1:
            graph.lay_beside(one.first, second, one.reason)
        return None if found[1] > 1 else anywhere
