"""Two floats of single precision that are moved as one integer are copied as bytes.

LLVM writes the copy of an array of eight bytes as a load and a store of an integer. Whether these are two floats or one
number is not seen there; of copied bytes it is found out.
"""

from __future__ import annotations

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Instruction, Load, Store
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.types import I1, I32, I64, PTR, VOID, FloatType
from enzyme.engine.ir.values import ConstInt, Value

_SINGLE = 32
_PAIR = 8  # bytes
_WRITES = frozenset(("store", "call", "invoke", "callbr", "fence", "atomicrmw", "cmpxchg"))


def copy_pairs(module: Module) -> None:
    """Do so where a module has numbers of single precision, and the low half of a number comes first.

    A function that only moves them does not say what they are: those say it that call it.
    """
    if any("datalayout" in line and '"E' in line for line in module.header):
        return
    functions = list(module.functions.values())
    if not any(map(_has_single, functions)):
        return
    for function in functions:
        for load in [i for i in function.instructions() if isinstance(i, Load)]:
            found = _moves(load)
            if found is not None:
                _copy(load, *found)


def _has_single(function: Function) -> bool:
    types = (
        i.type if isinstance(i, Load) else i.value.type
        for i in function.instructions()
        if isinstance(i, Load | Store)
    )
    return any(isinstance(t, FloatType) and t.bits == _SINGLE for t in types)


_Halves = list[tuple[Instruction, int]]


def _moves(load: Load) -> tuple[list[Store], _Halves] | None:
    """The stores to which an integer goes, before anything else is written, and what takes a half of it with the place
    of that in bytes; None if anything else is done with it. Stores are in order."""
    if load.type is not I64 or load.flags or load.suffix or load.align >= _PAIR:
        return None
    if load.pointer.type is not PTR:
        return None
    stores: list[Store] = []
    halves: _Halves = []
    for user in load.users:
        if isinstance(user, Store):
            if user.value is not load or not _is_next_write(load, user):
                return None
            stores.append(user)
        elif user.opcode == "trunc" and user.type is I32:
            halves.append((user, 0))
        elif user.opcode == "lshr" and _is_half(user.operands[1]):
            for part in user.users:
                if part.opcode != "trunc" or part.type is not I32:
                    return None
                halves.append((part, _PAIR // 2))
        else:
            return None
    if load.parent is not None:
        stores.sort(key=load.parent.index_of)
    return (stores, halves) if stores or halves else None


def _is_half(value: Value) -> bool:
    return isinstance(value, ConstInt) and value.value == _SINGLE


def _is_next_write(load: Load, store: Store) -> bool:
    block = load.parent
    if store.flags or store.suffix or block is None or store.parent is not block:
        return False
    if store.pointer.type is not PTR:
        return False
    between = block.instructions[block.index_of(load) + 1 : block.index_of(store)]
    return not any(i.opcode in _WRITES and not _stores(i, load) for i in between)


def _stores(i: Instruction, value: Value) -> bool:
    return isinstance(i, Store) and i.value is value


def _copy(load: Load, stores: list[Store], halves: _Halves) -> None:
    b = Builder()
    b.before(load)
    for part, offset in halves:
        made = b.load(I32, b.byte_offset(load.pointer, offset), f"{load.name}.{offset}", 1)
        shifted = part.operands[0]
        part.replace_uses_with(made)
        part.erase()
        if shifted is not load and isinstance(shifted, Instruction) and not shifted.users:
            shifted.erase()
    source = load.pointer
    for store in stores:
        b.before(store)
        arguments = [store.pointer, source, ConstInt(I64, _PAIR), ConstInt(I1, 0)]
        b.call_named("llvm.memmove.p0.p0.i64", VOID, arguments)
        source = store.pointer  # the first may lie in the way of the others
        store.erase()
    load.erase()
