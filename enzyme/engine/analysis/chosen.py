"""Addresses that control flow or a condition chooses, only to read or write there.

LLVM joins `x[0]` and `box.c` of two arms to one load from a chosen address.  What stands at that address is alike in
both objects; what else stands in them is not.
"""

from __future__ import annotations

from enzyme.engine.analysis.addresses import is_gep
from enzyme.engine.ir.instructions import Instruction, Load, Store
from enzyme.engine.ir.types import FloatType, IntType
from enzyme.engine.ir.values import Value

_COUNTS = frozenset("add sub mul sdiv srem sext icmp sitofp uitofp getelementptr".split())


def arms_of(choice: Instruction) -> list[Value]:
    """What a phi or a select chooses from."""
    return choice.operands[choice.opcode == "select" :]


def is_chosen_place(choice: Instruction) -> bool:
    """Is this a phi or a select of several pointers, only to load or store floats, pointers and counts there?

    A pointer that walks through an object or a list of them, chosen from an earlier value of itself, is none.  Nor is
    one behind which bits stand that may be anything: what they are is told by the objects alone.
    """
    return (
        choice.type.is_pointer
        and len(set(arms_of(choice))) > 1
        and _is_only_accessed(choice, set(), set())
        and not comes_from_itself(choice)
    )


def comes_from_itself(choice: Instruction) -> bool:
    """Is the pointer chosen from an earlier value of itself?"""
    pending, seen = arms_of(choice), set[Value]()
    while pending:
        value = pending.pop()
        if value is choice:
            return True
        if isinstance(value, Instruction) and value not in seen:
            seen.add(value)
            if value.opcode in ("phi", "select"):
                pending.extend(arms_of(value))
            elif isinstance(value, Load) or is_gep(value):
                pending.append(value.operands[0])
    return False


def _is_only_accessed(pointer: Instruction, way: set[Value], known: set[Value]) -> bool:
    """`way` led here from the choice; all ways from what is in `known` end in accesses."""
    if pointer in known:
        return True
    if pointer in way or pointer.type.is_vector:
        return False
    way.add(pointer)
    for user in pointer.users:
        if isinstance(user, Load):
            if not (_tells(user) or _is_counted(user)):
                return False
        elif isinstance(user, Store):
            if user.value is pointer or not _tells(user.value):
                return False
        elif is_gep(user) or user.opcode in ("phi", "select"):
            if not _is_only_accessed(user, way, known):
                return False
        elif user.opcode != "icmp":
            return False
    way.discard(pointer)
    known.add(pointer)
    return True


def _tells(value: Value) -> bool:
    """Does LLVM's type say what the bits are?"""
    return value.type.is_pointer or isinstance(value.type.scalar, FloatType)


def _is_counted(load: Load) -> bool:
    """Is this an integer that is used as one, whole?"""
    return isinstance(load.type, IntType) and all(u.opcode in _COUNTS for u in load.users)
