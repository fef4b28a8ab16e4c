"""Integers that are only moved, and may be several numbers at once, are copied as bytes.

LLVM writes the copy of a record of eight bytes, say two floats of single precision or one and a count, as a load and a
store of an integer, and the copies of several as those of a vector of integers. What the bytes are is not seen there;
of copied bytes it is found out. The same holds where such a value is chosen from two, or waits while something else is
written: it waits in memory of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from enzyme.engine.analysis.typetags import told_of
from enzyme.engine.analysis.typetree import UNKNOWN
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.instructions import Instruction, Load, Phi, Store
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.types import (
    I1,
    I8,
    I32,
    I64,
    PTR,
    VOID,
    FloatType,
    IntType,
    Type,
    VectorType,
    array_type,
)
from enzyme.engine.ir.values import ConstInt, Value
from enzyme.engine.preprocess.register_bits import is_little

_WRITES = frozenset(("store", "call", "invoke", "callbr", "fence", "atomicrmw", "cmpxchg"))


def copy_moved_bytes(module: Module) -> None:
    """Do so for vectors of integers, and for as many bytes as two of the module's floats have.

    The low half of a number is taken to come first. A function that only moves bytes does not say what they are: those
    say it that call it.
    """
    if not is_little(module):
        return
    functions = list(module.functions.values())
    widths = {bits for function in functions for bits in _widths(function)}
    layout = DataLayout.of(module)
    for function in functions:
        seen: set[Value] = set()
        for load in [i for i in function.instructions() if isinstance(i, Load)]:
            if load not in seen and _may_be_several(load.type, widths):
                web = _Web(layout.size_of(load.type))
                if web.follow(load) and not web.is_one_number(module, layout):
                    web.copy()
                seen |= web.values


def _widths(function: Function) -> Iterator[int]:
    for i in function.instructions():
        type_ = i.value.type if isinstance(i, Store) else i.type
        if isinstance(type_.scalar, FloatType):
            yield type_.scalar.bits


def _may_be_several(type_: Type, widths: set[int]) -> bool:
    if isinstance(type_, VectorType):
        element = type_.element
        return not type_.scalable and isinstance(element, IntType) and element.bits % 8 == 0
    return (type_ is I64 and not widths.isdisjoint((16, 32))) or (type_ is I32 and 16 in widths)


@dataclass
class _Web:
    """Loads, choices between what they give, and the stores to which that goes."""

    size: int
    values: set[Value] = field(default_factory=set)
    loads: list[Load] = field(default_factory=list)
    choices: list[Instruction] = field(default_factory=list)
    stores: list[Store] = field(default_factory=list)
    parts: list[tuple[Load, Instruction, int]] = field(default_factory=list)

    def follow(self, start: Load) -> bool:
        """Collect everything; is nothing else done with any of it?"""
        pending: list[Value] = [start]
        fits = True
        while pending:
            value = pending.pop()
            if value in self.values:
                continue
            self.values.add(value)
            if isinstance(value, Load):
                fits = fits and not value.flags and not value.suffix and value.pointer.type is PTR
                self.loads.append(value)
            elif isinstance(value, Instruction) and value.opcode in ("phi", "select", "freeze"):
                arms = value.operands[1:] if value.opcode == "select" else value.operands
                fits = fits and (value.opcode != "select" or value.operands[0].type is I1)
                pending += [arm for arm in arms if not arm.is_constant]
                self.choices.append(value)
            else:
                return False
            for user in value.users:
                if isinstance(user, Store) and user.value is value:
                    fits = fits and not user.flags and not user.suffix and user.pointer.type is PTR
                    self.stores.append(user)
                elif user.opcode in ("phi", "freeze") or (
                    user.opcode == "select" and user.operands[0] is not value
                ):
                    pending.append(user)
                elif not (isinstance(value, Load) and self._takes_parts(value, user)):
                    fits = False
        return fits and bool(self.stores or self.parts)

    def _takes_parts(self, load: Load, user: Instruction) -> bool:
        """Are some bytes of an integer taken?"""
        if user.opcode == "trunc":
            parts, first = [user], 0
        elif user.opcode in ("lshr", "ashr") and isinstance(user.operands[1], ConstInt):
            parts, first = list(user.users), user.operands[1].value
        else:
            return False
        for part in parts:
            bits = getattr(part.type, "bits", 0)
            if part.opcode != "trunc" or bits not in (8, 16, 32) or first % 8:
                return False
            if not 0 <= first <= 8 * self.size - bits:
                return False
        self.parts += [(load, part, first // 8) for part in parts]
        return True

    def is_one_number(self, module: Module, layout: DataLayout) -> bool:
        """Does a tag say so, or how it is aligned?"""
        accesses: list[Load | Store] = [*self.loads, *self.stores]
        if any(isinstance(v.type, VectorType) for v in self.values):
            return False
        if module.runtime.tells_alignment and self.loads[0].align >= self.size:
            return True
        return any(told_of(module, layout, i) is not UNKNOWN for i in accesses)

    def copy(self) -> None:
        if not self.choices and len(self.loads) == 1 and self._is_direct(self.loads[0]):
            self._copy_directly(self.loads[0])
        else:
            self._copy_by_places()

    # Directly ---------------------------------------------------------------------------------------

    def _is_direct(self, load: Load) -> bool:
        """Is it stored, in the same block, before anything else is written?"""
        block = load.parent
        assert block is not None
        if any(s.parent is not block for s in self.stores):
            return False
        self.stores.sort(key=block.index_of)
        last = block.index_of(self.stores[-1]) if self.stores else 0
        return all(
            i.opcode not in _WRITES or i in self.stores
            for i in block.instructions[block.index_of(load) + 1 : last]
        )

    def _copy_directly(self, load: Load) -> None:
        self._take_parts(load, load.pointer)
        source = load.pointer
        for store in self.stores:
            self._move(store, store.pointer, source)
            source = store.pointer  # the first may lie in the way of the others
            store.erase()
        load.erase()

    # By way of memory -------------------------------------------------------------------------------

    def _copy_by_places(self) -> None:
        """Every value waits in a place of its own."""
        places: dict[Value, Value] = {}
        for value in (*self.loads, *self.choices):
            places[value] = _new_place(value, self.size)
        for load in self.loads:
            self._move(load, places[load], load.pointer)
            self._take_parts(load, places[load])
        for choice in self.choices:
            if isinstance(choice, Phi):
                self._arrive(choice, places)
            else:
                self._choose(choice, places)
        for store in self.stores:
            self._move(store, store.pointer, places[store.value])
            store.erase()
        for choice in self.choices:
            choice.drop_operands()
        for value in (*self.choices, *self.loads):
            assert isinstance(value, Instruction)
            value.erase()

    def _arrive(self, phi: Phi, places: dict[Value, Value]) -> None:
        """What comes is put down where it comes from, and taken up where it arrives: others may arrive at once."""
        assert phi.parent is not None
        waiting = _new_place(phi, self.size)
        for value, block in phi.incoming:
            end = block.instructions[-1]
            if value.is_constant:
                _store_constant(end, value, waiting)
            else:
                self._move(end, waiting, places[value])
        first = phi.parent.instructions[phi.parent.first_non_phi()]
        self._move(first, places[phi], waiting)

    def _choose(self, choice: Instruction, places: dict[Value, Value]) -> None:
        sources = []
        for arm in choice.operands[choice.opcode == "select" :]:
            if arm.is_constant:
                place = _new_place(choice, self.size)
                _store_constant(choice, arm, place)
                sources.append(place)
            else:
                sources.append(places[arm])
        source = sources[0]
        if choice.opcode == "select":
            b = Builder()
            b.before(choice)
            source = b.select(choice.operands[0], sources[0], sources[1])
        self._move(choice, places[choice], source)

    # Both -------------------------------------------------------------------------------------------

    def _move(self, where: Instruction, target: Value, source: Value) -> None:
        b = Builder()
        b.before(where)
        arguments = [target, source, ConstInt(I64, self.size), ConstInt(I1, 0)]
        b.call_named("llvm.memmove.p0.p0.i64", VOID, arguments)

    def _take_parts(self, load: Load, pointer: Value) -> None:
        b = Builder()
        b.before(load)
        for _, part, offset in [p for p in self.parts if p[0] is load]:
            made = b.load(part.type, b.byte_offset(pointer, offset), f"{load.name}.{offset}", 1)
            shifted = part.operands[0]
            part.replace_uses_with(made)
            part.erase()
            if shifted is not load and isinstance(shifted, Instruction) and not shifted.users:
                shifted.erase()


def _new_place(value: Value, size: int) -> Value:
    """Bytes that need no alignment: vectors would want more than a heap gives, to which places may have to move."""
    assert isinstance(value, Instruction)
    entry = value.function.entry
    return Builder(entry, entry.first_non_phi()).alloca(array_type(size, I8), align=8)


def _store_constant(where: Instruction, value: Value, place: Value) -> None:
    b = Builder()
    b.before(where)
    b.store(value, place, 1)
