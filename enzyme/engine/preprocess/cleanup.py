"""Drop what would be wrong or useless in a derivative: debug records, lifetimes, assumptions, dead blocks.

A lifetime marker would end the life of memory that the reverse pass still reads; `llvm.assume` and alias scopes
of inlined callees speak of the primal alone. So does metadata of kinds that nobody here knows: numba's marks blocks
that raise, where its pass over reference counts takes it that nothing is released. A derivative releases there.
"""

from __future__ import annotations

from enzyme.engine.derivatives.casts import rewrite_float_bits
from enzyme.engine.derivatives.result_pointers import expand_all
from enzyme.engine.ir.dispatch import Dispatch
from enzyme.engine.ir.instructions import Call, Instruction
from enzyme.engine.ir.module import Function
from enzyme.engine.ir.opcodes import METADATA
from enzyme.engine.ir.simplify import remove_dead, remove_unreachable_blocks
from enzyme.engine.ir.values import poison_of
from enzyme.engine.preprocess.poison_lanes import separate_lanes

DROPPED_CALLS = (
    "llvm.dbg.",
    "llvm.lifetime.",
    "llvm.assume",
    "llvm.experimental.noalias.scope.decl",
    "llvm.invariant.",
    "llvm.stacksave",
    "llvm.stackrestore",
)
DROPPED_METADATA: Dispatch[bool] = Dispatch(
    "cleanup",
    "what is told of the primal alone is dropped; what is ignored stays as it is",
    METADATA,
    dict.fromkeys(
        "alias.scope noalias invariant.load nonnull noundef range invariant.group".split(), True
    ),
    ignored="""
    dbg tbaa tbaa.struct align dereferenceable dereferenceable_or_null nontemporal
    llvm.access.group llvm.loop fpmath prof unpredictable callees srcloc annotation
    """.split(),
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
            if isinstance(instruction, Call) and instruction.head == "musttail":
                instruction.head = "tail"
            dropped = DROPPED_METADATA.handlers
            for kind in [k for k in instruction.metadata if k not in METADATA or dropped.get(k)]:
                del instruction.metadata[kind]
    rewrite_float_bits(function)
    expand_all(function)
    separate_lanes(function)
    remove_dead(function)


def _is_dropped(instruction: Instruction) -> bool:
    if isinstance(instruction, Call):
        return instruction.callee_name.startswith(DROPPED_CALLS)
    return instruction.opcode.startswith(("#dbg", "dbg"))
