"""What passes over vectors have in common: where lanes come from, lanes of constants, where new lanes are put."""

from __future__ import annotations

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Instruction
from enzyme.engine.ir.types import VectorType
from enzyme.engine.ir.values import (
    ConstAggregate,
    ConstInt,
    ConstSimple,
    ConstSplat,
    Value,
    poison_of,
    zero_of,
)

_UNDEFINED = ("poison", "undef")


def is_undefined(value: Value) -> bool:
    """Is this a constant of which nobody can tell the bits?"""
    return isinstance(value, ConstSimple) and value.text in _UNDEFINED


def places_of(mask: Value, count: int) -> list[int | None]:
    """Where each lane of a shuffle comes from; None: from nowhere."""
    if isinstance(mask, ConstAggregate):
        return [e.value if isinstance(e, ConstInt) else None for e in mask.elements]
    if isinstance(mask, ConstSplat):
        return [mask.element.value if isinstance(mask.element, ConstInt) else None] * count
    if isinstance(mask, ConstSimple) and not is_undefined(mask):
        return [0] * count
    return [None] * count


def lane_of_constant(constant: Value, lane: int) -> Value | None:
    """One lane of a constant vector, or the constant itself if it is none; None where it is not written out."""
    if not isinstance(constant.type, VectorType):
        return constant
    if isinstance(constant, ConstAggregate):
        return constant.elements[lane]
    if isinstance(constant, ConstSplat):
        return constant.element
    if is_undefined(constant):
        return poison_of(constant.type.element)
    zeros = isinstance(constant, ConstSimple) and constant.text == "zeroinitializer"
    return zero_of(constant.type.element) if zeros else None


def lane_behind(value: Value, lane: int) -> Value:
    """Where one lane of a vector comes from, through what moves lanes about; a value that is no vector is its own."""
    while isinstance(type_ := value.type, VectorType):
        if not isinstance(value, Instruction):
            return lane_of_constant(value, lane) or value
        if value.opcode == "insertelement" and isinstance(value.operands[2], ConstInt):
            whole, part, place = value.operands
            value = part if place.value == lane else whole  # type: ignore[attr-defined]
        elif value.opcode == "shufflevector":
            first, second, mask = value.operands
            place_of = places_of(mask, type_.count)[lane]
            if place_of is None:
                return poison_of(type_.element)
            count = first.type.count  # type: ignore[attr-defined]
            value, lane = (first, place_of) if place_of < count else (second, place_of - count)
        else:
            return value
    return value


def behind(i: Instruction) -> Builder:
    """A builder behind an instruction, and behind all phis if it is one."""
    block = i.parent
    assert block is not None
    return Builder(block, max(block.index_of(i) + 1, block.first_non_phi()))
