"""A value of several parts, with pointers among them, that is stored or loaded as one is stored or loaded part by part.

LLVM takes structs apart itself, but not those with gaps between their members. A part has a tangent or a shadow or
neither; a whole would need all at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd
from typing import Any

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.instructions import Aggregate, Load, Store
from enzyme.engine.ir.module import Module
from enzyme.engine.ir.types import ArrayType, StructType, Type
from enzyme.engine.ir.values import Value, undef_of

Path = tuple[int, ...]
_MOST_PARTS = 256


def take_apart(module: Module) -> None:
    """Replace such stores and loads in the whole module; volatile and atomic ones stay."""
    layout = DataLayout.of(module)
    for function in module.functions.values():
        for i in list(function.instructions()):
            if isinstance(i, Store | Load) and not i.flags and not i.suffix:
                parts = _parts(layout, i.accessed)
                if not parts:
                    continue
                if isinstance(i, Store):
                    _store_parts(i, parts)
                else:
                    _load_parts(i, parts)


def _parts(layout: DataLayout, type_: Type) -> list[tuple[Path, int, Type]]:
    """The parts of a type that holds pointers and more, with their offsets; none of any other."""
    if not type_.is_aggregate:
        return []
    found = []
    for part in leaves(layout, type_):
        found.append(part)
        if len(found) > _MOST_PARTS:
            return []
    return found if len(found) > 1 and any(t.is_pointer for _, _, t in found) else []


def leaves(
    layout: DataLayout, type_: Type, path: Path = (), at: int = 0
) -> Iterator[tuple[Path, int, Type]]:
    """The members that have none themselves: their indices, offsets and types."""
    if isinstance(type_, StructType):
        for k, element in enumerate(type_.elements or ()):
            yield from leaves(layout, element, (*path, k), at + layout.field_offset(type_, k))
    elif isinstance(type_, ArrayType):
        size = layout.size_of(type_.element)
        for k in range(type_.count):
            yield from leaves(layout, type_.element, (*path, k), at + k * size)
    else:
        yield path, at, type_


def _store_parts(store: Store, parts: list[tuple[Path, int, Type]]) -> None:
    b = Builder()
    b.before(store)
    for path, offset, _ in parts:
        made = b.store(
            part_of(b, store.value, path),
            b.byte_offset(store.pointer, offset),
            gcd(store.align, offset),
        )
        made.metadata = scopes_of(store)
    store.erase()


def part_of(b: Builder, value: Value, path: Path) -> Value:
    """A part of a value, as it was put in where that is seen."""
    whole = value
    while isinstance(whole, Aggregate) and whole.opcode == "insertvalue":
        at = tuple(whole.indices)
        if path[: len(at)] == at:
            inner = whole.operands[1]
            return inner if path == at else part_of(b, inner, path[len(at) :])
        whole = whole.operands[0]
    return b.extract_value(whole, path)


def _load_parts(load: Load, parts: list[tuple[Path, int, Type]]) -> None:
    b = Builder()
    b.before(load)
    loaded: dict[Path, Value] = {}
    for path, offset, type_ in parts:
        pointer = b.byte_offset(load.pointer, offset)
        made = b.load(type_, pointer, f"{load.name}.{offset}", gcd(load.align, offset))
        made.metadata = scopes_of(load)
        loaded[path] = made
    for user in list(load.users):
        if isinstance(user, Aggregate) and user.opcode == "extractvalue":
            part = loaded.get(tuple(user.indices))
            if part is not None:
                user.replace_uses_with(part)
                user.erase()
    if load.users:
        whole: Value = undef_of(load.type)
        for path, part in loaded.items():
            whole = b.insert_value(whole, part, path)
        load.replace_uses_with(whole)
    load.erase()


def scopes_of(i: Store | Load) -> dict[str, Any]:
    """What is told of the whole and holds for its parts; types of memory do not."""
    return {k: v for k, v in i.metadata.items() if k in ("alias.scope", "noalias", "dbg")}
