"""Intrinsics for vectors in copies of primals as instructions: those of x86, and accesses of lanes."""

from __future__ import annotations

import re

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Call, Instruction
from enzyme.engine.ir.module import Function
from enzyme.engine.ir.types import I32, I64, Type, VectorType, vector_type
from enzyme.engine.ir.values import ConstAggregate, ConstInt, Value, zero_of

# Those of 512 bits are told how to round, behind their operands.
_NAME = re.compile(
    r"llvm\.x86\.(?:sse|sse2|sse3|avx|avx512)\.(hadd|hsub|min|max)\.(?:ps|pd)(?:\.(?:256|512))?"
)

_MASKED = re.compile(r"llvm\.masked\.(gather|load|scatter|store)\.")


def read_intrinsics(function: Function) -> None:
    """Replace sums of neighbours, what is smaller or larger, and scattered accesses."""
    for call in [i for i in function.instructions() if isinstance(i, Call)]:
        access = _MASKED.match(call.callee_name)
        if access is not None and _has_whole_bytes(call):
            (_read_lanes if access.group(1) in ("gather", "load") else _write_lanes)(call)
            continue
        found = _NAME.fullmatch(call.callee_name)
        if found is None or not isinstance(call.type, VectorType):
            continue
        b = Builder()
        b.before(call)
        first, second = call.arguments[:2]
        if found.group(1) in ("hadd", "hsub"):
            even, odd = (_of_pairs(b, first, second, call.type, k) for k in (0, 1))
            value = b.fadd(even, odd) if found.group(1) == "hadd" else b.fsub(even, odd)
        else:
            value = smaller_or_larger(b, found.group(1), first, second)
        call.replace_uses_with(value)
        call.erase()


def smaller_or_larger(b: Builder, which: str, first: Value, second: Value) -> Value:
    """x86's ``min`` or ``max``: the second, where neither is smaller or one is no number."""
    return b.select(b.fcmp("olt" if which == "min" else "ogt", first, second), first, second)


def _of_pairs(b: Builder, first: Value, second: Value, type_: VectorType, which: int) -> Value:
    """One of each pair of neighbours: per 128 bits, those of the first operand and then those of the second."""
    per_half = 128 // type_.element.bits  # type: ignore[attr-defined]
    places: list[Value] = []
    for start in range(0, type_.count, per_half):
        for offset in (0, type_.count):
            places += [ConstInt(I32, offset + start + k + which) for k in range(0, per_half, 2)]
    mask = ConstAggregate(vector_type(type_.count, I32), places)
    return b.add(Instruction("shufflevector", type_, (first, second, mask)))


def _read_lanes(call: Call) -> None:
    """One load for each lane; a lane that is masked out reads a variable of ours."""
    *addresses, mask, other = _operands(call)
    kind = call.type
    assert isinstance(kind, VectorType)
    b, dummy = _with_dummy(call, kind.element)
    made: Value = other
    for lane in range(kind.count):
        chosen, place = _lane(b, mask, lane), _address(b, addresses[0], kind.element, lane)
        value = b.load(kind.element, b.select(chosen, place, dummy), align=1)
        kept = b.select(chosen, value, _lane(b, other, lane))
        made = b.add(Instruction("insertelement", kind, (made, kept, ConstInt(I32, lane))))
    call.replace_uses_with(made)
    call.erase()


def _write_lanes(call: Call) -> None:
    """One store for each lane, in order."""
    values, addresses, mask = _operands(call)
    kind = values.type
    assert isinstance(kind, VectorType)
    b, dummy = _with_dummy(call, kind.element)
    for lane in range(kind.count):
        place = _address(b, addresses, kind.element, lane)
        b.store(_lane(b, values, lane), b.select(_lane(b, mask, lane), place, dummy), 1)
    call.erase()


def _has_whole_bytes(call: Call) -> bool:
    """Do lanes lie behind each other as elements of arrays do?"""
    kind = call.type if call.type.is_vector else call.arguments[0].type
    element = kind.element if isinstance(kind, VectorType) else kind
    return element.is_pointer or getattr(element, "bits", 0) in (8, 16, 32, 64)


def _operands(call: Call) -> list[Value]:
    """What an access is given, but for its alignment."""
    return [v for v in call.arguments if v.type.is_vector or v.type.is_pointer]


def _address(b: Builder, addresses: Value, element: Type, lane: int) -> Value:
    """Where a lane lies: at an address of its own, or behind the first."""
    if addresses.type.is_vector:
        return _lane(b, addresses, lane)
    return b.gep(element, addresses, [ConstInt(I64, lane)])


def _with_dummy(call: Call, type_: Type) -> tuple[Builder, Value]:
    entry = call.function.entry
    first = Builder(entry, entry.first_non_phi())
    dummy = first.alloca(type_)
    first.store(zero_of(type_), dummy)
    b = Builder()
    b.before(call)
    return b, dummy


def _lane(b: Builder, vector: Value, lane: int) -> Value:
    kind = vector.type
    assert isinstance(kind, VectorType)
    return b.add(Instruction("extractelement", kind.element, (vector, ConstInt(I32, lane))))
