"""The adjoint of each instruction.

`emit_adjoint` is run twice over the program: once with a recorder, to learn which primal values the reverse pass
needs, and once to emit code.  It speaks to its surroundings through `AdjointEmitter` only, so both runs are the same
code and the needs are exact.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from enzyme.engine.analysis.activity_result import ActivityResult, may_hold_pointer
from enzyme.engine.analysis.known_functions import lookup_known
from enzyme.engine.derivatives.catalogue import row_for_call
from enzyme.engine.derivatives.operands import Operands
from enzyme.engine.derivatives.table import Row, row_for_instruction
from enzyme.engine.derivatives.terms import Guard
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.dispatch import Dispatch, Refusal
from enzyme.engine.ir.instructions import Aggregate, Call, Instruction, Load, Phi, Store
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.opcodes import FLOAT_CASTS, INSTRUCTIONS, opcodes
from enzyme.engine.ir.types import (
    FLOAT_TYPES,
    I1,
    I8,
    I64,
    VOID,
    FloatType,
    StructType,
    Type,
    VectorType,
)
from enzyme.engine.ir.values import ConstAggregate, ConstInt, ConstSplat, Value, is_zero, zero_of
from enzyme.engine.synthesis.accumulations import Accumulation
from enzyme.engine.synthesis.failures import unknown_call, unsupported
from enzyme.engine.synthesis.late_factors import Late, applied, begun, goes_on, passes
from enzyme.engine.synthesis.numbers import (
    AS_ANOTHER,
    IN_MEMBERS,
    ON_BITS,
    REFUSED_BEFORE,
    WITHOUT_NUMBERS,
    check_members,
    on_bits,
)
from enzyme.engine.synthesis.records import arguments_for, in_order, parts_of
from enzyme.errors import EnzymeNoDerivativeError


class AdjointEmitter(Protocol):
    """What an adjoint may ask for."""

    b: Builder
    activity: ActivityResult

    @property
    def chained(self) -> dict[tuple[Instruction, int], bool]: ...

    def lookup(self, value: Value) -> Value:
        """A primal value (or a shadow pointer's value) at this place of the reverse pass."""

    def shadow(self, pointer: Value) -> Value:
        """The shadow of a primal pointer, looked up."""

    def has_shadow(self, pointer: Value) -> bool: ...

    def is_active(self, value: Value) -> bool: ...

    def guard(self, i: Instruction, index: int) -> Guard:
        """How the product for an operand is kept zero where the adjoint is, if the partial may be infinite."""

    def adjoint_type(self, value: Value) -> Type: ...

    def take(self, value: Value) -> Value:
        """The adjoint of a value, which is reset to zero."""

    def add(self, value: Value, contribution: Value) -> None:
        """Add to the adjoint of an active value."""

    def load_shadow(self, type_: Type, pointer: Value, align: int, of: Value) -> Value:
        """Read the shadow at an address, that of what is behind the primal pointer `of`."""

    def store_shadow(self, value: Value, pointer: Value, align: int, of: Value) -> None: ...

    def hold(self, value: Value, late: Late) -> None:
        """Keep the adjoint of a value in its factors, for `held`."""

    def held(self, value: Value) -> Late | None:
        """These factors, which are reset to zero."""

    def same_loop(self, first: Block, second: Block) -> bool: ...

    def accumulation(self, i: Instruction) -> Accumulation | None:
        """The sum in memory that the instruction is part of."""

    def add_to_shadow(self, load: Load, d: Value) -> None:
        """Add the adjoint of a load to the shadow of the memory that it read."""

    def adjoint_of_call(self, call: Call) -> bool:
        """Calls that are not in the tables: allocations, functions of the module. False: not handled."""

    def call_helper(self, name: str, arguments: list[Value]) -> None: ...


def emit_adjoint(r: AdjointEmitter, i: Instruction) -> None:
    """Propagate adjoints through one instruction (phis and terminators belong to control flow)."""
    handler = ADJOINTS.handlers[i.opcode]
    if handler is not None:
        handler(r, i)
    elif i.opcode in ADJOINTS.refusals and r.is_active(i):
        raise on_bits(i)


def _number(r: AdjointEmitter, i: Instruction) -> None:
    if r.is_active(i) and r.accumulation(i) is None:
        row = row_for_instruction(i.opcode)
        if row is None or not i.type.scalar.is_float:
            raise on_bits(i)
        _by_row(r, i, row)


def _by_row(r: AdjointEmitter, i: Instruction, row: Row) -> None:
    operands = i.arguments if isinstance(i, Call) else i.operands
    late = r.held(i)
    d = r.take(i) if late is None else late.first
    fetched = Operands(i, r.lookup)
    for index in row.active_operands:
        operand = operands[index]
        if not r.is_active(operand):
            continue
        guard = r.guard(i, index)
        stays = passes(r, i, index) and (late is None or goes_on(r, i, row))
        if late is not None:
            made = applied(row, r.b, index, late, fetched, guard)
        else:
            made = begun(row, r.b, index, d, fetched, guard) if stays else None
        if made is not None and stays:
            r.hold(operand, made)
            continue
        whole = row.adjoint(r.b, index, d, fetched, guard=guard) if late is None else None
        contribution = whole if made is None else made.whole(r.b)
        if contribution is not None:
            r.add(operand, contribution)


def _load(r: AdjointEmitter, i: Instruction) -> None:
    assert isinstance(i, Load)
    if not r.is_active(i):
        return
    if r.accumulation(i) is not None:
        return
    d = r.take(i)
    if not r.has_shadow(i.pointer):
        return
    r.add_to_shadow(i, d)


def _store(r: AdjointEmitter, i: Instruction) -> None:
    assert isinstance(i, Store)
    if not r.has_shadow(i.pointer):
        return
    if not r.activity.stores_float(i):
        _store_address(r, i)
        return
    pointer = r.shadow(i.pointer)
    type_ = r.adjoint_type(i.value)
    sum_ = r.accumulation(i)
    if sum_ is not None:
        if r.is_active(sum_.part):
            d = r.load_shadow(type_, pointer, i.align, i.pointer)
            r.add(sum_.part, r.b.fneg(d) if sum_.subtracted else d)
    elif r.is_active(i.value):
        d = r.load_shadow(type_, pointer, i.align, i.pointer)
        r.store_shadow(zero_of(type_), pointer, i.align, i.pointer)
        r.add(i.value, d)
    else:
        r.store_shadow(zero_beside(i.value, type_), pointer, i.align, i.pointer)


def zero_beside(stored: Value, type_: Type) -> Value:
    """The derivative where a constant is stored: that of an integer, LLVM's zero, may be several smaller numbers."""
    return zero_of(stored.type if isinstance(stored, ConstInt) else type_)


def _store_address(r: AdjointEmitter, i: Store) -> None:
    """An address where floats stand in other objects, or stood before: their adjoints begin with zero."""
    if may_hold_pointer(i.value.type) and r.activity.types.floats_too(i):
        r.store_shadow(zero_of(i.value.type), r.shadow(i.pointer), i.align, i.pointer)


def add_leaves(b: Builder, type_: Type, left: Value, right: Value) -> Value:
    """Sum of two values of one type, member by member; integers and pointers are those of `left`."""
    if isinstance(type_.scalar, FloatType):
        return b.fadd(left, right)
    if isinstance(type_, StructType):
        members: list[Type] = list(type_.elements or ())
    elif type_.is_aggregate:
        members = [type_.element] * type_.count  # type: ignore[attr-defined]
    else:
        return left
    total = left
    for k, member in enumerate(members):
        part = add_leaves(b, member, b.extract_value(left, [k]), b.extract_value(right, [k]))
        total = b.insert_value(total, part, [k])
    return total


def _select(r: AdjointEmitter, i: Instruction) -> None:
    if not r.is_active(i):
        return
    condition, then, other = i.operands
    d = r.take(i)
    zero = zero_of(d.type)
    if r.is_active(then):
        r.add(then, r.b.select(r.lookup(condition), d, zero))
    if r.is_active(other):
        r.add(other, r.b.select(r.lookup(condition), zero, d))


def _pass_through(r: AdjointEmitter, i: Instruction) -> None:
    if r.is_active(i):
        d = r.take(i)
        if r.is_active(i.operands[0]):
            r.add(i.operands[0], d)


def _bitcast(r: AdjointEmitter, i: Instruction) -> None:
    if not r.is_active(i):
        return
    source = i.operands[0]
    if r.adjoint_type(i) is not r.adjoint_type(source):
        raise unsupported(i, "a float looked at as another type")
    _pass_through(r, i)


def _extract_value(r: AdjointEmitter, i: Instruction) -> None:
    assert isinstance(i, Aggregate)
    if r.is_active(i):
        check_members(i, r.activity)
        d = r.take(i)
        whole = i.operands[0]
        if r.is_active(whole):
            r.add(whole, r.b.insert_value(zero_of(whole.type), d, i.indices))


def _insert_value(r: AdjointEmitter, i: Instruction) -> None:
    assert isinstance(i, Aggregate)
    if not r.is_active(i):
        return
    check_members(i, r.activity)
    whole, part = i.operands
    d = r.take(i)
    if r.is_active(part):
        r.add(part, r.b.extract_value(d, i.indices))
    if r.is_active(whole):
        r.add(whole, r.b.insert_value(d, zero_of(part.type), i.indices))


def _extract_element(r: AdjointEmitter, i: Instruction) -> None:
    if r.is_active(i):
        vector, index = i.operands
        d = r.take(i)
        if r.is_active(vector):
            r.add(vector, _insert_lane(r, zero_of(vector.type), d, r.lookup(index)))


def _insert_element(r: AdjointEmitter, i: Instruction) -> None:
    if not r.is_active(i):
        return
    vector, part, index = i.operands
    d = r.take(i)
    place = r.lookup(index)
    if r.is_active(part):
        r.add(part, r.b.add(Instruction("extractelement", part.type, (d, place))))
    if r.is_active(vector):
        r.add(vector, _insert_lane(r, d, zero_of(part.type), place))


def _shuffle(r: AdjointEmitter, i: Instruction) -> None:
    """Lane k of the result comes from lane mask[k] of the two vectors laid side by side."""
    if not r.is_active(i):
        return
    first, second, _mask = i.operands
    assert isinstance(first.type, VectorType)
    lanes = shuffle_mask(i)
    d = r.take(i)
    for vector, start in ((first, 0), (second, first.type.count)):
        if not r.is_active(vector):
            continue
        for k, lane in enumerate(lanes):
            if lane is not None and start <= lane < start + first.type.count:
                part = r.b.add(Instruction("extractelement", d.type.scalar, (d, ConstInt(I64, k))))
                place = ConstInt(I64, lane - start)
                r.add(vector, _insert_lane(r, zero_of(vector.type), part, place))


def shuffle_mask(i: Instruction) -> list[int | None]:
    """The lanes that a `shufflevector` picks; None where it does not matter."""
    mask = i.operands[2]
    assert isinstance(i.type, VectorType)
    if isinstance(mask, ConstAggregate):
        return [e.value if isinstance(e, ConstInt) else None for e in mask.elements]
    if isinstance(mask, ConstSplat):
        return [mask.element.value if isinstance(mask.element, ConstInt) else None] * i.type.count
    return [0 if is_zero(mask) else None] * i.type.count


def _insert_lane(r: AdjointEmitter, vector: Value, part: Value, index: Value) -> Value:
    return r.b.add(Instruction("insertelement", vector.type, (vector, part, index)))


def _call(r: AdjointEmitter, i: Instruction) -> None:
    assert isinstance(i, Call)
    name = i.callee_name
    if name.startswith(("llvm.memcpy", "llvm.memmove")):
        _copy(r, i)
        return
    if name.startswith("llvm.memset"):
        _set(r, i)
        return
    row = row_for_call(i)
    if row is not None:
        if r.is_active(i):
            _by_row(r, i, row)
        return
    if r.adjoint_of_call(i):
        return
    known = lookup_known(i)
    if known is not None and known.moves_no_numbers and not r.is_active(i):
        return
    ends = r.activity.ends_at(i)
    touched = [
        a
        for k, a in enumerate(i.arguments)
        if k not in ends and (r.is_active(a) or (a.type.is_pointer and r.has_shadow(a)))
    ]
    if touched or r.is_active(i):
        raise unknown_call(i)


def _copy(r: AdjointEmitter, i: Call) -> None:
    """d_source += d_target; d_target = 0, over the floats that were copied."""
    target, source, length = i.arguments[:3]
    if not r.has_shadow(target):
        return
    types = r.activity.types
    if isinstance(length, ConstInt) and (
        types.cuts(source, length.value) or types.cuts(target, length.value)
    ):
        raise _torn(i)
    found = parts_of(types, source, length, overlaps="memmove" in i.callee_name)
    if not found.is_known:
        other = parts_of(types, target, length, overlaps="memmove" in i.callee_name)
        if other.is_known or not found.has_kinds or found.may_hide_numbers:
            found = other
    if found.may_hide_numbers:
        raise unsupported(
            i,
            "a copy of memory of which only a part is known",
            "nothing says whether other bytes of it hold numbers, beside what is no number",
            "let the function that copies be inlined, or copy records one by one",
        )
    if found.sticks_out:
        raise _torn(i)
    floats = found.float_types
    if not floats:
        if (
            found.others
        ):  # what is unknown beside them holds zeros only: a number would have told its type
            return
        raise unsupported(
            i,
            "a copy of memory of unknown type",
            "neither its source nor its target says what it holds",
        )
    b = r.b
    d_target = r.shadow(target)
    flows = r.has_shadow(source) and not r.activity.copies_constants(i)
    d_source = r.shadow(source) if flows else None
    pointers = [d_target] if d_source is None else [d_target, d_source]
    size = r.lookup(length)
    if not found.is_uniform:
        what = "clear_apart" if d_source is None else "move_adjoint_apart"
        for part, turn in in_order(b, found, found.floats, pointers, upwards=False):
            arguments = arguments_for(b, pointers, size, found.period, part, turn)
            r.call_helper(f"enzyme.{what}.{part.float_type}", arguments)
        return
    kind = next(iter(floats))
    count = b.binary("udiv", b.as_count(size), ConstInt(I64, kind.bits // 8))
    if d_source is not None:
        r.call_helper(f"enzyme.move_adjoint.{kind}", [*pointers, count])
    else:
        size_value = b.imul(count, ConstInt(I64, kind.bits // 8))
        b.call_named(
            "llvm.memset.p0.i64", VOID, [d_target, ConstInt(I8, 0), size_value, ConstInt(I1, 0)]
        )


def _torn(i: Call) -> EnzymeNoDerivativeError:
    return unsupported(
        i,
        "a copy of a part of a number",
        "its adjoint is one number; and of records of odd lengths nothing says where their numbers stand",
        "copy numbers as a whole, and do not pack records",
    )


def _set(r: AdjointEmitter, i: Call) -> None:
    """A block of memory was overwritten by a constant: its adjoint is zero from here on."""
    target, _, length = i.arguments[:3]
    if not r.has_shadow(target):
        return
    found = parts_of(r.activity.types, target, length)
    floats = found.float_types
    if found.others and not floats and not found.is_several:
        return
    b = r.b
    shadow = r.shadow(target)
    size = r.lookup(length)
    if found.others and not found.is_several:
        # Integers and pointers of the shadow are those of the primal: the runtime still needs them.
        for part in found.parts:
            if part.float_type is not None:
                arguments = arguments_for(b, [shadow], size, found.period, part)
                r.call_helper(f"enzyme.clear_apart.{part.float_type}", arguments)
        return
    arguments = [shadow, ConstInt(I8, 0), b.as_count(size), ConstInt(I1, 0)]
    b.call_named("llvm.memset.p0.i64", VOID, arguments)


def float_type_of_bits(bits: int) -> FloatType:
    return FLOAT_TYPES[{16: "half", 32: "float", 64: "double"}[bits]]


ADJOINTS: Dispatch[Callable[[AdjointEmitter, Instruction], None]] = Dispatch(
    "adjoints",
    "the adjoints of its operands, where it is active",
    INSTRUCTIONS,
    {
        **dict.fromkeys(opcodes("float arithmetic") | FLOAT_CASTS, _number),
        "load": _load,
        "store": _store,
        "select": _select,
        "freeze": _pass_through,
        "bitcast": Refusal(_bitcast, EnzymeNoDerivativeError, AS_ANOTHER),
        "extractvalue": Refusal(_extract_value, EnzymeNoDerivativeError, IN_MEMBERS),
        "insertvalue": Refusal(_insert_value, EnzymeNoDerivativeError, IN_MEMBERS),
        "extractelement": _extract_element,
        "insertelement": _insert_element,
        "shufflevector": _shuffle,
        "call": Refusal(_call, EnzymeNoDerivativeError, "if it is not known"),
    },
    # The adjoints of phis are taken where blocks are left.
    ignored=(*WITHOUT_NUMBERS, "phi"),
    refused=ON_BITS,
    elsewhere=REFUSED_BEFORE,
)

__all__ = [
    "Phi",
    "AdjointEmitter",
    "VectorType",
    "add_leaves",
    "emit_adjoint",
    "float_type_of_bits",
    "zero_beside",
]
