"""What the model of the IR can hold: instructions, constants, and metadata at instructions.

Every stage says of each entry what it does with it (`dispatch.Dispatch`), so an entry that is added here has to be
answered for everywhere.  Operands are written as letters, joined by blanks: ``i`` integer, ``f`` float, ``p`` pointer,
``c`` condition, ``v`` any value, ``g`` aggregate, ``x`` vector, ``b`` block, ``t`` token; ``*`` as often as it comes,
``?`` may be missing.  Arithmetic, casts and comparisons work lane by lane on vectors, too.
"""

from __future__ import annotations

from dataclasses import dataclass

PURE = "pure"
READS = "reads"
WRITES = "writes"
CALLS = "calls"
CONTROL = "control"
ORDERS = "orders"
DESCRIBES = "describes"


@dataclass(frozen=True, slots=True)
class Opcode:
    """An instruction: `model` is the class of the model that holds it, `effect` what it does beside its result.

    `PURE` nothing, `READS` and `WRITES` memory, `CALLS` whatever the callee does, `CONTROL` it ends a block, `ORDERS`
    it keeps others from moving, `DESCRIBES` it tells a debugger something.
    """

    name: str
    group: str
    operands: str
    result: str = ""
    effect: str = PURE
    model: str = "Instruction"

    @property
    def is_terminator(self) -> bool:
        return self.effect == CONTROL


@dataclass(frozen=True, slots=True)
class ConstantKind:
    """A constant: `is_expression` if it computes something of `operands`."""

    name: str
    model: str
    operands: str = ""
    result: str = "v"
    is_expression: bool = False


@dataclass(frozen=True, slots=True)
class MetadataKind:
    """What a node at an instruction tells LLVM."""

    name: str
    tells: str


def _of(group: str, names: str, operands: str, result: str = "", **more: str) -> tuple[Opcode, ...]:
    return tuple(Opcode(name, group, operands, result, **more) for name in names.split())


_OPCODES = (
    *_of("integer arithmetic", "add sub mul udiv sdiv urem srem", "i i", "i"),
    *_of("integer arithmetic", "shl lshr ashr and or xor", "i i", "i"),
    *_of("float arithmetic", "fadd fsub fmul fdiv frem", "f f", "f"),
    *_of("float arithmetic", "fneg", "f", "f"),
    *_of("comparison and choice", "icmp", "v v", "c", model="Cmp"),
    *_of("comparison and choice", "fcmp", "f f", "c", model="Cmp"),
    *_of("comparison and choice", "select", "c v v", "v"),
    *_of("comparison and choice", "phi", "v*", "v", model="Phi"),
    *_of("comparison and choice", "freeze", "v", "v"),
    *_of("casts", "trunc zext sext", "i", "i"),
    *_of("casts", "fptrunc fpext", "f", "f"),
    *_of("casts", "fptoui fptosi", "f", "i"),
    *_of("casts", "uitofp sitofp", "i", "f"),
    *_of("casts", "ptrtoint ptrtoaddr", "p", "i"),
    *_of("casts", "inttoptr", "i", "p"),
    *_of("casts", "bitcast", "v", "v"),
    *_of("casts", "addrspacecast", "p", "p"),
    *_of("aggregates and vectors", "extractvalue", "g", "v", model="Aggregate"),
    *_of("aggregates and vectors", "insertvalue", "g v", "g", model="Aggregate"),
    *_of("aggregates and vectors", "extractelement", "x i", "v"),
    *_of("aggregates and vectors", "insertelement", "x v i", "x"),
    *_of("aggregates and vectors", "shufflevector", "x x x", "x"),
    *_of("memory", "alloca", "i?", "p", model="Alloca"),
    *_of("memory", "getelementptr", "p i*", "p", model="Gep"),
    *_of("memory", "load", "p", "v", effect=READS, model="Load"),
    *_of("memory", "store", "v p", effect=WRITES, model="Store"),
    *_of("memory", "atomicrmw", "p v", "v", effect=WRITES, model="Raw"),
    *_of("memory", "cmpxchg", "p v v", "g", effect=WRITES, model="Raw"),
    *_of("memory", "fence", "", effect=ORDERS, model="Raw"),
    *_of("memory", "va_arg", "p", "v", effect=WRITES),
    *_of("calls", "call", "v* p", "v?", effect=CALLS, model="Call"),
    *_of("calls", "invoke", "v* b b p", "v?", effect=CONTROL, model="Call"),
    *_of("calls", "callbr", "v* b b* p", "v?", effect=CONTROL, model="Call"),
    *_of("control flow", "ret", "v?", effect=CONTROL),
    *_of("control flow", "br", "c? b b?", effect=CONTROL),
    *_of("control flow", "switch", "i b v*", effect=CONTROL),
    *_of("control flow", "indirectbr", "p b*", effect=CONTROL),
    *_of("control flow", "unreachable", "", effect=CONTROL),
    *_of("exceptions", "resume", "v", effect=CONTROL),
    *_of("exceptions", "landingpad", "p*", "g", model="Raw"),
    *_of("exceptions", "cleanuppad catchpad", "t v*", "t", effect=ORDERS, model="Raw"),
    *_of("exceptions", "catchswitch", "t b*", "t", effect=CONTROL, model="Raw"),
    *_of("exceptions", "catchret", "t b", effect=CONTROL, model="Raw"),
    *_of("exceptions", "cleanupret", "t b?", effect=CONTROL, model="Raw"),
    *_of(
        "debug records",
        "#dbg_value #dbg_declare #dbg_declare_value #dbg_assign #dbg_label",
        "v*",
        effect=DESCRIBES,
        model="Raw",
    ),
)

INSTRUCTIONS: dict[str, Opcode] = {o.name: o for o in _OPCODES}


def opcodes(*groups: str, operands: str = "", result: str = "") -> frozenset[str]:
    """The opcodes of some groups, with these operands and this result if they are given."""
    return frozenset(
        o.name
        for o in _OPCODES
        if o.group in groups
        and (not operands or o.operands == operands)
        and (not result or o.result == result)
    )


BINARY_INT = opcodes("integer arithmetic")
BINARY_FLOAT = opcodes("float arithmetic", operands="f f")
CASTS = opcodes("casts")
FLOAT_CASTS = opcodes("casts", operands="f", result="f")
ATOMICS = frozenset(("atomicrmw", "cmpxchg"))
TERMINATORS = frozenset(o.name for o in _OPCODES if o.is_terminator)
DEBUG_RECORDS = opcodes("debug records")


def _expressions(names: str, operands: str, result: str) -> tuple[ConstantKind, ...]:
    return tuple(ConstantKind(n, "ConstExpr", operands, result, True) for n in names.split())


_CONSTANTS = (
    ConstantKind("integer", "ConstInt", result="i"),
    ConstantKind("float", "ConstFloat", result="f"),
    ConstantKind("null", "ConstSimple", result="p"),
    ConstantKind("undef", "ConstSimple"),
    ConstantKind("poison", "ConstSimple"),
    ConstantKind("zeroinitializer", "ConstSimple"),
    ConstantKind("none", "ConstSimple", result="t"),
    ConstantKind("string", "ConstString", result="g"),
    ConstantKind("aggregate", "ConstAggregate", "v*", "g"),
    ConstantKind("splat", "ConstSplat", "v", "x"),
    ConstantKind("variable", "GlobalVariable", result="p"),
    ConstantKind("function", "Function", result="p"),
    ConstantKind("alias", "GlobalAlias", result="p"),
    ConstantKind("blockaddress", "RawConstant", result="p"),
    ConstantKind("dso_local_equivalent", "RawConstant", result="p"),
    ConstantKind("no_cfi", "RawConstant", result="p"),
    ConstantKind("ptrauth", "RawConstant", result="p"),
    ConstantKind("asm", "RawConstant", result="p"),
    ConstantKind("metadata", "MetadataOperand", "v?", "v"),
    *_expressions("getelementptr", "p i*", "p"),
    *_expressions("ptrtoint ptrtoaddr", "p", "i"),
    *_expressions("inttoptr", "i", "p"),
    *_expressions("addrspacecast", "p", "p"),
    *_expressions("bitcast", "v", "v"),
    *_expressions("trunc", "i", "i"),
    *_expressions("add sub xor", "i i", "i"),
    *_expressions("extractelement", "x i", "v"),
    *_expressions("insertelement", "x v i", "x"),
    *_expressions("shufflevector", "x x x", "x"),
)

CONSTANTS: dict[str, ConstantKind] = {c.name: c for c in _CONSTANTS}

METADATA: dict[str, MetadataKind] = {
    name: MetadataKind(name, tells)
    for name, tells in {
        "dbg": "the line of the source",
        "tbaa": "the kind of what is accessed",
        "tbaa.struct": "the kinds of what is copied",
        "range": "the values that an integer has",
        "nonnull": "a loaded pointer is not null",
        "noundef": "a loaded value is not undefined",
        "align": "the alignment behind a loaded pointer",
        "dereferenceable": "the bytes behind a loaded pointer",
        "dereferenceable_or_null": "the bytes behind a loaded pointer, if it is not null",
        "invariant.load": "memory that never changes",
        "invariant.group": "accesses that read the same",
        "nontemporal": "memory that is not soon used again",
        "alias.scope": "the scopes that an access belongs to",
        "noalias": "the scopes that it does not overlap with",
        "llvm.access.group": "accesses whose iterations are independent",
        "llvm.loop": "how a loop may be transformed",
        "fpmath": "how exact a float must be",
        "prof": "how often each way is taken",
        "unpredictable": "a choice that cannot be predicted",
        "callees": "the functions that may be called",
        "srcloc": "the line of inline assembly",
        "annotation": "remarks of the program that wrote the IR",
    }.items()
}  # fmt: skip

__all__ = [
    "ATOMICS",
    "BINARY_FLOAT",
    "BINARY_INT",
    "CASTS",
    "CONSTANTS",
    "DEBUG_RECORDS",
    "FLOAT_CASTS",
    "INSTRUCTIONS",
    "METADATA",
    "TERMINATORS",
    "ConstantKind",
    "MetadataKind",
    "Opcode",
    "opcodes",
]
