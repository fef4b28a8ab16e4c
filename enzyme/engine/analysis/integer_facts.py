"""Integers that are not zero: because a comparison came out as it did, or because of how they are counted.

Python raises where something is divided by zero, and numba tests every divisor. LLVM turns the test of a float that
comes from an integer into one of the integer, of another that differs from it by a constant, or leaves it out where
the integer counts from one.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from typing import cast

from enzyme.engine.ir.instructions import Cmp, Instruction, Phi
from enzyme.engine.ir.types import IntType
from enzyme.engine.ir.values import ConstInt, Value

# How many steps back the sign of an integer is looked for.
_STEPS = 12


def excludes_zero(value: Value, facts: Iterable[tuple[Cmp, bool]]) -> bool:
    """Is the integer not zero where these comparisons came out like that?"""
    return any(
        test.opcode == "icmp" and _rules_out_zero(value, test, holds) for test, holds in facts
    )


def settled_by(test: Cmp) -> Value | None:
    """What a comparison of an integer with a constant says something of: it, or what it is but for a constant."""
    left, right = test.operands
    compares = isinstance(left.type, IntType) and isinstance(right, ConstInt)
    return _base(left)[0] if compares else None


def settles(value: Value) -> Iterator[Value]:
    """What is to be compared so that it is known whether the integer is zero."""
    return (base for base, _ in _zeros(value))


def _rules_out_zero(value: Value, test: Cmp, holds: bool) -> bool:
    """Would the comparison come out otherwise if the value were zero?"""
    tested = settled_by(test)
    if tested is None:
        return False
    left, right = test.operands
    distance = _base(left)[1]
    bits, constant = cast(IntType, left.type).bits, cast(ConstInt, right).value
    # Were the value zero, the base would be -offset.
    return any(
        base is tested and outcome(test.predicate, distance - offset, constant, bits) is not holds
        for base, offset in _zeros(value)
    )


def _base(value: Value) -> tuple[Value, int]:
    """An integer as another one that is no such sum, and a constant."""
    distance = 0
    while (sum_ := _sum(value)) is not None:
        value, distance = sum_[0], distance + sum_[1]
    return value, distance


def _sum(value: Value) -> tuple[Value, int] | None:
    """An integer as another one and a constant, modulo its size."""
    if not isinstance(value, Instruction) or len(value.operands) != 2:
        return None
    first, second = value.operands
    if not isinstance(second, ConstInt):
        return None
    if value.opcode == "add" or (value.opcode == "or" and "disjoint" in value.flags):
        return first, second.value
    return (first, -second.value) if value.opcode == "sub" else None


def _zeros(value: Value) -> Iterator[tuple[Value, int]]:
    """Integers and constants: the value is zero where one of these sums is, and nowhere else."""
    offset = 0
    yield value, offset
    while isinstance(value, Instruction):
        if (sum_ := _sum(value)) is not None:
            value, offset = sum_[0], offset + sum_[1]
        elif offset == 0 and _keeps_nonzero(value):
            value = value.operands[0]
        else:
            return
        yield value, offset


def _keeps_nonzero(value: Instruction) -> bool:
    """Is it zero only where its first operand is?"""
    if value.opcode in ("zext", "sext"):
        return True
    if "nsw" not in value.flags and "nuw" not in value.flags:
        return False
    factor = value.operands[-1]
    return value.opcode == "shl" or (
        value.opcode == "mul" and isinstance(factor, ConstInt) and factor.value != 0
    )


def outcome(predicate: str, left: int, right: int, bits: int) -> bool:
    """What ``icmp predicate`` of two numbers of so many bits gives."""
    left, right = left % (1 << bits), right % (1 << bits)
    if predicate[0] == "s":
        half = 1 << (bits - 1)
        left, right = left ^ half, right ^ half
    return _OUTCOMES[predicate[-2:]](left, right)


_OUTCOMES: dict[str, Callable[[int, int], bool]] = {
    name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")
}


# Counting -----------------------------------------------------------------------------------------


def is_counted_from_one(value: Value) -> bool:
    """Is the integer not zero because it starts like that and only grows, without wrapping?"""
    return _Signs().has(_NONZERO, value, _STEPS)


# What is known of an integer: the last two as a signed one.
_NONZERO, _POSITIVE, _NATURAL = range(3)


class _Signs:
    """What integers are like; a loop's phi is like that if it is before the loop and each round keeps it so."""

    def __init__(self) -> None:
        self.known: set[tuple[int, Value]] = set()

    def has(self, kind: int, value: Value, steps: int) -> bool:
        if isinstance(value, ConstInt):
            number = value.value
            return (
                number != 0
                if kind == _NONZERO
                else number > 0 or (number == 0 and kind == _NATURAL)
            )
        if (kind, value) in self.known:
            return True
        if not isinstance(value, Instruction) or steps == 0:
            return False
        if isinstance(value, Phi):
            # Each value that comes in is like that if those before it were.
            self.known.add((kind, value))
            if all(self.has(kind, v, steps - 1) for v in value.operands):
                return True
            # What was found may rest on what has turned out wrong.
            self.known.clear()
            return False
        if value.opcode == "sext":
            return self.has(kind, value.operands[0], steps - 1)
        if value.opcode == "zext":
            return kind == _NATURAL or self.has(_NONZERO, value.operands[0], steps - 1)
        return value.opcode == "add" and self._of_sum(kind, value, steps - 1)

    def _of_sum(self, kind: int, value: Instruction, steps: int) -> bool:
        one, other = value.operands
        if "nsw" in value.flags:
            natural = [self.has(_NATURAL, v, steps) for v in (one, other)]
            if all(natural):
                return kind == _NATURAL or any(self.has(_POSITIVE, v, steps) for v in (one, other))
        grows = kind == _NONZERO and "nuw" in value.flags
        return grows and any(self.has(_NONZERO, v, steps) for v in (one, other))


__all__ = ["excludes_zero", "is_counted_from_one", "outcome", "settled_by", "settles"]
