"""Memory that begins with a header, behind which it repeats: what C's flexible array members hold."""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter

from enzyme.engine.analysis.typegraph import WORD, TypeGraph
from enzyme.engine.analysis.typeread import kinds_in, runs_behind
from enzyme.engine.analysis.typetree import MAX_OFFSET, UNKNOWN, ConcreteType


@dataclass(frozen=True, slots=True)
class Headed:
    """Memory that begins with `size` bytes of a header, behind which it repeats; kinds as `runs` tells them."""

    size: int
    header: list[tuple[int, ConcreteType]]
    period: int
    kinds: list[tuple[int, ConcreteType]]

    @property
    def is_known(self) -> bool:
        """Is something known of both parts, and all but gaps that are too short for an address?"""
        return _is_known(self.size, self.header) and _is_known(self.period, self.kinds)


def _is_known(size: int, kinds: list[tuple[int, ConcreteType]]) -> bool:
    ends = [*(at for at, _ in kinds[1:]), size]
    gaps = [end - at for (at, kind), end in zip(kinds, ends, strict=True) if kind is UNKNOWN]
    return len(gaps) < len(kinds) and all(gap < WORD for gap in gaps)


def headed(graph: TypeGraph, pointer: int, whole: int = 0) -> Headed | None:
    """A header, then records or numbers that a variable index leads to, or that are known as far as anything is; None
    if it is something else."""
    node, start, stride = graph.target(pointer)
    known = [
        (offset - start, step, size, graph.kind(cell))
        for (offset, step, size, _), cell in graph.places(node).items()
        if graph.kind(cell) is not UNKNOWN
    ]
    ends = {at + size for at, step, size, kind in known if not (step or kind.is_float) and at >= 0}
    lines = [(at, step) for at, step, size, _ in known if step and step % size == 0]
    starts = {end + (at - end) % step for end in ends for at, step in lines}
    for size in sorted(starts) if not stride else ():
        behind = graph.new_pointer((node, start + size, 0), graph.reason(pointer))
        period, kinds = kinds_in(graph, behind, whole)
        if len(kinds) == 1 and kinds[0][1].is_float:  # they stand in line, whoever walks over them
            period = max(period, kinds[0][1].size)
        found = Headed(size, runs_behind(graph, pointer, 0, size), period, kinds)
        if found.is_known:
            return found
    floats = {(at, kind) for at, step, _, kind in known if not step and kind.is_float}
    size, kind = max(floats, default=(0, UNKNOWN), key=itemgetter(0))
    if size + 2 * kind.size <= MAX_OFFSET:
        return None
    while (size - kind.size, kind) in floats:
        size -= kind.size
    found = Headed(size, runs_behind(graph, pointer, 0, size), kind.size, [(0, kind)])
    others = any(at + width > size and (at, k) not in floats for at, _, width, k in known)
    return found if size > 0 and found.is_known and not others else None
