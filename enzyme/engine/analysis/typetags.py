"""Objects of several kinds at one address: what the compiler's tags (TBAA) say may not overlap, need not be one type.

The head of a list stands in the list itself and is linked with nodes: behind the links lies the number of items, or a
user's float, and whoever follows a link may come to both. To a `TypeGraph` the two are one region of memory. Where
they contradict each other, types go *by tags*: a place is known by its offset and by the kind that the tag of the
access proves, and places at one offset with different kinds are different cells. That is sound, since accesses whose
tags exclude each other never see what the other wrote. What is accessed without a tag (through a union, as bytes, by
a copy) could be any of them: it is the one that stands there if there is only one, else a contradiction.

Bytes that tags call several things are `ANYTHING`, or `NO_FLOAT` if these are integers and addresses: an access with
a tag knows what it accesses, everybody else does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import gcd

from enzyme.engine.analysis.metakinds import proven_kind
from enzyme.engine.analysis.typetree import (
    ANYTHING,
    INTEGER,
    NO_FLOAT,
    POINTER,
    SEVERAL,
    UNKNOWN,
    ConcreteType,
)
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.instructions import Instruction, Load, Store
from enzyme.engine.ir.module import Module
from enzyme.engine.ir.types import IntType, VectorType
from enzyme.engine.ir.values import ConstInt, Value

Key = tuple[int, int, int, ConcreteType]
# Told of a place that is only filled with constants, or moved in one piece, so that nothing is known of it.
FILLED = ConcreteType("Filled", 0)
_NO_FLOATS = {INTEGER, POINTER, NO_FLOAT}


def has_tags(module: Module) -> bool:
    """Is any access to memory tagged, all in one hierarchy? Types of two languages are not told apart."""
    roots = {
        proven_kind(module, tag)[1]
        for tag in {
            i.metadata["tbaa"]
            for function in module.functions.values()
            for i in function.instructions()
            if "tbaa" in i.metadata
        }
    }
    return len(roots - {-1}) == 1


def told_of(module: Module, layout: DataLayout, access: Instruction) -> ConcreteType:
    """The kind that the tag of a load or a store proves of what it accesses; UNKNOWN if there is none that fits."""
    tag = access.metadata.get("tbaa")
    if tag is None:
        return UNKNOWN
    assert isinstance(access, (Load, Store))
    type_ = access.accessed
    if type_.is_aggregate or (isinstance(type_, VectorType) and type_.scalable):
        return UNKNOWN
    kind, _ = proven_kind(module, tag)
    scalar = type_.scalar
    if kind is INTEGER:
        return kind if isinstance(scalar, IntType) else UNKNOWN
    fits = scalar.is_float if kind.is_float else scalar.is_pointer
    if isinstance(scalar, IntType):
        fits = True  # the bits, moved as an integer
    return kind if fits and kind.size == layout.size_of(scalar) else UNKNOWN


def told_beside(module: Module, layout: DataLayout, access: Instruction) -> ConcreteType:
    """The same, and of an access without a tag: what all tags tell of the others of its type through its pointer.

    LLVM loses the tag of a store that it puts behind a loop.
    """
    assert isinstance(access, (Load, Store))
    if "tbaa" in access.metadata or not access.pointer.tracks_users:
        return told_of(module, layout, access)
    type_ = access.accessed
    told = {
        told_of(module, layout, other)
        for other in access.pointer.users
        if isinstance(other, (Load, Store))
        and other.pointer is access.pointer
        and "tbaa" in other.metadata
        and other.function is access.function
        and other.accessed is type_
    }
    return told.pop() if len(told) == 1 else UNKNOWN


def is_plain_constant(value: Value) -> bool:
    """Is it an integer of the size of a float? Stored where floats may be, it clears a derivative whatever it is."""
    return (
        isinstance(value, ConstInt)
        and isinstance(value.type, IntType)
        and value.type.bits in (16, 32, 64)
    )


def by_place(
    cells: Mapping[Key, int],
) -> Iterator[tuple[list[ConcreteType], dict[ConcreteType, int]]]:
    """The cells of each place, by what is told of them; first, what that is."""
    groups: dict[tuple[int, int, int], dict[ConcreteType, int]] = {}
    for (offset, stride, size, told), cell in cells.items():
        groups.setdefault((offset, stride, size), {})[told] = cell
    for group in groups.values():
        yield [kind for kind in group if kind not in (UNKNOWN, FILLED)], group


def disputes(kinds: Mapping[Key, ConcreteType]) -> Iterator[tuple[Key, Key, Key]]:
    """Places that are accessed without a tag, each with two that share bytes with it and are of two kinds."""
    tagged = [key for key in kinds if key[3] not in (UNKNOWN, FILLED)]
    for key, kind in kinds.items():
        if key[3] not in (UNKNOWN, FILLED):
            continue
        known = key if kind is not UNKNOWN else None
        around = [other for other in tagged if overlap(key, other)]
        if key[3] is FILLED and {kinds[other] for other in around} <= _NO_FLOATS:
            continue
        for other in around:
            if kinds[other] in SEVERAL:
                yield key, key, other
            elif known is None:
                known = other
            elif kinds[other] is not kinds[known]:
                yield key, known, other


def several(found: Iterable[tuple[ConcreteType, ConcreteType]]) -> ConcreteType | None:
    """What the bytes are that cells share, if these contradict each other; None if they do not.

    For each cell: what tags tell of it, and what it is.
    """
    found = list(found)
    kinds = {kind for _, kind in found} - {UNKNOWN}
    told = any(told not in (UNKNOWN, FILLED) for told, _ in found)
    if kinds.isdisjoint(SEVERAL) and not (told and len(kinds) > 1):
        return None
    return NO_FLOAT if kinds <= _NO_FLOATS else ANYTHING


def overlap(first: Key, second: Key) -> bool:
    """May two places share a byte?"""
    offset, stride, size, _ = first
    place, step, width, _ = second
    period = gcd(stride, step)
    if not period:
        return offset < place + width and place < offset + size
    return (place - offset) % period < size or (offset - place) % period < width
