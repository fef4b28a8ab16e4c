"""Intrinsics that hand out a pointer are written as what they do: the pointer itself, or so many bytes away from it.

What follows pointers need not know them then, and the shadow is as far from its object as the primal is: an address
rounded down to a boundary has a shadow that need not lie on one.
"""

from __future__ import annotations

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Module
from enzyme.engine.ir.types import I8
from enzyme.engine.ir.values import Value

# They return operand 0 and tell the optimiser something.
_THE_SAME = (
    "llvm.launder.invariant.group.",
    "llvm.strip.invariant.group.",
    "llvm.ssa.copy.",
    "llvm.ptr.annotation.",
    "llvm.threadlocal.address.",
)
_MASK = "llvm.ptrmask."


def write_plain_pointers(module: Module) -> None:
    """Replace these calls in the whole module; those on vectors of masked pointers stay."""
    laundered = False
    for function in module.functions.values():
        for call in [i for i in function.instructions() if isinstance(i, Call)]:
            if call.callee_name.startswith(_THE_SAME):
                laundered = True
                call.replace_uses_with(call.arguments[0])
            elif call.callee_name.startswith(_MASK) and call.type.is_pointer:
                call.replace_uses_with(_masked(call))
            else:
                continue
            call.erase()
    if laundered:
        _forget_groups(module)


def _masked(call: Call) -> Value:
    pointer, mask = call.arguments
    b = Builder()
    b.before(call)
    return b.gep(I8, pointer, [distance_of_mask(b, "and", pointer, mask)], call.name)


def distance_of_mask(b: Builder, opcode: str, pointer: Value, mask: Value) -> Value:
    """How far an address is from what such an operation on its bits makes of it."""
    address = b.cast("ptrtoint", pointer, mask.type)
    return b.isub(b.binary(opcode, address, mask), address)


def _forget_groups(module: Module) -> None:
    """Nothing keeps the groups of loads apart any more."""
    for function in module.functions.values():
        for instruction in function.instructions():
            instruction.metadata.pop("invariant.group", None)
