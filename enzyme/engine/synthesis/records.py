"""Copying and filling memory whose bytes are of several kinds: floats apart from integers and pointers.

An array of records (a list of tuples, of arrays) repeats: `parts_of` says with which period, and what one period
holds.  Shadows are given the integers and pointers of the primal, never its floats; adjoints move float by float.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from enzyme.engine.analysis.typeinfer import TypeAnalysis
from enzyme.engine.analysis.typetree import ANYTHING, UNKNOWN, ConcreteType
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.types import I64, FloatType
from enzyme.engine.ir.values import ConstInt, Value

# So many bytes are no gap at the end of a record.
_MANY = 8


@dataclass(frozen=True, slots=True)
class Part:
    """`size` bytes of one kind, at `offset` from the start of every record; `header`: behind so many bytes that are
    there once.  A part of the header itself stands in none of the records: `is_single`."""

    offset: int
    size: int
    kind: ConcreteType
    header: int = 0
    is_single: bool = False

    @property
    def float_type(self) -> FloatType | None:
        return self.kind.float_type if self.kind.is_float else None


@dataclass(frozen=True, slots=True)
class Parts:
    """What memory of some length consists of: records of `period` bytes that repeat.

    `may_overlap`: it is one record of many parts, which may be moved onto one another. `is_whole`: it is one record of
    a known length.
    """

    period: int
    parts: tuple[Part, ...]
    may_overlap: bool = False
    is_whole: bool = False

    @property
    def float_types(self) -> set[FloatType]:
        return {part.float_type for part in self.parts if part.float_type is not None}

    @property
    def others(self) -> tuple[Part, ...]:
        """The parts that are certainly no floats."""
        return tuple(p for p in self.parts if p.kind.text in ("Integer", "Pointer", "NoFloat"))

    @property
    def floats(self) -> tuple[Part, ...]:
        """The parts to move float by float. What is unknown beside floats of one type, and nothing else, are more of
        them, where there is room for whole ones in line with those."""
        known = [part for part in self.parts if part.float_type is not None]
        if not known or self.others or self.is_several or len(self.float_types) > 1:
            return tuple(known)
        kind = known[0].kind
        found = []
        for part in self.parts:
            if part.kind is kind:
                found.append(part)
                continue
            first = part.offset + (known[0].offset - part.offset) % kind.size
            found += [
                Part(k, kind.size, kind)
                for k in range(first, part.offset + part.size - kind.size + 1, kind.size)
            ]
        return tuple(found)

    @property
    def is_uniform(self) -> bool:
        """Are they floats of one type without gaps? So are those whose distances only the run knows."""
        floats = self.floats
        if len(self.float_types) != 1 or self.others or len(floats) < len(self.parts):
            return False
        size = floats[0].size
        in_line = all(part.offset == k * size for k, part in enumerate(floats))
        return in_line and (self.period < size or len(floats) * size == self.period)

    @property
    def may_hide_numbers(self) -> bool:
        """Are many bytes behind all that is known unknown, and others than numbers known?

        So it is with arrays of records of which a caller tells the first.
        """
        last = self.parts[-1]
        wide = any(part.kind.is_float and part.kind.size > _MANY for part in self.parts)
        many = last.kind is UNKNOWN and last.size >= (2 * _MANY if wide else _MANY)
        return many and bool(self.float_types and self.others)

    @property
    def sticks_out(self) -> bool:
        """Would a number of one record end behind its bytes?"""
        return self.is_whole and any(p.offset + p.size > self.period for p in self.floats)

    @property
    def is_several(self) -> bool:
        """Do some bytes hold floats in one object and something else in another?"""
        return any(part.kind is ANYTHING for part in self.parts)

    @property
    def is_known(self) -> bool:
        return all(part.kind is not UNKNOWN for part in self.parts)

    @property
    def has_kinds(self) -> bool:
        return any(part.kind is not UNKNOWN for part in self.parts)

    @property
    def is_mixed(self) -> bool:
        return bool(self.float_types) and (bool(self.others) or len(self.float_types) > 1)


def parts_of(
    types: TypeAnalysis, pointer: Value, length: Value, *, overlaps: bool = False
) -> Parts:
    """What the `length` bytes behind a pointer are.

    `overlaps`: records must stay whole, because they may move onto one another.
    """
    is_whole = False
    period, kinds = types.element_kinds(pointer, length)
    if isinstance(length, ConstInt) and not (
        overlaps and length.value % period == 0 and all(kind is not UNKNOWN for _, kind in kinds)
    ):
        period, kinds = max(1, length.value), types.memory_kinds(pointer, length.value)
        is_whole = True
    elif not overlaps and any(kind is UNKNOWN for _, kind in kinds):
        found = types.headed(pointer, length)
        if found is not None:
            first = [replace(p, is_single=True) for p in _parts(found.size, found.header)]
            rest = [replace(p, header=found.size) for p in _parts(found.period, found.kinds)]
            return Parts(found.period, (*first, *rest))
    return Parts(period, tuple(_parts(period, kinds)), overlaps and is_whole, is_whole)


def _parts(size: int, kinds: list[tuple[int, ConcreteType]]) -> Iterator[Part]:
    ends = [offset for offset, _ in kinds[1:]] + [size]
    for (offset, kind), end in zip(kinds, ends, strict=True):
        yield Part(offset, kind.size if kind.is_float else end - offset, kind)


def in_order(
    b: Builder, found: Parts, parts: Sequence[Part], pointers: list[Value], *, upwards: bool
) -> Iterator[tuple[Part, Value | None]]:
    """The parts to move from the second pointer to the first, each with the condition under which it is its turn.

    Parts of one record that move onto one another go in the order of their addresses: `upwards` says whether that is
    right where the first pointer is the lower. Records that repeat move as a whole.
    """
    if len(pointers) < 2 or len(parts) < 2 or not found.may_overlap:
        for part in parts:
            yield part, None
        return
    below = b.icmp("ult", pointers[0], pointers[1])
    above = b.icmp("uge", pointers[0], pointers[1])
    for part in parts:
        yield part, below if upwards else above
    for part in reversed(parts):
        yield part, above if upwards else below


def arguments_for(
    b: Builder,
    pointers: list[Value],
    length: Value,
    period: int,
    part: Part,
    turn: Value | None = None,
) -> list[Value]:
    """What a helper for one part of all records is given: addresses, number of records, their distance.

    There are none unless it is the part's `turn`.
    """
    length = b.as_count(length)
    count: Value
    if part.is_single:
        there = b.icmp("uge", length, ConstInt(I64, part.offset + part.size))
        count = b.cast("zext", there, I64)
    else:
        count = _records_in(b, length, period, part)
    if turn is not None:
        count = b.select(turn, count, ConstInt(I64, 0))
    places = [b.byte_offset(pointer, part.header + part.offset) for pointer in pointers]
    return [*places, count, ConstInt(I64, period)]


def _records_in(b: Builder, length: Value, period: int, part: Part) -> Value:
    """How many records there are in so many bytes whose part is whole."""
    room = period - part.offset - part.size - part.header
    if isinstance(length, ConstInt):
        return ConstInt(I64, max(0, length.value + room) // period)
    whole: Value
    if room < 0:
        whole = b.call_named("llvm.usub.sat.i64", I64, [length, ConstInt(I64, -room)])
    else:
        whole = b.iadd(length, ConstInt(I64, room))
    return b.binary("udiv", whole, ConstInt(I64, period))
