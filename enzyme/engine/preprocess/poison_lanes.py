"""Compute the lanes of vectors that somebody may read, one by one, where others are poison.

LLVM leaves lanes undefined that nobody reads: ``fmul <2 x double> %v, <%a, poison>``. In the derivative such a lane
has the adjoint zero, but zero times poison is poison, and would be added to the adjoint of a lane of ``%v`` that is
read.
So such an instruction is replaced by one for each other lane. A phi is taken to have no such lanes.
"""

from __future__ import annotations

import re

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Call, Instruction, Phi
from enzyme.engine.ir.module import Function
from enzyme.engine.ir.types import I32, Type, VectorType, function_type
from enzyme.engine.ir.values import (
    ConstAggregate,
    ConstInt,
    ConstSimple,
    Value,
    poison_of,
)
from enzyme.engine.preprocess.lanes import is_undefined, places_of

_ARITHMETIC = frozenset("fadd fsub fmul fdiv frem fneg fpext fptrunc select".split())
_LANE_BY_LANE = _ARITHMETIC | frozenset("fcmp icmp sitofp uitofp fptosi fptoui and or xor".split())
_OF_VECTOR = re.compile(r"\.v\d+(?=b?f\d)")
_ACROSS = ("llvm.vector.", "llvm.experimental.", "llvm.matrix.", "llvm.masked.")
_NONE: frozenset[int] = frozenset()


def separate_lanes(function: Function) -> None:
    """Rewrite one function in place."""
    found: dict[Value, frozenset[int]] = {}
    for block in function.blocks:
        for i in list(block.instructions):
            kind = i.type
            if not isinstance(kind, VectorType):
                continue
            lanes = _poison_lanes(i, found)
            if (
                lanes
                and len(lanes) < kind.count
                and (i.opcode in _ARITHMETIC or _is_elementwise(i))
            ):
                found[_one_by_one(i, kind, lanes)] = lanes


def _poison_lanes(value: Value, found: dict[Value, frozenset[int]]) -> frozenset[int]:
    """Which lanes of a vector nobody can read."""
    kind = value.type
    if not isinstance(kind, VectorType):
        return _NONE
    if isinstance(value, ConstSimple):
        return frozenset(range(kind.count)) if is_undefined(value) else _NONE
    if isinstance(value, ConstAggregate):
        return frozenset(k for k, e in enumerate(value.elements) if is_undefined(e))
    if not isinstance(value, Instruction) or isinstance(value, Phi):
        return _NONE
    known = found.get(value)
    if known is None:
        found[value] = _NONE  # in unreachable code, values may need themselves
        known = found[value] = _of_instruction(value, kind, found)
    return known


def _of_instruction(
    i: Instruction, kind: VectorType, found: dict[Value, frozenset[int]]
) -> frozenset[int]:
    if i.opcode == "insertelement":
        base, value, place = i.operands
        before = _poison_lanes(base, found)
        if not isinstance(place, ConstInt):
            return _NONE
        return before | {place.value} if is_undefined(value) else before - {place.value}
    if i.opcode == "shufflevector":
        first, second, mask = i.operands
        count = getattr(first.type, "count", 0)
        known = _poison_lanes(first, found) | {count + k for k in _poison_lanes(second, found)}
        return frozenset(
            k
            for k, place in enumerate(places_of(mask, kind.count))
            if place is None or place in known
        )
    if i.opcode in _LANE_BY_LANE or _is_elementwise(i):
        operands = i.arguments if isinstance(i, Call) else i.operands
        return _NONE.union(*(_poison_lanes(o, found) for o in operands))
    return _NONE


def _is_elementwise(i: Instruction) -> bool:
    """Is it a call of a function that works on each lane alone?"""
    if not isinstance(i, Call) or not i.callee_name.startswith("llvm."):
        return False
    if i.callee_name.startswith(_ACROSS) or any(a.type.is_pointer for a in i.arguments):
        return False
    return _OF_VECTOR.search(i.callee_name) is not None


def _one_by_one(i: Instruction, kind: VectorType, poison: frozenset[int]) -> Value:
    b = Builder()
    b.before(i)
    made: Value = poison_of(kind)
    for lane in range(kind.count):
        if lane in poison:
            continue
        place = ConstInt(I32, lane)
        value = b.add(_of_lane(b, i, kind.element, place))
        value.metadata = {k: v for k, v in i.metadata.items() if k == "dbg"}
        made = b.add(Instruction("insertelement", kind, (made, value, place)))
    i.replace_uses_with(made)
    i.erase()
    return made


def _of_lane(b: Builder, i: Instruction, element: Type, place: ConstInt) -> Instruction:
    def lane(v: Value) -> Value:
        if not isinstance(v.type, VectorType):
            return v
        return b.add(Instruction("extractelement", v.type.element, (v, place)))

    if isinstance(i, Call):
        operands = [lane(v) for v in i.arguments]
        module = i.function.module
        assert module is not None
        kind = function_type(element, [v.type for v in operands])
        callee = module.declare(_OF_VECTOR.sub(".", i.callee_name), kind)
        return Call(kind, callee, operands, flags=i.flags)
    return Instruction(i.opcode, element, [lane(v) for v in i.operands], flags=i.flags)
