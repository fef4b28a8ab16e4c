"""Drop what would be wrong or useless in a derivative: debug records, lifetimes, assumptions, dead blocks.

A lifetime marker would end the life of memory that the reverse pass still reads; `llvm.assume` and alias scopes
of inlined callees speak of the primal alone.
"""

from __future__ import annotations

from enzyme.engine.derivatives.casts import rewrite_float_bits
from enzyme.engine.derivatives.result_pointers import expand_all
from enzyme.engine.ir.instructions import Call, Instruction
from enzyme.engine.ir.module import Function
from enzyme.engine.ir.simplify import remove_dead, remove_unreachable_blocks
from enzyme.engine.ir.values import poison_of

DROPPED_CALLS = (
    "llvm.dbg.",
    "llvm.lifetime.",
    "llvm.assume",
    "llvm.experimental.noalias.scope.decl",
    "llvm.invariant.",
    "llvm.stacksave",
    "llvm.stackrestore",
)
DROPPED_METADATA = (
    "alias.scope",
    "noalias",
    "invariant.load",
    "nonnull",
    "noundef",
    "range",
    "invariant.group",
)


def clean_up(function: Function) -> None:
    """Clean one function in place."""
    remove_unreachable_blocks(function)
    for block in function.blocks:
        for instruction in list(block.instructions):
            if _is_dropped(instruction):
                if instruction.users:
                    instruction.replace_uses_with(poison_of(instruction.type))
                instruction.erase()
                continue
            for kind in DROPPED_METADATA:
                instruction.metadata.pop(kind, None)
    rewrite_float_bits(function)
    expand_all(function)
    remove_dead(function)


def _is_dropped(instruction: Instruction) -> bool:
    if isinstance(instruction, Call):
        return instruction.callee_name.startswith(DROPPED_CALLS)
    return instruction.opcode.startswith(("#dbg", "dbg"))
