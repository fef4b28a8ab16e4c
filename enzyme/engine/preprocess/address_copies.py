"""Pointers that are copied as integers are copied as pointers, so that their shadows are copied, too.

LLVM writes a short `memcpy` as the load and the store of an integer. Types tell when this is a pointer.
"""

from __future__ import annotations

from enzyme.engine.analysis.typeinfer import TypeAnalysis
from enzyme.engine.analysis.typetree import POINTER
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Instruction, Load, Store
from enzyme.engine.ir.module import Function
from enzyme.engine.ir.types import I64, PTR, Type, VectorType, vector_type
from enzyme.engine.ir.values import Value

_BYTES = 8


def has_address_copies(function: Function, types: TypeAnalysis) -> bool:
    """Are there loads of pointers as integers?"""
    return any(_is_of_address(i, types) for i in function.instructions())


def _is_of_address(i: Instruction, types: TypeAnalysis) -> bool:
    return isinstance(i, Load) and _holds_addresses(i, i.type, types)


def copy_addresses_as_such(function: Function, types: TypeAnalysis) -> bool:
    """Rewrite loads of pointers as integers, and stores of their numbers; was there one?"""
    loads = [i for i in function.instructions() if _is_of_address(i, types)]
    for load in loads:
        assert isinstance(load, Load)
        _load_pointer(load)
    stores = [
        i
        for i in function.instructions()
        if isinstance(i, Store) and i.value.type is I64 and _holds_addresses(i, I64, types)
    ]
    changed = [_store_pointer(store) for store in stores]
    return bool(loads) or any(changed)


def _pointers_like(type_: Type) -> Type | None:
    """The type of pointers in the place of 64-bit integers."""
    if isinstance(type_, VectorType) and type_.element is I64 and not type_.scalable:
        return vector_type(type_.count, PTR)
    return PTR if type_ is I64 else None


def _holds_addresses(access: Load | Store, type_: Type, types: TypeAnalysis) -> bool:
    if _pointers_like(type_) is None:
        return False
    count = type_.count if isinstance(type_, VectorType) else 1
    kinds = types.accessed(access)
    return kinds == [(_BYTES * k, POINTER) for k in range(count)]


def _load_pointer(load: Load) -> None:
    kind = _pointers_like(load.type)
    assert kind is not None
    made = Load(kind, load.pointer, load.align, load.name, load.flags, load.suffix)
    b = Builder()
    b.before(load)
    b.add(_in_place_of(load, made))
    for store in [u for u in load.users if isinstance(u, Store) and u.value is load]:
        b.before(store)
        _replace(store, made, b)
    for pointer in [u for u in load.users if u.opcode == "inttoptr" and u.type is kind]:
        pointer.replace_uses_with(made)
        pointer.erase()
    if load.users:
        b.before(load)
        load.replace_uses_with(b.cast("ptrtoint", made, load.type))
    load.erase()


def _store_pointer(store: Store) -> bool:
    """A store of what is just the number of an address; is it one?"""
    number = store.value
    if not isinstance(number, Instruction) or number.opcode != "ptrtoint":
        return False
    b = Builder()
    b.before(store)
    _replace(store, number.operands[0], b)
    if not number.users:
        number.erase()
    return True


def _replace(store: Store, value: Value, b: Builder) -> None:
    made = Store(value, store.pointer, store.align, store.flags, store.suffix)
    b.add(_in_place_of(store, made))
    store.erase()


def _in_place_of(access: Instruction, made: Instruction) -> Instruction:
    made.metadata = {k: v for k, v in access.metadata.items() if k in ("dbg", "tbaa")}
    made.origin = access.origin
    return made
