"""One choice between two numbers where a program has several.

NumPy's maximum of x and y asks whether one of them is nan, then which, else which is larger: three selects. All choose
between the same two, so one select does by a condition that is made of theirs. Backwards each select would hand its
adjoint on in two parts; and a running maximum is then one select by one condition.
"""

from __future__ import annotations

import math
from typing import TypeGuard

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Cmp, Instruction
from enzyme.engine.ir.module import Function
from enzyme.engine.ir.types import I1, FloatType
from enzyme.engine.ir.values import ConstFloat, ConstInt, Value

_ORDERED = ("oeq", "ogt", "oge", "olt", "ole", "one")
_MOST = 8  # selects that become one


def join_selects(function: Function) -> None:
    """Join every tree of selects of floats that has two different leaves."""
    for block in function.blocks:
        for select in reversed(list(block.instructions)):
            if select.parent is block and select.opcode == "select":
                _join(select)


def _join(select: Instruction) -> None:
    if not isinstance(select.type, FloatType) or select.flags:
        return
    inner = _inner(select)
    if not inner:
        return
    leaves = dict.fromkeys(
        arm for one in (select, *inner) for arm in one.operands[1:] if arm not in inner
    )
    if len(leaves) > 2:
        return
    first, *others = leaves
    made: Value = first
    for second in others:
        b = Builder()
        b.before(select)
        made = b.select(_condition(b, select, first, inner), first, second, select.name)
    select.replace_uses_with(made)
    for one in (select, *inner):
        one.erase()


def _inner(select: Instruction) -> dict[Instruction, None]:
    """The selects that only this one and each other use, users before operands."""
    found: dict[Instruction, None] = {}
    pending = [select]
    while pending and len(found) < _MOST:
        for arm in pending.pop().operands[1:]:
            if (
                isinstance(arm, Instruction)
                and arm.opcode == "select"
                and arm.parent is select.parent
                and len(arm.users) == 1
                and not arm.flags
            ):
                found[arm] = None
                pending.append(arm)
    return found


def _condition(
    b: Builder, value: Value, first: Value, inner: dict[Instruction, None], outermost: bool = True
) -> Value:
    """Does the tree of selects choose its first leaf?"""
    if not isinstance(value, Instruction) or not (outermost or value in inner):
        return ConstInt(I1, value is first)
    condition, then, other = value.operands
    chosen, rest = (_condition(b, arm, first, inner, False) for arm in (then, other))
    if isinstance(chosen, ConstInt) and isinstance(rest, ConstInt):
        if chosen.value == rest.value:
            return chosen
        return condition if chosen.value else b.not_(condition)
    if _is_nan_of(chosen, condition) and _orders(rest, condition):
        return b.binary("or", chosen, rest)  # either settles which
    return b.select(condition, chosen, rest)


def _is_nan_of(value: Value, either: Value) -> bool:
    """Does `value` ask whether one of the two numbers is nan of which `either` asks whether any is?"""
    if not (_asks(value, ("uno",)) and _asks(either, ("uno",))):
        return False
    assert isinstance(either, Cmp)
    number, other = value.operands
    is_number = isinstance(other, ConstFloat) and not math.isnan(other.value)
    return number in either.operands and (other is number or is_number)


def _orders(value: Value, either: Value) -> bool:
    """Does `value` compare the same two numbers, and is it false where one of them is nan?"""
    if not (_asks(value, _ORDERED) and isinstance(either, Cmp)):
        return False
    return set(value.operands) == set(either.operands)


def _asks(value: Value, predicates: tuple[str, ...]) -> TypeGuard[Cmp]:
    return isinstance(value, Cmp) and value.opcode == "fcmp" and value.predicate in predicates
