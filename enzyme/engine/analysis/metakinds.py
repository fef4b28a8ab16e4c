"""What TBAA metadata says: the kind of an access, and whether two accesses can overlap."""

from __future__ import annotations

import re

from enzyme.engine.analysis.typetree import FLOAT_KINDS, INTEGER, POINTER, UNKNOWN, ConcreteType
from enzyme.engine.ir.module import Module
from enzyme.engine.ir.types import DOUBLE, FLOAT

_REFERENCE = re.compile(r"!(\d+)")
_NAME = re.compile(r'!"([^"]*)"')
_KINDS = {
    "float": FLOAT_KINDS[FLOAT],
    "double": FLOAT_KINDS[DOUBLE],
    "any pointer": POINTER,
    "vtable pointer": POINTER,
    **dict.fromkeys(("int", "long", "short", "long long", "bool", "__int128"), INTEGER),
}


def access_type(module: Module, tag: str) -> int | None:
    """The node of the scalar type that an access tag ``!{base, access, offset}`` names."""
    if not (tag.startswith("!") and tag[1:].isdigit()):
        return None
    found = _REFERENCE.findall(module.metadata.get(int(tag[1:]), ""))
    return int(found[1]) if len(found) > 1 else None


def tbaa_kind(module: Module, tag: str) -> ConcreteType:
    """The kind that an access tag proves, or UNKNOWN."""
    node = access_type(module, tag)
    return UNKNOWN if node is None else _kind_of_node(module, node)


def _kind_of_node(module: Module, node: int) -> ConcreteType:
    name = _NAME.search(module.metadata.get(node, ""))
    if name is None:
        return UNKNOWN
    if re.match(r"p\d+ ", name.group(1)):
        return POINTER
    return _KINDS.get(name.group(1), UNKNOWN)


def proven_kind(module: Module, tag: str) -> tuple[ConcreteType, int]:
    """The kind that an access tag proves, and the root of its hierarchy.

    UNKNOWN where a type above it, with which it may be mixed, is of another kind.
    """
    kind = tbaa_kind(module, tag)
    node = access_type(module, tag)
    if kind is UNKNOWN or node is None:
        return UNKNOWN, -1
    above = _ancestors(module, node)
    if not {_kind_of_node(module, n) for n in above} <= {kind, UNKNOWN}:
        return UNKNOWN, above[-1]
    return kind, above[-1]


def may_share(module: Module, first: str | None, second: str | None) -> bool:
    """May accesses with these tags overlap? Only scalar types of one hierarchy are told apart."""
    if first is None or second is None or first == second:
        return True
    mine, yours = access_type(module, first), access_type(module, second)
    if mine is None or yours is None:
        return True
    above, above_too = _ancestors(module, mine), _ancestors(module, yours)
    return mine in above_too or yours in above or above[-1] != above_too[-1]


def _ancestors(module: Module, node: int) -> list[int]:
    found = [node]
    while len(found) < 32:
        parents = _REFERENCE.findall(module.metadata.get(found[-1], ""))
        if not parents or int(parents[0]) in found:
            break
        found.append(int(parents[0]))
    return found
