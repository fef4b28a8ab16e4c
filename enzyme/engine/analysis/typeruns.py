"""Long stretches of memory, told as runs: what repeats is read once."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable
from dataclasses import dataclass

from enzyme.engine.analysis.typetree import INTEGER, UNKNOWN, ConcreteType

# Bytes, of more than which nobody is told one by one what they are.
LONGEST = 1 << 24
# What repeats fewer times is read byte by byte.
FEW = 16
# How often a period is looked for: it does not begin in the middle of a number.
_ATTEMPTS = 4


@dataclass(frozen=True, slots=True)
class Regular:
    """Memory that repeats after `period` bytes, but for `slack` bytes from each of some places on."""

    places: list[int]
    slack: int
    period: int

    def end(self, place: int) -> int:
        """How far it repeats from a place on; the place itself if it does not."""
        k = bisect(self.places, place)
        if k and place < self.places[k - 1] + self.slack:
            return place
        return self.places[k] if k < len(self.places) else LONGEST


def runs(
    size: int,
    kind_at: Callable[[int], tuple[ConcreteType, int]],
    regular: Regular | None = None,
    offset: int = 0,
) -> list[tuple[int, ConcreteType]]:
    """Every float and pointer in so many bytes, and every run of integers or unknown bytes, with where it begins.

    `kind_at` tells the kind at a place, and how many bytes on it holds; `regular` where kinds repeat, which of them the
    first byte is says `offset`.
    """
    found: list[tuple[int, ConcreteType]] = []

    def enter(place: int, kind: ConcreteType) -> None:
        if not (kind in (INTEGER, UNKNOWN) and found and found[-1][1] is kind):
            found.append((place, kind))

    place, seen_end, attempts = 0, -1, 0
    while place < size:
        end = 0 if regular is None else min(size, regular.end(offset + place) - offset)
        if regular is not None and end - place >= FEW * regular.period:
            attempts = attempts - 1 if end == seen_end else _ATTEMPTS
            seen_end = end
            once = _period(place, regular.period, kind_at) if attempts > 0 else []
            if once:
                times = (end - place) // regular.period
                is_run = all(kind in (INTEGER, UNKNOWN) and kind is once[0][1] for _, kind in once)
                for start in range(0, (1 if is_run else times) * regular.period, regular.period):
                    for away, kind in once:
                        enter(place + start + away, kind)
                place += times * regular.period
                continue
        kind, length = kind_at(place)
        enter(place, kind)
        place += length
    return found


def _period(
    place: int, period: int, kind_at: Callable[[int], tuple[ConcreteType, int]]
) -> list[tuple[int, ConcreteType]]:
    """The kinds in one period, if the last one ends with it."""
    found, at = [], place
    while at < place + period:
        kind, length = kind_at(at)
        found.append((at - place, kind))
        at += length
    return found if at == place + period else []
