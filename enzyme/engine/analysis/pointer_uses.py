"""What becomes of a pointer at its users, and what a pointer is made of: the tables of `objects`."""

from __future__ import annotations

from collections.abc import Callable

from enzyme.engine.ir.dispatch import Dispatch
from enzyme.engine.ir.instructions import Aggregate, Instruction
from enzyme.engine.ir.opcodes import ATOMICS, CONSTANTS, INSTRUCTIONS, opcodes
from enzyme.engine.ir.values import Constant, ConstExpr, Value, kind_of

_CASTS = ("bitcast", "addrspacecast")
_LANES = ("insertelement", "extractelement", "shufflevector")
# What gives one of its operands, or each, as it is.
COPIES = frozenset((*_CASTS, "phi", "select", "freeze"))

# Uses.
FOLLOWED = "goes on in the result"
LOADED = "is read through"
STORED = "is written down, or through"
PASSED = "is passed on"
RETURNED = "is returned"
SWAPPED = "is exchanged"
NUMBERED = "becomes a number"
AWAY = "is given away"


def copied(value: Value) -> list[Value]:
    """The pointers that a copy may be."""
    assert isinstance(value, (Instruction, ConstExpr))
    return list(value.operands[value.opcode == "select" :])


def parts(value: Value) -> list[Value]:
    """The operands that may hold pointers."""
    return [
        v
        for v in value.operands  # type: ignore[attr-defined]
        if not v.type.is_int and not v.type.is_float
    ]


def _extracted(part: Value) -> list[Value]:
    assert isinstance(part, Aggregate)
    whole, indices = part.operands[0], part.indices
    while isinstance(whole, Aggregate) and whole.opcode == "insertvalue":
        if whole.indices == indices:
            return [whole.operands[1]]
        length = min(len(indices), len(whole.indices))
        if whole.indices[:length] == indices[:length]:
            break
        whole = whole.operands[0]
    return [whole]


def _base(value: Value) -> list[Value]:
    return [value.operands[0]]  # type: ignore[attr-defined]


def _aliasee(value: Value) -> list[Value]:
    return [value.aliasee]  # type: ignore[attr-defined]


def _nothing(value: Value) -> list[Value]:
    return []


Step = Callable[[Value], list[Value]]

# What is ignored may give a pointer to anything; loads, calls and what makes objects are told apart by `Objects`.
ORIGINS: Dispatch[Step] = Dispatch(
    "origins",
    "from which pointers it makes one; to anything, if ignored",
    INSTRUCTIONS,
    {
        **dict.fromkeys(COPIES, copied),
        **dict.fromkeys(("insertvalue", *_LANES), parts),
        **dict.fromkeys(("load", "call", "invoke", "callbr", "alloca"), _nothing),
        "extractvalue": _extracted,
        "getelementptr": _base,
    },
    ignored=(
        *opcodes("integer arithmetic", "float arithmetic", "control flow", "debug records"),
        *opcodes("casts").difference(COPIES),
        *"icmp fcmp store atomicrmw cmpxchg fence va_arg".split(),
        *opcodes("exceptions"),
    ),
)

CONSTANT_ORIGINS: Dispatch[Step] = Dispatch(
    "origins",
    ORIGINS.does,
    CONSTANTS,
    {
        **dict.fromkeys(
            ("aggregate", "splat", "extractelement", "insertelement", "shufflevector"), parts
        ),
        **dict.fromkeys(("null", "undef", "poison", "zeroinitializer", "none"), _nothing),
        **dict.fromkeys(("variable", "function"), _nothing),
        **dict.fromkeys(("getelementptr", *_CASTS), _base),
        "alias": _aliasee,
    },
    ignored=(
        *"integer float string blockaddress dso_local_equivalent no_cfi ptrauth asm".split(),
        *"metadata ptrtoint ptrtoaddr inttoptr trunc add sub xor".split(),
    ),
)

USES: Dispatch[str] = Dispatch(
    "escapes",
    "what becomes of a pointer that it is given",
    INSTRUCTIONS,
    {
        **dict.fromkeys((*COPIES, *_LANES, "getelementptr", "insertvalue"), FOLLOWED),
        **dict.fromkeys(ATOMICS, SWAPPED),
        **dict.fromkeys(("call", "invoke", "callbr"), PASSED),
        "extractvalue": FOLLOWED,
        "load": LOADED,
        "store": STORED,
        "ret": RETURNED,
        "ptrtoint": NUMBERED,
        # Numbers beside a pointer in an aggregate are followed with it; their users end that.
        **dict.fromkeys(
            (
                *opcodes("integer arithmetic", "float arithmetic", "exceptions", "debug records"),
                *opcodes("casts").difference((*_CASTS, "ptrtoint")),
                *"fcmp alloca fence va_arg br switch indirectbr unreachable".split(),
            ),
            AWAY,
        ),
    },
    ignored=("icmp",),
)


def step_of(value: Value) -> Step | None:
    """How to go on from a value to the pointers that it is made of; None where that is not known."""
    if isinstance(value, Instruction):
        return ORIGINS.handlers[value.opcode]
    return CONSTANT_ORIGINS.handlers.get(kind_of(value)) if isinstance(value, Constant) else None
