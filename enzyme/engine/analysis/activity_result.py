"""What activity analysis finds out: which values and which memory of a function carry a derivative (see `activity`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from enzyme.engine.analysis.alias import AliasOracle
from enzyme.engine.analysis.kinds import Activity
from enzyme.engine.analysis.metakinds import tbaa_kind
from enzyme.engine.analysis.typeinfer import TypeAnalysis
from enzyme.engine.analysis.typetree import ANYTHING, INTEGER
from enzyme.engine.analysis.typeviews import Found
from enzyme.engine.analysis.written import written_by
from enzyme.engine.ir.dispatch import Selection
from enzyme.engine.ir.instructions import Call, Gep, Instruction, Load, Store
from enzyme.engine.ir.module import MOVES_HOUSE, Function
from enzyme.engine.ir.printer import local_names, print_instruction
from enzyme.engine.ir.types import ArrayType, FloatType, IntType, StructType, Type, VectorType
from enzyme.engine.ir.values import Argument, ConstInt, Value, is_literal, is_zero


def may_hold_float(type_: Type) -> bool:
    """Does a value of this type contain a floating point number (pointers do not count)?"""
    if isinstance(type_, FloatType):
        return True
    if isinstance(type_, (VectorType, ArrayType)):
        return may_hold_float(type_.element)
    return isinstance(type_, StructType) and any(may_hold_float(e) for e in type_.elements or ())


def may_hold_pointer(type_: Type) -> bool:
    if type_.is_pointer:
        return True
    if isinstance(type_, (VectorType, ArrayType)):
        return may_hold_pointer(type_.element)
    return isinstance(type_, StructType) and any(may_hold_pointer(e) for e in type_.elements or ())


# Integer operations through which the bits of a float may travel unseen by type analysis.
MIXING = Selection(
    "varied",
    "the bits of a float may travel through it unseen by type analysis",
    """
    zext sext trunc shl lshr ashr or and xor add sub mul udiv sdiv urem srem phi select freeze
    extractelement insertelement shufflevector extractvalue insertvalue
    """.split(),
)


@dataclass(frozen=True, slots=True)
class CallSummary:
    """Effect of a call: constant parameters whose memory becomes varied, those whose memory is chosen together
    with active memory, those whose address is stored there, and whether the result is varied, or bits of such.
    """

    written: frozenset[int]
    mixed: frozenset[int]
    held: frozenset[int]
    returns_varied: bool
    returns_packed: bool = False


@dataclass(slots=True)
class ActivityResult:
    """The solved analysis of one function; see the module's docstring for the words.

    `const_stores`: active data written to constant memory, `const_addresses` the memory where they may be, or lie
    behind, addresses; `mixed`: constant arguments that are chosen together
    with memory that has a shadow, `held` those whose address is stored in such memory; `packed`: integers made from
    the bits of varied floats in ways that type analysis does not follow, `packed_objects` memory where such integers
    were stored. `strict`: the program looks at memory as items of two types, and of the memory of this function it is
    not known whether it is such. `is_entry`: the user calls this function.
    """

    function: Function
    types: TypeAnalysis
    oracle: AliasOracle
    varied: set[Value] = field(default_factory=set)
    useful: set[Value] = field(default_factory=set)
    varied_objects: set[Value] = field(default_factory=set)
    useful_objects: set[Value] = field(default_factory=set)
    const_stores: list[tuple[Instruction, Value]] = field(default_factory=list)
    const_addresses: set[Value] = field(default_factory=set)
    mixed: set[Argument] = field(default_factory=set)
    held: set[Argument] = field(default_factory=set)
    packed: set[Value] = field(default_factory=set)
    packed_objects: set[Value] = field(default_factory=set)
    strict: bool = False
    is_entry: bool = True
    discarded: set[Argument] = field(default_factory=set)

    @property
    def makes_constants(self) -> bool:
        """Has nothing a derivative that the function computes, or writes to memory?"""
        return self.function.makes_constants

    def is_active(self, value: Value) -> bool:
        """Does this number carry a derivative?"""
        return value in self.varied and value in self.useful

    def is_active_object(self, value: Value) -> bool:
        return value in self.varied_objects and value in self.useful_objects

    def has_shadow(self, pointer: Value) -> bool:
        """Does the memory behind this pointer have a shadow?"""
        if is_literal(pointer):
            return False
        return any(self.is_active_object(o) for o in self.oracle.underlying(pointer))

    def copies_constants(self, copy: Call) -> bool:
        """Do derivatives end where this is copied?"""
        if not self.makes_constants:
            return False
        module = self.function.module
        return module is None or MOVES_HOUSE not in module.with_groups(copy.fn_attributes)

    def ends_at(self, call: Call) -> frozenset[int]:
        """The arguments whose derivatives end at a call, because the function makes constants of them."""
        if not isinstance(call.callee, Function) or not call.callee.makes_constants:
            return frozenset()
        if not call.callee.blocks:
            return frozenset()
        written = written_by(call.callee, self.oracle.summaries)
        if not written.is_complete:
            return frozenset()
        used = written.parameters | written.kept | self.oracle.effects(call).captures
        return frozenset(range(len(call.arguments))) - used

    def settled(self, call: Call, activities: Sequence[Activity]) -> tuple[Activity, ...]:
        """The activities of a call's arguments: constant where derivatives end, and null has itself for a shadow where
        the function would use memory.

        What it stores there, where others give it memory, may be active, and it may keep the address with others.
        """
        ends = self.ends_at(call)
        activities = [Activity.CONST if k in ends else a for k, a in enumerate(activities)]
        active = any(a is not Activity.CONST for a in activities)
        if not active or not isinstance(call.callee, Function) or call.callee.is_ruled:
            return tuple(activities)
        nulls = {k for k, a in enumerate(call.arguments) if a.type.is_pointer and is_zero(a)}
        if nulls:
            effects = self.oracle.effects(call)
            nulls &= effects.writes | effects.captures
        return tuple(Activity.DUPLICATED if k in nulls else a for k, a in enumerate(activities))

    def stand_in(self, call: Call, result: Value) -> None:
        """A pointer, or what holds some, is now `result` and no longer what the call returned."""
        self.oracle.objects.stands_for[result] = call
        for known in (self.varied_objects, self.useful_objects):
            if call in known:
                known.add(result)

    def is_varied_memory(self, pointer: Value) -> bool:
        """May varied numbers stand behind this pointer?"""
        return any(o in self.varied_objects for o in self.oracle.underlying(pointer))

    def is_discarded(self, pointer: Value) -> bool:
        """Does nobody look at the shadow behind this pointer?"""
        origins = self.oracle.underlying(pointer)
        return bool(origins) and all(o in self.discarded for o in origins)

    def carries_float(self, value: Value) -> bool:
        return may_hold_float(value.type) or (
            isinstance(value.type, IntType)
            and value.type.bits in (16, 32, 64)
            and self.types.is_float_bits(value)
            and self.types.kind(value).text != "Float@bfloat"
        )

    def reads_bits(self, load: Load) -> bool:
        """Does a load of an integer, which is not one float, read bits of floats?"""
        bits = bits_of_integers(load.type)
        if not bits or bits % 8:
            return False
        size = bits // 8
        if self._is_item_of_integers(load, load.pointer, size):
            return False
        kinds = [kind for _, kind in self.types.accessed(load)]
        if any(kind.is_float or kind is ANYTHING for kind in kinds):
            return True
        found = self.types.viewed(load.pointer, size)
        if found is not None:
            return found != Found()
        if self.types.is_integer(load):
            return False
        if self.holds_packed(load.pointer) or (self.strict and INTEGER not in kinds):
            return True
        return _becomes_float(load)

    def _is_item_of_integers(self, access: Instruction, pointer: Value, size: int) -> bool:
        """Is it an item of an array of integers inside of an object that has floats elsewhere?

        Without knowing the index, type analysis cannot tell. The compiler can, and says that an integer is accessed.
        """
        tag = access.metadata.get("tbaa")
        if tag is None or not isinstance(pointer, Gep) or len(pointer.operands) != 2:
            return False
        module = self.function.module
        if module is None or tbaa_kind(module, tag) is not INTEGER:
            return False
        first = self.types.memory_kinds(pointer.operands[0], size)
        return bool(first) and all(kind is INTEGER for _, kind in first)

    def holds_packed(self, pointer: Value) -> bool:
        """May integers made from the bits of floats stand behind this pointer?"""
        return any(o in self.packed_objects for o in self.oracle.underlying(pointer))

    def stores_integers(self, store: Store) -> bool:
        """Is the value stored where no float is, however the memory is looked at?"""
        bits = bits_of_integers(store.value.type)
        if not bits or bits % 8:
            return False
        size = bits // 8
        if self._is_item_of_integers(store, store.pointer, size):
            return True
        if any(kind.is_float for _, kind in self.types.accessed(store)):
            return False
        return self.types.viewed(store.pointer, size) == Found()

    def stores_float(self, store: Store) -> bool:
        """Does a store write floats? An integer constant says nothing of itself; the memory does."""
        value, type_ = store.value, store.value.type
        if not isinstance(value, ConstInt) or not isinstance(type_, IntType):
            return self.carries_float(value)
        if type_.bits not in (16, 32, 64):
            return False
        kinds = [k for _, k in self.types.accessed(store)]
        return ANYTHING in kinds or (bool(kinds) and all(k.is_float for k in kinds))

    def __str__(self) -> str:
        lines, names = [f"activity of @{self.function.name}"], local_names(self.function)
        for argument in self.function.args:
            state = (
                "active" if self.is_active(argument) or self.is_active_object(argument) else "const"
            )
            lines.append(f"  {state:7} {argument.type} %{argument.name}")
        for block in self.function.blocks:
            lines.append(f"{block.name}:")
            for instruction in block.instructions:
                active = self.is_active(instruction) or (
                    instruction.type.is_pointer and self.has_shadow(instruction)
                )
                if isinstance(instruction, Store):
                    active = self.has_shadow(instruction.pointer)
                text = print_instruction(instruction, names).strip()
                lines.append(f"  {'active' if active else 'const':7} {text}")
        return "\n".join(lines)


def bits_of_integers(type_: Type) -> int:
    """The bits of an integer, or of a vector, an array or a struct of nothing else; 0 for other types."""
    if isinstance(type_, IntType):
        return type_.bits
    if isinstance(type_, (VectorType, ArrayType)):
        return type_.count * bits_of_integers(type_.element)
    if isinstance(type_, StructType) and type_.elements:
        bits = [bits_of_integers(e) for e in type_.elements]
        return sum(bits) if all(bits) else 0
    return 0


def _becomes_float(value: Value) -> bool:
    """Are bits of this integer made a float?"""
    pending, seen = [value], {value}
    while pending:
        for user in pending.pop().users:
            if user.opcode == "bitcast" and user.type.scalar.is_float:
                return True
            if user.opcode in MIXING and user not in seen:
                seen.add(user)
                pending.append(user)
    return False
