"""Sums that loops carry along, what they add up, and results that are only written."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from enzyme.engine.analysis.loops import Loop
from enzyme.engine.ir.graph import reached
from enzyme.engine.ir.instructions import Instruction, Load, Phi, Store
from enzyme.engine.ir.values import Argument, Value


def stores_unread(instructions: Iterable[Instruction], unread: Collection[Argument]) -> set[Store]:
    """The stores of numbers to memory that nobody reads, in this function or behind it."""
    alone = {argument for argument in unread if only_stored_to(argument)}
    return {i for i in instructions if isinstance(i, Store) and base_of(i.pointer) in alone}


def only_stored_to(argument: Argument) -> bool:
    """Does nothing but stores of numbers reach what a parameter points to?"""
    if not argument.has_attribute("noalias"):
        return False
    pending: list[Value] = [argument]
    while pending:
        pointer = pending.pop()
        for user in pointer.users:
            if user.opcode == "getelementptr":
                pending.append(user)
                continue
            numbers = isinstance(user, Store) and (
                user.value.type.is_float or user.value.type.is_int
            )
            if not numbers:
                return False
    return True


def base_of(pointer: Value) -> Value:
    """What an address is counted from."""
    while isinstance(pointer, Instruction) and pointer.opcode == "getelementptr":
        pointer = pointer.operands[0]
    return pointer


def sum_of(phi: Phi, loop: Loop) -> set[Instruction] | None:
    """The values on the way from a carried number back to itself, if its adjoint goes that way as it is.

    On each way through the loop it does so once: no term has the number in it a second time, whatever joins on the way
    is the number as well, and nothing else that is carried takes it in.
    """
    found: set[Instruction] = set()
    pending: list[Instruction] = [phi]
    while pending:
        value = pending.pop()
        if value in found:
            continue
        found.add(value)
        for user in value.users:
            if user.parent not in loop or user is phi:
                continue
            begins = isinstance(user, Phi) and user.parent is loop.header
            if begins or not (isinstance(user, Phi) or user.opcode in ("fadd", "fsub")):
                return None
            pending.append(user)
    for value in found:
        if value is phi:
            parts = [v for v, b in phi.incoming if b in loop]
        elif isinstance(value, Phi):
            parts = list(value.operands)
        else:
            first, second = value.operands
            if second in found or first not in found:
                if value.opcode == "fsub" or (first in found) == (second in found):
                    return None
            continue
        if any(v not in found for v in parts):
            return None
    return found


def is_looked_up(address: Value, loop: Loop) -> bool:
    """Is an address made from numbers that the loop reads?"""

    def step(value: Value) -> Iterable[Value]:
        return value.operands if isinstance(value, Instruction) and value.parent in loop else ()

    return any(isinstance(v, Load) and v.parent in loop for v in reached([address], step))
