"""Memory that a program looks at as items of two types: which of its bytes are floats.

A statement (`ir.items`) speaks of the whole memory behind a pointer, with a period. What is asked about is a
place, or all places at multiples of a stride. The answer is a kind if they all are floats of this type, or that there
is no float; else floats are *mixed* with something else: halves of them, several in one, floats and integers by turns.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from math import gcd

from enzyme.engine.analysis.typereasons import Reason
from enzyme.engine.analysis.typetree import FLOAT_KINDS, UNKNOWN, ConcreteType
from enzyme.engine.ir.items import Items


@dataclass(frozen=True, slots=True)
class Found:
    """What stands at places: floats of one kind, floats `mixed` with something else, or none."""

    kind: ConcreteType = UNKNOWN
    mixed: bool = False
    reason: Reason = ""


@dataclass(frozen=True, slots=True)
class Viewed:
    """Items that begin at `start` of a region of memory, or any multiple of `stride` from there if that is not 0."""

    start: int
    stride: int
    items: Items
    reason: Reason = field(default="", compare=False)

    @staticmethod
    def at(start: int, stride: int, items: Items, reason: Reason) -> Viewed:
        stride = gcd(stride, items.period)
        if stride == items.period or is_uniform(items):
            stride = 0
        return Viewed(start % (stride or items.period), stride, items, reason)

    def moved(self, distance: int) -> Viewed:
        """The same in a region in which this one lies at `distance`."""
        return replace(self, start=(self.start + distance) % (self.stride or self.items.period))

    def relative(self, start: int, stride: int) -> Viewed:
        """The same, as counted from a place of this region."""
        return Viewed.at(self.start - start, gcd(self.stride, stride), self.items, self.reason)

    def find(self, offset: int, stride: int, size: int) -> Found:
        """What stands in `size` bytes at `offset`, and once in every `stride` bytes."""
        step = gcd(stride, self.stride, self.items.period)
        if is_uniform(self.items) and size == self.items.period and step < size:
            step = size  # distances that only the run knows are whole items
        found: set[ConcreteType] = set()
        count, torn = 0, False
        for start, type_ in self.items.floats:
            kind = FLOAT_KINDS[type_]
            away = (offset - self.start - start) % step
            if away < kind.size or step - away < size:
                found.add(kind)
                count += 1
                torn = torn or away > 0 or kind.size != size
        if not found:
            return Found()
        if torn or len(found) > 1 or count * step != self.items.period:
            return Found(mixed=True, reason=self.reason)
        return Found(found.pop(), reason=self.reason)

    def tears(self, offset: int, stride: int, kind: ConcreteType) -> ConcreteType | None:
        """A float of which a float of this kind at such places would be a part, or that it would be a part of.

        Nothing is said of places at distances that only the run knows.
        """
        if 0 < stride < kind.size:
            return None
        step = gcd(stride, self.stride, self.items.period)
        for start, type_ in self.items.floats:
            other = FLOAT_KINDS[type_]
            away = (offset - self.start - start) % step
            if (away < other.size or step - away < kind.size) and (away or other is not kind):
                return other
        return None


def is_uniform(items: Items) -> bool:
    """Are the items floats and nothing else?"""
    return len(items.floats) == 1 and FLOAT_KINDS[items.floats[0][1]].size == items.period


def seen(views: Iterable[Viewed], offset: int, stride: int, size: int) -> Found:
    """What all views together say of a place."""
    told = [found for view in views if (found := view.find(offset, stride, size)) != Found()]
    if not told:
        return Found()
    agree = all(found.kind is told[0].kind and not found.mixed for found in told)
    return told[0] if agree else Found(mixed=True, reason=told[0].reason)


def layout_of(views: Iterable[Viewed], start: int, stride: int) -> Items | None:
    """How memory repeats from a place on, if all views that see floats there agree."""
    seeing = [view.relative(start, stride) for view in views if view.items.floats]
    if not seeing or seeing[0].stride or any(view != seeing[0] for view in seeing):
        return None
    first, period = seeing[0].start, seeing[0].items.period
    items = Items.of(period, (((o + first) % period, t) for o, t in seeing[0].items.floats))
    starts = [o for o, _ in items.floats[1:]] + [items.period]
    ends = [o + FLOAT_KINDS[t].size for o, t in items.floats]
    return items if all(map(int.__le__, ends, starts)) else None
