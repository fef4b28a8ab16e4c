"""Addresses that are numbers in between are addresses throughout.

LLVM merges the pointers of a `std::vector` as one vector of integers; programs round addresses up, or walk through
memory by a number. The number becomes the pointer that is as far from the one that it was made of, and what follows
pointers follows it. Numbers that come from memory are not looked through.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Instruction, Phi
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.types import I8, I64, PTR
from enzyme.engine.ir.values import ConstInt, Value, poison_of, zero_of
from enzyme.engine.preprocess.lanes import behind, is_undefined
from enzyme.engine.preprocess.plain_pointers import distance_of_mask

# Bits below these tell where in a page an address is; a number that keeps the others is near it.
_PAGE = 4096
_MOST_VALUES = 40
# Through which operations a number is followed to the address that it is made of.
_MADE = frozenset({"phi", "select", "add", "sub", "and", "or", "xor"})
# The masks after which it is still in that page.
_NEAR = {"and": range(-_PAGE, 0), "or": range(_PAGE), "xor": range(_PAGE)}
_SOME_NUMBER = ConstInt(I64, 1)
_ARITHMETIC = _MADE | {
    "mul",
    "shl",
    "lshr",
    "ashr",
    "sdiv",
    "udiv",
    "srem",
    "urem",
    "zext",
    "sext",
    "trunc",
}


def follow_numbers(module: Module) -> None:
    """Rewrite the numbers that become addresses, in the whole module."""
    for function in module.functions.values():
        _follow(function)


def _follow(function: Function) -> None:
    numbers = _Numbers()
    for pointer in [i for i in function.instructions() if i.opcode == "inttoptr" and i.type is PTR]:
        if _is_address(pointer.operands[0]):
            pointer.replace_uses_with(numbers.pointer(pointer.operands[0]))
            pointer.erase()
    numbers.replace()


def _is_address(number: Value) -> bool:
    """Is it made of addresses alone, and of how far it is from them?"""
    found, pending, seen = False, [number], {number}
    while pending:
        inner = pending.pop()
        if _is_pointer(inner):
            found = True
        elif _is_made(inner):
            new = [o for o in _origins(inner) if o not in seen]
            pending += new
            seen.update(new)
        elif not _is_null(inner):
            return False
        if len(seen) > _MOST_VALUES:
            return False
    return found


class _Numbers:
    """The pointers that numbers are."""

    def __init__(self) -> None:
        self.known: dict[Value, Value] = {}

    def pointer(self, number: Value) -> Value:
        """The pointer of a number that is an address."""
        if number not in self.known:
            if not isinstance(number, Instruction):
                return poison_of(PTR) if is_undefined(number) else zero_of(PTR)
            if number.opcode == "ptrtoint":
                return number.operands[0]
            made = self._of_phi(number) if isinstance(number, Phi) else self._made(number)
            self.known[number] = made
        return self.known[number]

    def _of_phi(self, number: Phi) -> Phi:
        made = Phi(PTR)
        assert number.parent is not None
        number.parent.insert(0, made)
        self.known[number] = made
        for value, source in number.incoming:
            made.add_incoming(self.pointer(value), source)
        return made

    def _made(self, number: Instruction) -> Value:
        if number.opcode == "select":
            then, other = (self.pointer(value) for value in number.operands[1:])
            return behind(number).select(number.operands[0], then, other)
        address, other = _parts(number)
        base = self.pointer(address)
        b = behind(number)
        return b.gep(I8, base, [_distance(b, _operation(number), base, other)])

    def replace(self) -> None:
        """Nobody uses the numbers any more but as what their pointers are."""
        numbers = [n for n in self.known if isinstance(n, Instruction)]
        for number in numbers:
            if number.users:
                pointer = self.known[number]
                place = behind(pointer if isinstance(pointer, Instruction) else number)
                number.replace_uses_with(place.cast("ptrtoint", pointer, I64))
        for number in numbers:
            number.erase()


def _is_made(number: Value) -> TypeGuard[Instruction]:
    return isinstance(number, Instruction) and number.type is I64 and number.opcode in _MADE


def _is_pointer(number: Value) -> bool:
    return (
        isinstance(number, Instruction)
        and number.opcode == "ptrtoint"
        and number.operands[0].type is PTR
    )


def _is_null(number: Value) -> bool:
    return is_undefined(number) or (isinstance(number, ConstInt) and number.value == 0)


def _origins(number: Instruction) -> Sequence[Value]:
    """The numbers one of which it is, or from which it is not far; another number where nobody can tell."""
    if isinstance(number, Phi):
        return [value for value, _ in number.incoming]
    if number.opcode == "select":
        return number.operands[1:]
    address, other = _parts(number)
    if _operation(number) in _NEAR:
        followed = isinstance(other, ConstInt) and other.value in _NEAR[_operation(number)]
    else:
        followed = not _has_pointer(other)
    return (address,) if followed else (_SOME_NUMBER,)


def _operation(number: Instruction) -> str:
    """An addition may be written as the union of bits."""
    return "add" if "disjoint" in number.flags else number.opcode


def _parts(number: Instruction) -> tuple[Value, Value]:
    """The address, and what is added to it or masks it."""
    left, right = number.operands
    if _operation(number) == "add" and _has_pointer(right):
        return right, left
    return left, right


def _has_pointer(number: Value) -> bool:
    """Is a number of an address among what it is computed from?"""
    pending, seen = [number], {number}
    while pending:
        inner = pending.pop()
        if _is_pointer(inner) or len(seen) > _MOST_VALUES:
            return True
        if isinstance(inner, Instruction) and inner.opcode in _ARITHMETIC:
            new = [o for o in inner.operands if o not in seen]
            pending += new
            seen.update(new)
    return False


def _distance(b: Builder, opcode: str, base: Value, other: Value) -> Value:
    """How far the result is from the address that goes in."""
    if opcode == "add":
        return other
    if opcode == "sub":
        return b.isub(ConstInt(I64, 0), other)
    return distance_of_mask(b, opcode, base, other)
