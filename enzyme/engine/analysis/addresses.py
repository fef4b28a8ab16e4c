"""Addresses as a base, a constant number of bytes, and variable indices with their scales in bytes."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, prod

from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.dispatch import Selection
from enzyme.engine.ir.instructions import Gep, Instruction
from enzyme.engine.ir.types import ArrayType, StructType, Type, VectorType
from enzyme.engine.ir.values import ConstExpr, ConstInt, Value

Steps = tuple[tuple[int, Value], ...]


def is_gep(value: Value) -> bool:
    """Is this a getelementptr, as an instruction or as a constant expression?"""
    return isinstance(value, Gep) or (
        isinstance(value, ConstExpr) and value.opcode == "getelementptr"
    )


def gep_steps(gep: Value, layout: DataLayout) -> tuple[Value, int, Steps] | None:
    """Base, constant bytes, and ``(scale, index)`` of each variable index; None for vectors."""
    if not isinstance(gep, (Gep, ConstExpr)) or gep.source_type is None or gep.type.is_vector:
        return None
    base = gep.operands[0]
    if base.type.is_vector:
        return None
    constant, variable = layout.gep_offset(gep)
    return base, constant, tuple((scale, index) for index, scale in variable)


def spacing(steps: Steps) -> int:
    """Every address with these steps is a multiple of so many bytes away from the one without; 0 for no steps.

    LLVM also writes the scale into the index, as a product or a sum in a loop; no index is taken to wrap around.
    """
    return gcd(*(scale * _divisor(index, set(), 8) for scale, index in steps))


def _divisor(value: Value, visited: set[Value], depth: int) -> int:
    """A number that divides `value`, found in at most `depth` instructions in a row; 0 divides 0 only.

    A value on the way to itself, around a loop, divides what all others do.
    """
    if isinstance(value, ConstInt):
        return abs(value.value)
    if not isinstance(value, Instruction) or not depth:
        return 1
    if value in visited:
        return 0
    visited.add(value)
    try:
        return _divisor_of_result(value, visited, depth - 1)
    finally:
        visited.discard(value)


DIVISORS = Selection(
    "spacing",
    "what divides its operands tells what divides the index that it gives",
    "mul shl sext zext freeze add sub phi select".split(),
)


def _divisor_of_result(i: Instruction, visited: set[Value], depth: int) -> int:
    if i.opcode not in DIVISORS:
        return 1
    if i.opcode == "mul":
        return prod(_divisor(o, visited, depth) for o in i.operands)
    if i.opcode == "shl":
        if not isinstance(i.operands[1], ConstInt):
            return 1
        return _divisor(i.operands[0], visited, depth) << i.operands[1].value
    if i.opcode in ("sext", "zext", "freeze"):
        return _divisor(i.operands[0], visited, depth)
    found = 0
    for operand in i.operands[i.opcode == "select" :]:
        found = gcd(found, _divisor(operand, visited, depth))
        if found == 1:
            break
    return found


def place_in(type_: Type, indices: Sequence[int], layout: DataLayout) -> tuple[int, Type]:
    """Byte offset and type of the element of an aggregate that constant indices select."""
    offset = 0
    for index in indices:
        if isinstance(type_, StructType):
            assert type_.elements is not None
            offset += layout.field_offset(type_, index)
            type_ = type_.elements[index]
        else:
            assert isinstance(type_, (ArrayType, VectorType))
            type_ = type_.element
            offset += index * layout.size_of(type_)
    return offset, type_


def scalars_in(type_: Type, layout: DataLayout, start: int = 0) -> list[tuple[int, Type]]:
    """Every scalar of a type, with its byte offset; at most 64 elements of each array."""
    if isinstance(type_, StructType):
        return [
            found
            for index, element in enumerate(type_.elements or ())
            for found in scalars_in(element, layout, start + layout.field_offset(type_, index))
        ]
    if isinstance(type_, (ArrayType, VectorType)):
        size = layout.size_of(type_.element)
        return [
            found
            for index in range(min(type_.count, 64))
            for found in scalars_in(type_.element, layout, start + index * size)
        ]
    return [(start, type_)]
