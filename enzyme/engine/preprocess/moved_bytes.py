"""Integers that are only moved, and may be several numbers at once, are copied as bytes.

LLVM writes the copy of a record of eight bytes, say two floats of single precision or one and a count, as a load and a
store of an integer, and the copies of several as those of a vector of integers. What the bytes are is not seen there;
of copied bytes it is found out. The same holds where such a value is chosen from two, or waits while something else is
written: it waits in memory of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from enzyme.engine.analysis.typetags import told_of
from enzyme.engine.analysis.typetree import UNKNOWN
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.instructions import Instruction, Load, Phi, Store
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.types import I1, I32, I64, PTR, VOID, FloatType, IntType, Type, VectorType
from enzyme.engine.ir.values import ConstInt, Value

_SINGLE = 32
_PAIR = 8  # bytes
_WRITES = frozenset(("store", "call", "invoke", "callbr", "fence", "atomicrmw", "cmpxchg"))


def copy_moved_bytes(module: Module) -> None:
    """Do so for vectors of integers, and for eight bytes where a module has numbers of single precision.

    The low half of a number is taken to come first. A function that only moves bytes does not say what they are: those
    say it that call it.
    """
    if any("datalayout" in line and '"E' in line for line in module.header):
        return
    functions = list(module.functions.values())
    single = any(map(_has_single, functions))
    layout = DataLayout.of(module)
    for function in functions:
        seen: set[Value] = set()
        for load in [i for i in function.instructions() if isinstance(i, Load)]:
            if load not in seen and _may_be_several(load.type, single):
                web = _Web(layout.size_of(load.type))
                if web.follow(load) and not web.is_one_number(module, layout):
                    web.copy()
                seen |= web.values


def _has_single(function: Function) -> bool:
    types = (
        i.type if isinstance(i, Load) else i.value.type
        for i in function.instructions()
        if isinstance(i, Load | Store)
    )
    return any(isinstance(t, FloatType) and t.bits == _SINGLE for t in types)


def _may_be_several(type_: Type, single: bool) -> bool:
    if isinstance(type_, VectorType):
        element = type_.element
        return not type_.scalable and isinstance(element, IntType) and element.bits % 8 == 0
    return type_ is I64 and single


@dataclass
class _Web:
    """Loads, choices between what they give, and the stores to which that goes."""

    size: int
    values: set[Value] = field(default_factory=set)
    loads: list[Load] = field(default_factory=list)
    choices: list[Instruction] = field(default_factory=list)
    stores: list[Store] = field(default_factory=list)
    halves: list[tuple[Instruction, int]] = field(default_factory=list)

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
                elif not (isinstance(value, Load) and self._takes_halves(user)):
                    fits = False
        return fits and bool(self.stores or self.halves)

    def _takes_halves(self, user: Instruction) -> bool:
        """Is half of an integer taken, and perhaps the other one?"""
        if self.size != _PAIR or user.operands[0].type is not I64:
            return False
        if user.opcode == "trunc" and user.type is I32:
            self.halves.append((user, 0))
            return True
        if user.opcode == "lshr" and _is_half(user.operands[1]):
            if any(part.opcode != "trunc" or part.type is not I32 for part in user.users):
                return False
            self.halves += [(part, _PAIR // 2) for part in user.users]
            return True
        return False

    def is_one_number(self, module: Module, layout: DataLayout) -> bool:
        """Does a tag say so?"""
        accesses: list[Load | Store] = [*self.loads, *self.stores]
        if any(isinstance(v.type, VectorType) for v in self.values):
            return False
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
        self._take_halves(load, load.pointer)
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
            places[value] = _new_place(value)
        for load in self.loads:
            self._move(load, places[load], load.pointer)
            self._take_halves(load, places[load])
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
        waiting = _new_place(phi)
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
                place = _new_place(choice)
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

    def _take_halves(self, load: Load, pointer: Value) -> None:
        b = Builder()
        b.before(load)
        for part, offset in [h for h in self.halves if _origin(h[0]) is load]:
            made = b.load(I32, b.byte_offset(pointer, offset), f"{load.name}.{offset}", 1)
            shifted = part.operands[0]
            part.replace_uses_with(made)
            part.erase()
            if shifted is not load and isinstance(shifted, Instruction) and not shifted.users:
                shifted.erase()


def _origin(half: Instruction) -> Value:
    whole = half.operands[0]
    return whole.operands[0] if isinstance(whole, Instruction) and whole.opcode == "lshr" else whole


def _is_half(value: Value) -> bool:
    return isinstance(value, ConstInt) and value.value == _SINGLE


def _new_place(value: Value) -> Value:
    assert isinstance(value, Instruction)
    entry = value.function.entry
    return Builder(entry, entry.first_non_phi()).alloca(value.type)


def _store_constant(where: Instruction, value: Value, place: Value) -> None:
    b = Builder()
    b.before(where)
    b.store(value, place)
