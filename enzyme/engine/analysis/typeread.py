"""Answers read from a solved `TypeGraph`: the tree of a cell, the kind of bytes behind a pointer."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from math import gcd

from enzyme.engine.analysis.typebytes import Around
from enzyme.engine.analysis.typegraph import WORD, Target, TypeGraph
from enzyme.engine.analysis.typeruns import FEW, LONGEST, runs
from enzyme.engine.analysis.typetags import Key, overlap, several
from enzyme.engine.analysis.typetree import (
    ANYTHING,
    FLOAT_KINDS,
    INTEGER,
    MAX_OFFSET,
    POINTER,
    TOLD,
    UNKNOWN,
    ConcreteType,
    Path,
    TypeTree,
)
from enzyme.engine.analysis.typeviews import Found, layout_of, seen
from enzyme.engine.ir.items import Items


def tree_of(graph: TypeGraph, cell: int, strong: bool = False) -> TypeTree:
    """The tree of what a cell holds; `strong`: without guesses."""
    return TypeTree.of_valid(_Reader(graph, strong).read(cell))


# A node with four links leads to four thousand paths of six steps.  A tree of more entries than so many is made less
# deep, as are all others in the same analysis: facts must not become fewer while it goes on.
MOST_ENTRIES = 600
_LEAST_DEPTH = 2


class TooWide(Exception):
    """A tree that would have too many entries."""


Places = dict[int, tuple[int, int]]


class _Reader:
    """Walks from cell to cell and collects the entries of one tree."""

    def __init__(self, graph: TypeGraph, strong: bool) -> None:
        self.graph = graph
        self.strong = strong
        self.entries: dict[Path, ConcreteType] = {}

    def read(self, cell: int) -> dict[Path, ConcreteType]:
        self.scalar(cell, (-1,), frozenset())
        return self.entries

    def kind(self, cell: int) -> ConcreteType:
        if self.strong and self.graph.is_weak(cell):
            return UNKNOWN
        return self.graph.kind(cell)

    def scalar(self, cell: int, path: Path, above: frozenset[int], told: bool = False) -> None:
        kind = self.kind(cell)
        if kind is UNKNOWN:
            return
        if len(self.entries) > MOST_ENTRIES and self.graph.depth > _LEAST_DEPTH:
            raise TooWide
        self.entries[path] = TOLD[kind] if told and kind in TOLD else kind
        target = self.graph.known_target(cell) if kind is POINTER else None
        if target is not None and len(path) < self.graph.depth and target[0] not in above:
            self.memory(target, path, above | {target[0]})

    def memory(self, target: Target, path: Path, above: frozenset[int]) -> None:
        graph = self.graph
        if graph.by_tags:
            self.memory_by_tags(target, path, above)
            return
        node, start, stride = target
        fixed, repeated, period = self.places_apart(target) if graph.apart else self.places(target)
        every = graph.every(target)
        everywhere = graph.kind(every) if every >= 0 else UNKNOWN
        integers = [] if stride else graph.integer_bytes(node, start, start + MAX_OFFSET)
        if everywhere is UNKNOWN and repeated and not integers and not _is_mixed(graph, node):
            everywhere, every = _uniform(graph, fixed, repeated, period)
        if everywhere is not UNKNOWN:
            self.scalar(every, (*path, -1), above)
            return
        places = {**repeated, **fixed}
        if repeated and _is_several(graph, places):
            places = self.repeated_on(target, places)
        for place in sorted(places):
            cell, size = places[place]
            if graph.kind(cell) is not INTEGER:
                self.scalar(cell, (*path, place), above)
                continue
            for byte in range(place, min(place + size, MAX_OFFSET)):
                self.entries.setdefault((*path, byte), INTEGER)
        for byte in integers:
            self.entries.setdefault((*path, byte - start), INTEGER)

    def repeated_on(self, target: Target, places: Places) -> Places:
        """The places, and where those that repeat are again: a tree has no other way to say that they do."""
        graph = self.graph
        node, start, stride = target
        found, taken = dict(places), bytearray(MAX_OFFSET + WORD)
        for place, (_, size) in places.items():
            taken[place : place + size] = b"\1" * size
        ranked = sorted(
            (
                (gcd(key[1], stride), key, cell)
                for key, cell in graph.places(node).items()
                if gcd(key[1], stride) and self.kind(cell) is not UNKNOWN
            ),
            key=lambda entry: -entry[0],
        )
        for period, key, cell in ranked:
            size, floor = key[2], graph.floor(node, key) - start
            if period < size:
                continue
            first = max((key[0] - start) % period, floor)
            for place in range(first, MAX_OFFSET - size + 1, period):
                if not any(taken[place : place + size]):
                    found[place] = cell, size
                    taken[place : place + size] = b"\1" * size
        return found

    def memory_by_tags(self, target: Target, path: Path, above: frozenset[int]) -> None:
        """As `memory`: what is known from tags alone is told as such, and bytes of several kinds are anything."""
        graph = self.graph
        node, start, stride = target
        every = graph.every(target)
        if every >= 0 and graph.kind(every) is not UNKNOWN:
            self.scalar(every, (*path, -1), above)
            return
        found: list[tuple[Key, ConcreteType, int]] = []
        for key, cell in graph.places(node).items():
            offset, step, size, told = key
            common, place = gcd(step, stride), offset - start
            kind = self.kind(cell)
            if kind is not UNKNOWN and not graph.is_passed(target, key, cell):
                found.append(
                    ((place % common if common else place, common, size, told), kind, cell)
                )
        everywhere = self.everywhere(found)
        if everywhere is not None:
            key, kind, cell = everywhere
            self.scalar(cell, (*path, -1), above, told=key[3] is not UNKNOWN)
            return
        around = Around((key, kind) for key, kind, _ in found)
        for key, kind, cell in found:
            place, _, size, told = key
            span = range(max(place, 0), min(place + size, MAX_OFFSET))
            mixed = several(around.of(key))
            if mixed is not None:
                for byte in span:
                    if self.entries.get((*path, byte)) is not ANYTHING:
                        self.entries[(*path, byte)] = mixed
            elif kind is INTEGER:
                mark = INTEGER if told is UNKNOWN else TOLD[INTEGER]
                for byte in span:
                    if self.entries.get((*path, byte)) is not INTEGER:
                        self.entries[(*path, byte)] = mark
            elif 0 <= place < MAX_OFFSET and self.entries.get((*path, place)) is not kind:
                self.scalar(cell, (*path, place), above, told is not UNKNOWN)
        if not stride:
            for byte in graph.integer_bytes(node, start, start + MAX_OFFSET):
                self.entries.setdefault((*path, byte - start), INTEGER)

    def everywhere(
        self, found: list[tuple[Key, ConcreteType, int]]
    ) -> tuple[Key, ConcreteType, int] | None:
        """Any of these places, if all are of one kind, and those that repeat leave no gap."""
        kinds = {kind for _, kind, _ in found}
        steps = [key for key, _, _ in found if key[1]]
        if len(kinds) != 1 or not steps or not kinds <= {POINTER, *FLOAT_KINDS.values()}:
            return None
        period, size = gcd(*(key[1] for key in steps)), steps[0][2]
        if period < size or len({key[0] % period for key in steps}) * size < period:
            return None
        untagged = [entry for entry in found if entry[0][1] and entry[0][3] is UNKNOWN]
        return (untagged or [entry for entry in found if entry[0][1]])[0]

    def places(self, target: Target) -> tuple[Places, Places, int]:
        """The places behind a pointer: fixed ones, those that repeat, and with which period."""
        graph = self.graph
        node, start, stride = target
        fixed: Places = {}
        repeated: Places = {}
        period = 0
        known: list[tuple[int, int, int, ConcreteType]] = []
        for key, cell in sorted(
            graph.places(node).items(), key=lambda item: -(gcd(item[0][1], stride) or MAX_OFFSET)
        ):
            offset, step, size, _ = key
            kind = self.kind(cell)
            if kind is UNKNOWN or graph.is_passed(target, key, cell):
                continue
            common = gcd(step, stride)
            if common:
                place, group = (offset - start) % common, repeated
                if not stride:  # in front of where it is first seen may be something else
                    place = max(place, graph.floor(node, key) - start)
                period = gcd(period, common)
                while not stride and graph.in_header(node, start + place, size):
                    place += common  # elements begin behind a header
                # What repeats more rarely is known better.
                if any(
                    common < rarer and kind is not other and _overlap(place, size, first, width)
                    for rarer, first, width, other in known
                ):
                    continue
                known.append((common, place, size, kind))
            else:
                place, group = offset - start, fixed
            if 0 <= place < MAX_OFFSET and (place not in group or size > group[place][1]):
                group[place] = (cell, size)
        return fixed, repeated, period

    def places_apart(self, target: Target) -> tuple[Places, Places, int]:
        """As `places`, where places that repeat may overlap: those counted from the same start know best.

        What is only a period away may be something else; where two such places contradict, neither counts.
        """
        graph = self.graph
        node, start, stride = target
        fixed: Places = {}
        ranked: list[tuple[bool, int, int, int, int]] = []
        for key, cell in graph.places(node).items():
            offset, step, size, _ = key
            if self.kind(cell) is UNKNOWN or graph.is_passed(target, key, cell):
                continue
            common, place = gcd(step, stride), offset - start
            if not common:
                if 0 <= place < MAX_OFFSET and (place not in fixed or size > fixed[place][1]):
                    fixed[place] = (cell, size)
            elif place >= 0 or not graph.is_item(common, size):
                ranked.append((place >= 0, common, graph.distance(place, common, size), size, cell))
        repeated: Places = {}
        for _, group in groupby(sorted(ranked, reverse=True), lambda entry: entry[:2]):
            places = [entry[2:] for entry in group if entry[2] < MAX_OFFSET]
            known = [(place, size) for place, (_, size) in repeated.items()]
            for place, size, cell in places:
                others = [graph.kind(c) for p, n, c in places if _overlap(p, n, place, size)]
                if all(kind is graph.kind(cell) for kind in others) and not any(
                    _overlap(p, n, place, size) for p, n in known
                ):
                    repeated.setdefault(place, (cell, size))
        return fixed, repeated, gcd(*(entry[1] for entry in ranked))


def _is_several(graph: TypeGraph, places: Places) -> bool:
    """Are not all places of one kind?"""
    return len({graph.kind(cell) for cell, _ in places.values()}) > 1


def _overlap(first: int, size: int, second: int, size_too: int) -> bool:
    return first < second + size_too and second < first + size


def _is_mixed(graph: TypeGraph, node: int) -> bool:
    """Do some places in memory that are held apart hold something else than others?"""
    if not graph.apart:
        return False
    return len({graph.kind(c) for c in graph.places(node).values()} - {UNKNOWN}) > 1


def _uniform(
    graph: TypeGraph,
    fixed: dict[int, tuple[int, int]],
    repeated: dict[int, tuple[int, int]],
    period: int,
) -> tuple[ConcreteType, int]:
    """The kind that all places have, if the repeated ones leave no gap."""
    kinds = {graph.kind(cell) for cell, _ in (*repeated.values(), *fixed.values())}
    if len(kinds) == 1:
        kind = next(iter(kinds))
        cell, size = next(iter(repeated.values()))
        places = len({place % period for place in repeated})
        if places * size >= period and not graph.is_item(period, size):
            return kind, cell
    return UNKNOWN, -1


def kind_in(graph: TypeGraph, pointer: int, offset: int) -> tuple[ConcreteType, int]:
    """The kind of the byte at `offset` behind a pointer, and how many bytes on it holds."""
    found = graph.known_target(pointer)
    if found is None:
        return UNKNOWN, 1
    node, start, stride = found
    place = start + offset
    best: tuple[ConcreteType, int] = (UNKNOWN, 1)
    rank: tuple[int, ...] = ()
    disputed = False
    cells = graph.places(node)
    keys = list(cells) if stride else graph.places_around(node, place)
    if graph.by_tags:
        mixed = several(told_at(graph, node, (place, stride, 1, UNKNOWN)))
        if mixed is not None:
            return mixed, 1
    for key in keys:
        other, step, size, _ = key
        kind = graph.kind(cells[key])
        if kind in (UNKNOWN, ANYTHING) or graph.is_passed((node, place, stride), key, cells[key]):
            continue
        period = gcd(step, stride)
        if stride and not step and graph.in_header(node, other, size):
            continue
        inside = (place - other) % period if period else place - other
        if not 0 <= inside < size:
            continue
        if step and not stride and graph.integer_at(node, place - inside):
            continue  # elements begin behind a header
        # A fixed place knows best, then the rarest repetition; the start of an element before its middle.  Integers
        # behind which nobody goes back are not in front of where they begin.
        here = kind is not INTEGER or not period or place >= graph.floor(node, key)
        # Who walks knows best what all of them walk over.
        score: tuple[int, ...] = (
            not period,
            here,
            period,
            inside == 0,
            kind is not INTEGER,
            step > 0,
        )
        if graph.apart:
            # Places at one distance from what only the run knows are one; a fixed place is at none from that.
            same = 0 <= place - other < size and (step > 0 or not stride)
            score = (not period, same, here, period, inside == 0)
        if score > rank:
            # An integer may be the bits of several things: somebody may know better of its other bytes.
            left = 1 if kind is INTEGER else size - inside
            rank, best, disputed = score, (kind, left), False
        elif (graph.apart or stride) and score == rank:
            disputed = disputed or kind is not best[0]
    if rank and rank[0]:
        return best
    every = graph.every((node, place, stride))
    if every >= 0 and graph.kind(every) is not UNKNOWN:
        kind = graph.kind(every)
        return kind, kind.size or 1
    views = graph.views(node)
    if views:
        if seen(views, place, stride, 1) != Found():
            return _float_at(graph, pointer, offset)
    if stride == 0 and graph.integer_at(node, place):
        return INTEGER, 1
    if stride == 0 and not rank and _is_padding(graph, node, place):
        return INTEGER, 1
    return (UNKNOWN, 1) if disputed else best


def whole_kind_in(graph: TypeGraph, pointer: int, offset: int) -> tuple[ConcreteType, int]:
    """As `kind_in`, but bytes in the middle of a float, whose beginning is something else, are unknown."""
    kind, length = kind_in(graph, pointer, offset)
    return (UNKNOWN if kind.is_float and length < kind.size else kind), length


_IN_LINE = (2, 4, 8)  # sizes of numbers that are as far apart where they stand in line


def is_cut(graph: TypeGraph, pointer: int, size: int) -> bool:
    """Does a float begin before the `size` bytes behind a pointer, or end behind them, or does nothing say where it is?

    Floats whose distances only the run knows are taken to stand in line; beside anything else they need not.
    """
    found = graph.known_target(pointer)
    if found is None:
        return False
    node, start, stride = found
    loose = askew = others = False
    for (offset, step, width, _), cell in graph.places(node).items():
        kind = graph.kind(cell)
        period, inside = gcd(step, stride), offset - start
        within = bool(period) or -width < inside < size
        if kind.is_float and kind.size == width and width in _IN_LINE:
            if period % width:
                at = inside % period  # once in each record of that length
                once = period > width and (size <= period or size % period == 0)
                loose = loose or not once or at + width > period or at < size < at + width
            elif period:
                continue
            elif inside < 0 < inside + width or inside < size < inside + width:
                return True
            else:
                askew = askew or (within and inside % width != 0)
        elif kind is not UNKNOWN:
            others = others or within
    return loose and (askew or others)


def _float_at(graph: TypeGraph, pointer: int, offset: int) -> tuple[ConcreteType, int]:
    """The float that begins at a place in memory that is looked at in two ways; unknown if none is known to."""
    sizes = {kind.size: kind for kind in FLOAT_KINDS.values()}
    for size in sizes:
        found = graph.viewed(pointer, offset, size)
        if found is not None and found.kind is not UNKNOWN:
            return found.kind, size
    return UNKNOWN, 1


def _is_padding(graph: TypeGraph, node: int, place: int) -> bool:
    """Does the byte stand between a header and the first element that is aligned?"""
    return any(graph.integer_at(node, before) for before in range(place & -8, place))


def _uniform_from(graph: TypeGraph, pointer: int) -> tuple[int, list[tuple[int, ConcreteType]]]:
    """Memory that nobody indexes with a variable: all floats of one type, one behind the other, or unknown."""
    node, start, _ = graph.target(pointer)
    known = [
        (offset, graph.kind(cell))
        for (offset, _, size, _), cell in graph.places(node).items()
        if offset + size > start and graph.kind(cell) is not UNKNOWN
    ]
    kinds = {kind for _, kind in known}
    if graph.by_tags and len(kinds) > 1:
        return 1, [(0, ANYTHING)]
    kind = kinds.pop() if len(kinds) == 1 else UNKNOWN
    if kind.is_float and all((offset - start) % kind.size == 0 for offset, _ in known):
        return kind.size, [(0, kind)]
    return 1, [(0, UNKNOWN)]


def floats_too(graph: TypeGraph, pointer: int, size: int) -> bool:
    """May floats stand in some object in the place of these bytes, as tags tell?"""
    found = graph.known_target(pointer)
    if found is None or not graph.by_tags:
        return False
    node, start, stride = found
    kinds = {kind for _, kind in told_at(graph, node, (start, stride, size, UNKNOWN))}
    return any(kind.is_float or kind is ANYTHING for kind in kinds)


def told_at(graph: TypeGraph, node: int, place: Key) -> list[tuple[ConcreteType, ConcreteType]]:
    """What tags tell of all places that share a byte with one, and what they are, in all objects chosen from."""
    pending, seen = [(node, place)], {(node, place)}
    found = []
    while pending:
        node, place = pending.pop()
        cells = graph.places(node)
        found += [(key[3], graph.kind(c)) for key, c in cells.items() if overlap(key, place)]
        for (_, start, stride), (other, start_too, stride_too) in graph.arms(node):
            step = gcd(place[1], stride, stride_too)
            offset = place[0] - start + start_too
            there = other, (offset % step if step else offset, step, *place[2:])
            if there not in seen and abs(offset) < MAX_OFFSET:
                seen.add(there)
                pending.append(there)
    return found


def kinds_in(
    graph: TypeGraph, pointer: int, whole: int = 0
) -> tuple[int, list[tuple[int, ConcreteType]]]:
    """The period with which memory behind a pointer repeats, and the kinds within one period.

    `whole`: whole items have so many bytes, or several of them have; 0 where that is not known.
    """
    target = node, start, stride = graph.target(pointer)
    every = graph.every(target)
    if every >= 0:
        kind = graph.kind(every)
        return kind.size or 1, [(0, kind)]
    views = graph.views(node)
    if any(view.items.floats for view in views):
        return _kinds_of_items(layout_of(views, start, stride))
    steps = {stride, *(step for _, step, _, _ in graph.places(node))} - {0}
    if graph.apart:
        period = _period_apart(graph, node, steps | ({whole} - {0}))
        if not period and _is_mixed(graph, node):
            return 1, [(0, UNKNOWN)]
        if period and not _repeats_whole(graph, pointer, period):
            return _records(graph, pointer, steps, whole)
    else:
        period = gcd(*steps)
        if period > LONGEST:
            return 1, [(0, UNKNOWN)]
        if period and not _repeats_whole(graph, pointer, period):
            return _records(graph, pointer, steps, whole)
    if not period and whole:
        found = _records(graph, pointer, {whole}, whole)
        if any(kind is not UNKNOWN for _, kind in found[1]):
            return found
    if not period:
        return _uniform_from(graph, pointer)
    return period, runs_behind(graph, pointer, 0, period)


def runs_behind(
    graph: TypeGraph, pointer: int, offset: int, size: int
) -> list[tuple[int, ConcreteType]]:
    """The `runs` of so many bytes, from `offset` behind a pointer."""
    target = graph.known_target(pointer)
    if target is None:
        return [(0, UNKNOWN)]
    regular = graph.regular(target, size // FEW) if size > _SHORT else None
    return runs(size, lambda place: whole_kind_in(graph, pointer, offset + place), regular, offset)


# Fewer bytes are read one by one.
_SHORT = 256


def _residues(
    graph: TypeGraph, pointer: int, period: int
) -> Iterator[tuple[int, int, int, ConcreteType]]:
    """What is known of memory: first byte modulo a period, size, distance of repetition (0: at one place), kind."""
    node, start, stride = graph.target(pointer)
    for (offset, step, size, _), cell in graph.places(node).items():
        kind = graph.kind(cell)
        single = not step
        before = graph.in_header(node, offset, size) if stride else offset + size <= start
        if kind is not UNKNOWN and not (single and before):
            yield (offset - start) % period, size, gcd(step, stride), kind


def _repeats_whole(graph: TypeGraph, pointer: int, period: int) -> bool:
    """Is there nothing known of memory that does not hold in each period?"""
    kinds: dict[int, ConcreteType] = {}
    return all(
        kinds.setdefault((first + k) % period, kind) is kind
        for first, size, _, kind in _residues(graph, pointer, period)
        for k in range(min(size, period))
    )


def _records(
    graph: TypeGraph, pointer: int, steps: set[int], whole: int
) -> tuple[int, list[tuple[int, ConcreteType]]]:
    """Memory of which single places, or some of every few, are not what others are: records of the largest distance
    that is known, if all distances divide it and records are what is copied; else unknown.

    What repeats more rarely is known better: numbers that a variable index leads to may stand anywhere in line.
    """
    unknown = 1, [(0, UNKNOWN)]
    stride = graph.target(pointer)[2]
    period = max(*steps, whole) if whole else max(steps)
    if period > MAX_OFFSET or any(period % step for step in steps):
        return unknown
    best: list[tuple[int, int, ConcreteType]] = [(-1, 0, UNKNOWN)] * period
    told = sorted(_residues(graph, pointer, period), key=lambda known: not known[2])
    for first, size, step, kind in told:
        # Single places are perhaps in front of the records: then they say nothing of these, and must not differ.
        before = not step and period not in (whole, stride)
        rank = step or period
        for away in range(0, period, rank):
            for k in range(size):
                here = (first + away + k) % period
                found = rank, k if kind.is_float or kind is POINTER else 0, kind
                if rank > best[here][0] and not before:
                    best[here] = found
                elif rank >= best[here][0] and found[1:] != best[here][1:]:
                    return unknown
    # What stands somewhere in line must have found a place that nobody knows better.
    for first, _, step, kind in told:
        places = range(first % step, period, step) if step else ()
        if places and all(best[place][2] is not kind for place in places):
            return unknown

    def kind_at(place: int) -> tuple[ConcreteType, int]:
        kind = best[place][2]
        if not kind.is_float and kind is not POINTER:
            return kind, 1
        size = kind.size if kind.is_float else 8
        row = [entry[1:] for entry in best[place : place + size]]
        return (kind, size) if row == [(k, kind) for k in range(size)] else (UNKNOWN, 1)

    return period, runs(period, kind_at)


def _kinds_of_items(items: Items | None) -> tuple[int, list[tuple[int, ConcreteType]]]:
    """The period of items that are known, and the kinds in one: between floats, integers."""
    if items is None:
        return 1, [(0, UNKNOWN)]
    found: list[tuple[int, ConcreteType]] = []
    place = 0
    for offset, type_ in items.floats:
        if offset > place:
            found.append((place, INTEGER))
        kind = FLOAT_KINDS[type_]
        found.append((offset, kind))
        place = offset + kind.size
    if place < items.period:
        found.append((place, INTEGER))
    return items.period, found


def _period_apart(graph: TypeGraph, node: int, steps: set[int]) -> int:
    """The longest of some steps after which places that are held apart repeat; 0 if none is known to be one."""
    places = graph.places(node)
    for step in sorted(steps, reverse=True):
        is_item = any(graph.is_item(step, size) for _, other, size, _ in places if other == step)
        if step < MAX_OFFSET and not is_item and _repeats(graph, node, step):
            return step
    return 0


def _repeats(graph: TypeGraph, node: int, period: int) -> bool:
    """Do the places that repeat say the same of every byte of a period?"""
    kinds: dict[int, ConcreteType] = {}
    for (offset, step, size, _), cell in graph.places(node).items():
        kind = graph.kind(cell)
        if step and kind is not UNKNOWN:
            told = {kinds.setdefault((offset + k) % period, kind) for k in range(size)}
            if told != {kind}:
                return False
    return True
