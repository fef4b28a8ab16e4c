"""Is the memory behind the shadow of a pointer used: read, written or handed on?

To compare pointers, to free them, or to store them elsewhere needs nothing of it.
"""

from __future__ import annotations

from enzyme.engine.analysis.activity_result import ActivityResult, may_hold_pointer
from enzyme.engine.analysis.known_functions import lookup_known
from enzyme.engine.ir.instructions import Call, Instruction, Load, Store
from enzyme.engine.ir.values import Value

_MADE_OF = frozenset(
    "getelementptr bitcast addrspacecast select freeze phi extractvalue insertvalue"
    " extractelement insertelement shufflevector".split()
)
_NUMBERS = frozenset(("icmp", "ptrtoint"))
_LEFT_ALONE = frozenset(("free", "hold", "inactive", "pure"))


def is_used(pointer: Instruction, activity: ActivityResult) -> bool:
    """May the derivative go through the shadow of `pointer`?"""
    pending: list[Value] = [pointer]
    seen = set(pending)
    while pending:
        value = pending.pop()
        for user in value.users:
            if user.opcode in _MADE_OF:
                if user not in seen:
                    seen.add(user)
                    pending.append(user)
            elif _goes_through(user, value, activity):
                return True
    return False


def _goes_through(user: Instruction, value: Value, activity: ActivityResult) -> bool:
    if user.opcode in _NUMBERS:
        return False
    if isinstance(user, Load):
        return activity.is_active(user) or (
            may_hold_pointer(user.type) and activity.has_shadow(user)
        )
    if isinstance(user, Store):
        return user.pointer is value
    if isinstance(user, Call):
        known = lookup_known(user)
        return known is None or known.kind not in _LEFT_ALONE
    return True
