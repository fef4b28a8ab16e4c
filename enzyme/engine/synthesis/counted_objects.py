"""Objects whose references are counted: which calls make them, change the count, and what arenas are told of them."""

from __future__ import annotations

from enzyme.engine.analysis.known_functions import lookup_known, runtime_of
from enzyme.engine.ir.instructions import Call, Instruction
from enzyme.engine.ir.known_function import COUNTED, KnownFunction
from enzyme.engine.ir.module import Function
from enzyme.engine.synthesis.arena import HOLDER, OWNER, UNESCAPED


def is_counted(call: Call) -> bool:
    """Does it make an object whose references are counted?"""
    known = lookup_known(call)
    return known is not None and known.returns == COUNTED


def is_holdable(call: Call) -> bool:
    """Does it make one whose shadow can be made, which an arena may hold?"""
    known = lookup_known(call)
    return known is not None and known.returns == COUNTED and is_sized(known)


def is_sized(known: KnownFunction) -> bool:
    """Is the size of what it allocates known, so that a shadow can be made?"""
    return known.allocates and (known.size_operand is not None or known.zero_filled)


def tag_of(allocation: Call) -> int:
    """What the arena is told of an object that nobody outside can hold."""
    ends = runtime_of(allocation).ends
    if any(isinstance(a, Function) and a.name in ends for a in allocation.arguments):
        return OWNER
    return HOLDER if _lets_go(allocation) else UNESCAPED


def _lets_go(allocation: Call) -> bool:
    """Does the object come with a function that releases what it refers to?"""
    return any(
        reference_change(i) < 0 or (isinstance(i.callee, Function) and not i.callee.is_declaration)
        for argument in allocation.arguments
        if isinstance(argument, Function)
        for i in argument.instructions()
        if isinstance(i, Call)
    )


def releases_many(i: Instruction) -> bool:
    """Does it give back as many references as it is told?"""
    known = lookup_known(i) if isinstance(i, Call) else None
    return known is not None and known.kind == "release_many"


def reference_change(i: Instruction) -> int:
    """By how much it changes the number of references to its operand."""
    known = lookup_known(i) if isinstance(i, Call) else None
    return 0 if known is None else {"retain": 1, "release": -1}.get(known.kind, 0)


__all__ = ["is_counted", "is_holdable", "is_sized", "reference_change", "releases_many", "tag_of"]
