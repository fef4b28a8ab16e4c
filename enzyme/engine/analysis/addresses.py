"""Addresses as a base, a constant number of bytes, and variable indices with their scales in bytes."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.dispatch import Selection
from enzyme.engine.ir.instructions import Gep, Instruction
from enzyme.engine.ir.types import I64, ArrayType, StructType, Type, VectorType
from enzyme.engine.ir.values import ConstExpr, ConstInt, Value, wrapped

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


SUMS = Selection(
    "addresses",
    "a constant that it adds to an index is a constant number of bytes",
    ("add", "sub"),
)


def without_constants(steps: Steps) -> tuple[int, Steps]:
    """The bytes that constants in the indices add, and the steps without them.

    Addresses wrap around as indices of their width do, so this is exact.
    """
    constant = 0
    plain = []
    for scale, index in steps:
        while isinstance(index, Instruction) and index.opcode in SUMS and index.type is I64:
            left, right = index.operands
            if not isinstance(right, ConstInt):
                break
            constant += scale * (right.value if index.opcode == "add" else -right.value)
            index = left
        plain.append((scale, index))
    return constant, tuple(plain)


def spacing(steps: Steps) -> int:
    """Every address with these steps is a multiple of so many bytes away from the one without; 0 for no steps.

    LLVM also writes the scale into the index, as a product or a sum in a loop; no index is taken to wrap around.
    """
    return gcd(
        *(wrapped(scale * n) for scale, index in steps for n in _rest(index, {}, _DEEP) or _ANY)
    )


def distance(steps: Steps) -> tuple[int, int]:
    """How many bytes away an address is from the one without these steps, and a multiple of how many more.

    LLVM may hide a constant in an index, as in `base + (i * stride + 8)`: that is 8, and a multiple of 1.
    """
    constant, multiple = 0, 0
    for scale, index in steps:
        rest, divisor = _rest(index, {}, _DEEP) or _ANY
        rest, divisor = wrapped(scale * rest), wrapped(scale * divisor)
        constant += rest % divisor if divisor > 1 else rest
        multiple = gcd(multiple, divisor)
    return constant, multiple


# A number, and what divides the difference from it: 0 if there is none.
Rest = tuple[int, int]
_ANY: Rest = (0, 1)
_DEEP = 8
_ROUNDS = 4


def _rest(value: Value, assumed: dict[Value, Rest | None], depth: int) -> Rest | None:
    """A number that `value` differs from by a multiple of another, found in at most `depth` instructions in a row.

    None for a value on the way to itself, around a loop, of which nothing is `assumed` yet.
    """
    if isinstance(value, ConstInt):
        return value.value, 0
    if not isinstance(value, Instruction) or value.opcode not in DIVISORS or not depth:
        return _ANY
    if value in assumed:
        return assumed[value]
    if value.opcode != "phi":
        found = _rest_of_result(value, assumed, depth - 1)
        return (0, _divided_by(value)) if found == _ANY else found
    assumed[value] = None
    try:
        for _ in range(_ROUNDS):
            found = _one_of(value.operands, assumed, depth - 1)
            if found == assumed[value]:
                return found
            assumed[value] = found
        return _ANY
    finally:
        del assumed[value]


DIVISORS = Selection(
    "spacing",
    "what divides its operands tells what divides the index that it gives",
    "mul shl sext zext freeze add sub phi select".split(),
)


EXACT = Selection(
    "exact quotients",
    "what is divided without a remainder is a multiple of the divisor",
    ("ashr", "lshr", "sdiv", "udiv"),
)


def _rest_of_result(i: Instruction, assumed: dict[Value, Rest | None], depth: int) -> Rest | None:
    if i.opcode == "select":
        return _one_of(i.operands[1:], assumed, depth)
    first = _rest(i.operands[0], assumed, depth)
    if i.opcode in ("sext", "zext", "freeze"):
        return first
    second = _rest(i.operands[1], assumed, depth)
    if i.opcode == "shl":
        if not isinstance(i.operands[1], ConstInt):
            return _ANY
        second = (1 << i.operands[1].value, 0)
    if first is None or second is None:
        return None
    (one, more), (other, more_too) = first, second
    if i.opcode in ("mul", "shl"):
        multiples = (one * more_too, other * more, more * more_too)
        return wrapped(one * other), gcd(*map(wrapped, multiples))
    return wrapped(one + other if i.opcode == "add" else one - other), gcd(more, more_too)


def _divided_by(value: Value) -> int:
    """The constant by which somebody divides a value and promises that no remainder is left; else 1."""
    for user in value.users:
        if user.opcode in EXACT and user.operands[0] is value:
            divisor = abs(exact_divisor(user))
            if divisor:
                return divisor
    return 1


def exact_divisor(quotient: Instruction) -> int:
    """The constant that a division promises to leave no remainder by; else 0."""
    divisor = quotient.operands[1]
    if "exact" not in quotient.flags or not isinstance(divisor, ConstInt):
        return 0
    return divisor.value if quotient.opcode.endswith("div") else 1 << divisor.value


def multiple_of(value: Value) -> tuple[Value, int] | None:
    """A value and the constant by which it is multiplied; None where a value is no such product."""
    if isinstance(value, Instruction) and value.opcode in ("mul", "shl"):
        one, factor = value.operands
        if isinstance(factor, ConstInt):
            return one, factor.value if value.opcode == "mul" else 1 << factor.value
    return None


def _one_of(values: Sequence[Value], assumed: dict[Value, Rest | None], depth: int) -> Rest | None:
    found: Rest | None = None
    for value in values:
        rest = _rest(value, assumed, depth)
        if found is None or rest is None:
            found = found or rest
        else:
            found = found[0], gcd(found[1], rest[1], found[0] - rest[0])
        if found is not None and found[1] == 1:
            return found  # others tell nothing more
    if found is not None and found[1] > 1:
        # One form for each: a loop is followed until nothing changes.
        found = found[0] % found[1], found[1]
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
