"""What both modes say of instructions that are not about numbers, or only about their bits."""

from __future__ import annotations

from enzyme.engine.analysis.activity_result import ActivityResult
from enzyme.engine.ir.dispatch import Refused
from enzyme.engine.ir.instructions import Aggregate, Instruction
from enzyme.engine.ir.opcodes import BINARY_INT, opcodes
from enzyme.engine.synthesis.failures import unsupported
from enzyme.errors import EnzymeNoDerivativeError

# Addresses, decisions and integers of numbers; what they do to memory `shadows` sees to.
WITHOUT_NUMBERS = (
    *opcodes("debug records"),
    *"icmp fcmp fptosi fptoui ptrtoint ptrtoaddr inttoptr addrspacecast alloca".split(),
    *"getelementptr fence br switch ret unreachable atomicrmw cmpxchg".split(),
)
REFUSED_BEFORE = dict.fromkeys(
    ("invoke", "callbr", "indirectbr", "va_arg", *opcodes("exceptions")), "constructs"
)
ON_BITS = {
    opcode: Refused(
        EnzymeNoDerivativeError, f"the operation '{opcode}' on the bits of a float, if active"
    )
    for opcode in sorted(BINARY_INT | {"trunc", "zext", "sext", "uitofp", "sitofp"})
}
AS_ANOTHER = "of one float to another type"
IN_MEMBERS = "of an integer member that holds a float"


def on_bits(i: Instruction) -> EnzymeNoDerivativeError:
    """What is left of integer arithmetic on the bits of a float (`rewrite_float_bits` took the known tricks)."""
    return unsupported(i, f"the operation '{i.opcode}' on the bits of a float")


def check_members(i: Instruction, activity: ActivityResult) -> None:
    """A derivative has the layout of its primal: no place for a float where an integer member is."""
    if isinstance(i, Aggregate):
        member = i if i.opcode == "extractvalue" else i.operands[1]
        if member.type.is_int and activity.is_active(member):
            raise unsupported(i, "the bits of a float in an integer member of a struct or array")
