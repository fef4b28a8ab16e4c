"""Conversions between float types, and integer tricks on the bits of floats.

Widening and narrowing are linear: a tangent is converted as the primal is, an adjoint the other way
round. Conversions from and to integers are constant.

Compilers negate, take absolute values and transfer signs by integer operations on the bits:
`match_float_bits` says what such an operation does to the float, `rewrite_float_bits` turns those
between two bitcasts into float operations, so that the rest of the engine never sees them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from enzyme.engine.derivatives.table import OPCODES, Rule
from enzyme.engine.derivatives.terms import Term, cast, constant_number
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.dispatch import Selection
from enzyme.engine.ir.instructions import Instruction, Load
from enzyme.engine.ir.module import Function
from enzyme.engine.ir.types import Type
from enzyme.engine.ir.values import Value


def _as_primal(opcode: str) -> Rule:
    back = "fptrunc" if opcode == "fpext" else "fpext"

    def tangent(d: Term, y: Term, x: Term) -> Term:
        return cast(opcode, d, y.type)

    def adjoint(d: Term, y: Term, x: Term) -> Term:
        return cast(back, d, x.type)

    return Rule(tangent, adjoint, exact=True)


OPCODES.add("fpext", _as_primal("fpext"))
OPCODES.add("fptrunc", _as_primal("fptrunc"))
OPCODES.constant("fptoui fptosi uitofp sitofp fcmp", note="the integer side is inactive")


# Bits ---------------------------------------------------------------------------------------------

Kind = Literal["neg", "abs", "negabs", "copysign"]


@dataclass(frozen=True, slots=True)
class FloatBits:
    """A float operation in integer clothing.

    `operands` are the float values where the bits come from a bitcast, and otherwise the integer
    values whose bits are the floats, such as loads: one, or for copysign magnitude and sign.
    """

    kind: Kind
    operands: tuple[Value, ...]


BIT_TRICKS = Selection(
    "cleanup", "on the bits of a float, it may be an operation on the float", ("xor", "and", "or")
)


def match_float_bits(instruction: Instruction) -> FloatBits | None:
    """What an integer operation, or the bitcast of its result to a float, does to floats.

    That the integers are floats in disguise is certain only between two bitcasts; for a bare
    integer operation the caller's type analysis must say so.
    """
    if instruction.opcode == "bitcast":
        source = instruction.operands[0]
        if not instruction.type.scalar.is_float or not isinstance(source, Instruction):
            return None
        found = match_float_bits(source) if source.opcode in BIT_TRICKS else None
        same = found is not None and all(
            o.type is instruction.type or (o.type is source.type and _is_plain_load(o))
            for o in found.operands
        )
        return found if same else None
    if instruction.opcode not in BIT_TRICKS or not instruction.type.scalar.is_int:
        return None
    bits = instruction.type.scalar.bits  # type: ignore[attr-defined]
    if bits not in (16, 32, 64):
        return None
    left, right = instruction.operands
    sign, rest = 1 << (bits - 1), (1 << (bits - 1)) - 1
    mask = _mask(right, bits)
    match instruction.opcode:
        case "xor" if mask == sign:
            return FloatBits("neg", (_float_behind(left),))
        case "and" if mask == rest:
            return FloatBits("abs", (_float_behind(left),))
        case "or" if mask == sign:
            return FloatBits("negabs", (_float_behind(left),))
        case "or":
            for magnitude, signs in ((left, right), (right, left)):
                of_magnitude = _masked(magnitude, rest, bits)
                of_sign = _masked(signs, sign, bits)
                if of_magnitude is not None and of_sign is not None:
                    pair = _float_behind(of_magnitude), _float_behind(of_sign)
                    if pair[0].type is pair[1].type:
                        return FloatBits("copysign", pair)
                    return FloatBits("copysign", (of_magnitude, of_sign))
    return None


def rewrite_float_bits(function: Function) -> int:
    """Let float operations stand for bit operations between bitcasts; the number rewritten.

    All of them act on the bits alone, nan included, so this is exact. The integer operations stay
    where others use them."""
    count = 0
    for instruction in list(function.instructions()):
        if instruction.opcode != "bitcast" or instruction.parent is None:
            continue
        found = match_float_bits(instruction)
        if found is None:
            continue
        floats = [_as_float(operand, instruction.type) for operand in found.operands]
        b = Builder()
        b.before(instruction)
        if found.kind == "neg":
            made = b.fneg(floats[0], instruction.name)
        elif found.kind == "copysign":
            made = b.intrinsic("copysign", floats, instruction.name)
        else:
            made = b.intrinsic("fabs", floats, instruction.name)
            made = b.fneg(made) if found.kind == "negabs" else made
        instruction.replace_uses_with(made)
        _erase_dead(instruction)
        count += 1
    return count


def _is_plain_load(value: Value) -> bool:
    return isinstance(value, Load) and not value.flags and not value.suffix


def _as_float(value: Value, type_: Type) -> Value:
    """The float whose bits these are: what was loaded as integers for their sake is loaded as floats."""
    if value.type is type_:
        return value
    assert isinstance(value, Load)
    b = Builder()
    b.behind(value)
    made = b.add(Load(type_, value.pointer, value.align, value.name))
    made.metadata = dict(value.metadata)
    return made


def _mask(value: Value, bits: int) -> int | None:
    number = constant_number(value)
    return None if number is None else int(number) & ((1 << bits) - 1)


def _masked(value: Value, mask: int, bits: int) -> Value | None:
    """X of `x & mask`."""
    if isinstance(value, Instruction) and value.opcode == "and":
        if _mask(value.operands[1], bits) == mask:
            return value.operands[0]
    return None


def _float_behind(value: Value) -> Value:
    """The float whose bits these are, if a bitcast of the same shape shows it."""
    if isinstance(value, Instruction) and value.opcode == "bitcast":
        source = value.operands[0]
        if source.type.scalar.is_float and source.type.is_vector == value.type.is_vector:
            if source.type.scalar.bits == value.type.scalar.bits:  # type: ignore[attr-defined]
                return source
    return value


def _erase_dead(instruction: Instruction) -> None:
    pending = [instruction]
    while pending:
        dead = pending.pop()
        if dead.parent is None or dead.users:
            continue
        operands = [o for o in dead.operands if isinstance(o, Instruction)]
        dead.erase()
        pending += [o for o in operands if o.opcode == "bitcast" or o.opcode in BIT_TRICKS]
