"""Addresses that control flow or a condition chooses, only to read or write there.

LLVM joins `x[0]` and `box.c` of two arms to one load from a chosen address.  What stands at that address is alike in
both objects; what else stands in them is not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeGuard

from enzyme.engine.analysis.addresses import gep_steps, is_gep
from enzyme.engine.analysis.known_functions import lookup_known
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.dispatch import Selection
from enzyme.engine.ir.instructions import Call, Gep, Instruction, Load, Store
from enzyme.engine.ir.types import I1, FloatType, IntType
from enzyme.engine.ir.values import ConstInt, Value, wrapped

_MANY = 64
_FEW = 4
_COUNT_REFERENCES = frozenset("retain release release_many hint".split())
COUNTS = Selection(
    "types",
    "a loaded integer is used as a count",
    "add sub mul sdiv srem sext icmp sitofp uitofp getelementptr".split(),
)


def arms_of(choice: Instruction) -> list[Value]:
    """What a phi or a select chooses from."""
    return choice.operands[choice.opcode == "select" :]


def is_chosen_place(choice: Instruction) -> bool:
    """Is this a phi or a select of several pointers, only to load or store floats and counts there?

    A pointer that walks through an object or a list of them, chosen from an earlier value of itself, is none.  Nor is
    one behind which bits stand that may be anything: what they are is told by the objects alone.
    """
    arms = {arm for arm in arms_of(choice) if arm.tracks_users}  # undefined ones say nothing
    if not choice.type.is_pointer or len(arms) < 2:
        return False
    made = _made_of(choice, lambda user: is_choice(user) or is_gep(user), _is_access)
    return bool(made) and not any(comes_from_itself(m) for m in made if is_choice(m))


def chosen_distances(gep: Gep, layout: DataLayout) -> list[int] | None:
    """The bytes that an address is away from its base, if they are one of a few constants that a condition chooses."""
    found = gep_steps(gep, layout)
    if found is None or len(found[2]) != 1:
        return None
    _, constant, ((scale, index),) = found
    numbers = _numbers_of(index, _FEW)
    return None if numbers is None else [wrapped(constant + scale * n) for n in numbers]


def _numbers_of(index: Value, depth: int) -> list[int] | None:
    """The constants that a number is chosen from."""
    if isinstance(index, ConstInt):
        return [index.value]
    if not isinstance(index, Instruction) or not depth:
        return None
    if index.opcode == "zext" and index.operands[0].type is I1:
        return [0, 1]
    if index.opcode not in ("select", "phi", "zext"):
        return None
    arms = arms_of(index) if is_choice(index) else list(index.operands)
    found: dict[int, None] = {}
    for arm in arms:
        numbers = _numbers_of(arm, depth - 1)
        if numbers is None:
            return None
        found.update(dict.fromkeys(numbers))
    return list(found) if len(found) <= _FEW else None


def is_told_place(choice: Instruction, told: Callable[[Instruction], bool]) -> bool:
    """The same where tags tell what is accessed: is all that is loaded or stored there `told`?

    A link of a node may be chosen from the links of several: the nodes do not lie at one another's links.
    """
    if not choice.type.is_pointer:
        return False
    made = _made_of(
        choice,
        lambda user: is_choice(user) or is_gep(user),
        lambda user: user.opcode == "icmp" or (isinstance(user, (Load, Store)) and told(user)),
    )
    return bool(made) and not any(
        isinstance(user, Store) and user.value is pointer
        for pointer in made
        for user in pointer.users
    )


def is_only_counted(choice: Instruction) -> bool:
    """Is this a phi or a select of pointers of which only references are counted?  Its objects need not be alike.

    LLVM joins the releases of two objects, of whatever types, to one where control flow meets.
    """
    return choice.type.is_pointer and bool(_made_of(choice, is_choice, _counts_references))


def _counts_references(user: Instruction) -> bool:
    known = lookup_known(user) if isinstance(user, Call) else None
    return known is not None and known.kind in _COUNT_REFERENCES


def is_choice(value: Value) -> TypeGuard[Instruction]:
    return isinstance(value, Instruction) and value.opcode in ("phi", "select")


def comes_from_itself(choice: Instruction) -> bool:
    """Is the pointer chosen from an earlier value of itself?  True also where that takes long to find out."""
    pending, seen = arms_of(choice), set[Value]()
    while pending:
        value = pending.pop()
        if value is choice or len(seen) > _MANY:
            return True
        if isinstance(value, Instruction) and value not in seen:
            seen.add(value)
            if is_choice(value):
                pending.extend(arms_of(value))
            elif isinstance(value, Load) or is_gep(value):
                pending.append(value.operands[0])
    return False


def _made_of(
    choice: Instruction,
    goes_on: Callable[[Instruction], bool],
    ends: Callable[[Instruction], bool],
) -> list[Instruction]:
    """The pointer and what is made of it; empty if there are many or one is used for more than what `ends`."""
    made = [choice]
    for pointer in made:
        for user in pointer.users:
            if goes_on(user):
                if user not in made:
                    made.append(user)
            elif not ends(user):
                return []
        if len(made) > _MANY or pointer.type.is_vector:
            return []
    return made


def _is_access(user: Instruction) -> bool:
    if isinstance(user, Load):
        return _is_float(user) or _is_counted(user)
    if isinstance(user, Store):
        return _is_float(user.value)
    return user.opcode == "icmp"


def _is_float(value: Value) -> bool:
    return isinstance(value.type.scalar, FloatType)


def _is_counted(load: Load) -> bool:
    """Is this an integer that is used as one, whole?"""
    return isinstance(load.type, IntType) and all(u.opcode in COUNTS for u in load.users)
