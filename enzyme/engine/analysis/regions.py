"""Parts of memory that never overlap, as far as the objects in them are known.

Two pointers are in one region where they may point into one object, or into objects that the alias oracle does not
keep apart. What holds of objects holds of their shadows, which share memory as their primals do.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from enzyme.engine.analysis.alias import AliasOracle
from enzyme.engine.ir.values import Value

# Every pair is asked about.
_MOST_OBJECTS = 24


class Regions:
    """The regions of the memory behind some pointers: numbers from 0 to `count`."""

    def __init__(self, oracle: AliasOracle, pointers: Iterable[Value]) -> None:
        self.oracle = oracle
        sets = [oracle.underlying(p) for p in dict.fromkeys(pointers)]
        self._parent: dict[Value, Value] = {o: o for found in sets for o in found}
        objects = list(self._parent)
        for found in sets:
            for other in found[1:]:
                self._join(found[0], other)
        if len(objects) > _MOST_OBJECTS:
            for other in objects[1:]:
                self._join(objects[0], other)
        else:
            for one, other in combinations(objects, 2):
                if not oracle.are_distinct(one, other):
                    self._join(one, other)
        roots = dict.fromkeys(map(self._root, objects))
        self._number = {root: k for k, root in enumerate(roots)}
        self.count = max(1, len(roots))

    def of(self, pointer: Value) -> int | None:
        """The region that a pointer points into; None where that is not known."""
        found = self.oracle.underlying(pointer)
        if not found or any(o not in self._parent for o in found):
            return None
        numbers = {self._number[self._root(o)] for o in found}
        return numbers.pop() if len(numbers) == 1 else None

    def _root(self, value: Value) -> Value:
        while self._parent[value] is not value:
            value = self._parent[value]
        return value

    def _join(self, one: Value, other: Value) -> None:
        self._parent[self._root(other)] = self._root(one)
