"""What functions do whose body the engine does not see or need not look at.

A `KnownFunction` states effects on memory, ownership and failure; operands are argument numbers.
`lookup_known` finds the row of a call; `effects_of` answers for every call: from the row, else from LLVM's
attributes, else the worst. What a caller of the engine states of a function stands in `Function.known`, and rows of
the run time that the program was compiled for in `Module.runtime`. Here are those of what all programs call: LLVM's
intrinsics, mathematics, and the engine's own functions.

Reference counts and the header of a runtime object belong to the runtime: rows do not list them as read or
written, because program data never live there. Errno is ignored. Derivatives stand in `derivatives/`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from enzyme.engine.analysis.linear_algebra import KINDS, ROUTINES, symbol
from enzyme.engine.ir.instructions import Call, Instruction
from enzyme.engine.ir.known_function import FRESH, KnownFunction, Operands
from enzyme.engine.ir.module import Function
from enzyme.engine.ir.runtime_model import NO_RUNTIME, RuntimeModel
from enzyme.engine.ir.values import GlobalValue, Value

# The hook that a derivative calls where it gets to what has none, with the number of the error.
REFUSE = "enzyme_refuse"


def lookup_known(call: Value) -> KnownFunction | None:
    """The row of a call or a function."""
    function = call.callee if isinstance(call, Call) else call
    if isinstance(function, Function):
        if function.known is not None:
            return function.known
        module = function.module
        return row_of(function.name, NO_RUNTIME if module is None else module.runtime)
    if isinstance(function, GlobalValue) and isinstance(call, Call):  # an alias
        return row_of(function.name, runtime_of(call))
    return None


def runtime_of(i: Instruction) -> RuntimeModel:
    """The run time of the program that an instruction is part of."""
    module = i.function.module
    return NO_RUNTIME if module is None else module.runtime


def row_of(name: str, runtime: RuntimeModel = NO_RUNTIME) -> KnownFunction | None:
    """The row of a symbol in a program of this run time. Intrinsics are found without their type suffixes."""
    found = TABLE.get(name)
    if found is None:
        found = runtime.row_of(name)
    if found is None and name.startswith("llvm."):
        stem = name
        while found is None and stem.count(".") > 1:
            stem = stem.rpartition(".")[0]
            found = TABLE.get(stem)
    return found


def effects_of(call: Call) -> KnownFunction:
    """The effects of a call: its row, or what the attributes of callee and call allow."""
    row = lookup_known(call)
    return attribute_effects(call) if row is None else row


# Attributes ---------------------------------------------------------------------------------------

_MEMORY = re.compile(r"\bmemory\(([^)]*)\)")
_CAPTURES = re.compile(r"\bcaptures\(([^)]*)\)")
_WORD = re.compile(r"[\w-]+")
_UNOBSERVED = ("inaccessiblemem", "errnomem")


def attribute_effects(call: Call) -> KnownFunction:
    """Effects from LLVM attributes alone."""
    callee = call.callee if isinstance(call.callee, Function) else None
    texts = call.fn_attributes
    module = callee.module if callee is not None else None
    if module is not None:
        for word in call.fn_attributes.split():
            if word.startswith("#") and word[1:].isdigit():
                texts += " " + module.attribute_groups.get(int(word[1:]), "")
    if callee is not None:
        texts += " " + callee.attribute_texts()
    argument_access, other_access = _memory_access(texts)
    words = set(_WORD.findall(texts))
    reads, writes, captures = set(), set(), set()
    for index, argument in enumerate(call.arguments):
        if not argument.type.is_pointer:
            continue
        own = call.arg_attributes[index]
        if callee is not None and index < len(callee.args):
            own += " " + callee.args[index].attributes
        own_words = set(_WORD.findall(own))
        if "byval" in own_words:
            reads.add(index)
            continue
        if "r" in argument_access and not own_words & {"readnone", "writeonly"}:
            reads.add(index)
        if "w" in argument_access and not own_words & {"readnone", "readonly"}:
            writes.add(index)
        kept = {
            word.strip().split(":")[-1].strip()
            for text in _CAPTURES.findall(own)
            for word in text.split(",")
        }
        harmless = kept and kept <= {"none", "address", "address_is_null"}
        if "nocapture" not in own_words and not harmless:
            captures.add(index)
    if callee is not None and callee.written is not None:
        writes &= callee.written
    returned = set(_WORD.findall(call.ret_attributes)) | set(
        _WORD.findall(callee.prefix) if callee is not None else ()
    )
    fresh = call.type.is_pointer and "noalias" in returned
    return KnownFunction(
        call.callee_name,
        "external",
        reads=frozenset(reads),
        writes=frozenset(writes),
        captures=frozenset(captures),
        reads_other="r" in other_access,
        writes_other="w" in other_access,
        returns=FRESH if fresh else "",
        reexecutable=not writes and "w" not in other_access and "willreturn" in words,
    )


def _memory_access(texts: str) -> tuple[str, str]:
    """What is done to memory behind arguments and to other memory: parts of ``"rw"``."""
    words = set(_WORD.findall(_MEMORY.sub("", texts)))
    argument = other = "rw"
    if "readnone" in words:
        argument = other = ""
    elif "readonly" in words:
        argument = other = "r"
    elif "writeonly" in words:
        argument = other = "w"
    for text in _MEMORY.findall(texts):
        parts = [part.strip() for part in text.split(",")]
        default = next((p for p in parts if ":" not in p), "none")
        places = {p.split(":")[0].strip(): p.split(":")[1].strip() for p in parts if ":" in p}
        here = _MODES.get(places.get("argmem", default), "rw")
        elsewhere = _MODES.get(default, "rw")
        for place, mode in places.items():
            if place != "argmem" and place not in _UNOBSERVED:
                elsewhere += _MODES.get(mode, "rw")
        argument = "".join(c for c in argument if c in here)
        other = "".join(c for c in other if c in elsewhere)
    if "argmemonly" in words:
        other = ""
    if "inaccessiblememonly" in words:
        argument = other = ""
    if "inaccessiblemem_or_argmemonly" in words:
        other = ""
    return argument, other


_MODES = {"none": "", "read": "r", "write": "w", "readwrite": "rw"}


# Rows ---------------------------------------------------------------------------------------------


def _set(*operands: int) -> Operands:
    return frozenset(operands)


def _rows() -> Iterable[KnownFunction]:
    K = KnownFunction
    yield from _intrinsic_rows()
    yield from _linear_algebra_rows()
    for name in ("memcpy", "memmove"):
        yield K(name, "memory", reads=_set(1), writes=_set(0), length_operand=2, returns_operand=0)
    yield K("memset", "memory", writes=_set(0), length_operand=2, returns_operand=0)
    yield K(REFUSE, "inactive")
    for name in _LIBM:
        for suffix, kind in (("", "double"), ("f", "float")):
            yield K(
                name + suffix,
                "pure",
                writes=_set(*(place for place, _ in _LIBM_RESULTS.get(name, ()))),
                reexecutable=True,
                pointees=tuple(
                    (place, tree.replace("double", kind))
                    for place, tree in _LIBM_RESULTS.get(name, ())
                ),
            )
    yield from _own_rows()


def _own_rows() -> Iterable[KnownFunction]:
    """Functions that the engine itself calls, or writes for a while."""
    K = KnownFunction
    for name in ("enzyme.cpow", "enzyme.cpowf"):
        yield K(name, "pure", reexecutable=True)
    # Derivatives that the program states (`derivatives.stated`), and `derivatives.packed_tanh`.
    for kind in ("f32", "f64"):
        yield K(f"enzyme.with_derivative_of.{kind}", "pure", reexecutable=True)
        yield K(f"enzyme.differential.{kind}", "pure", reexecutable=True)
        for stem in ("tanh_packed", "tanh_unpacked", "tanh_slope"):
            yield K(f"enzyme.{stem}.{kind}", "pure", reexecutable=True)
    # The arena of a derivative that is differentiated itself.
    yield K("enzyme_allocate", "allocate", returns=FRESH, size_operand=1)
    yield K("enzyme_hold", "hold")
    yield K("enzyme_release", "give_up")
    yield K("enzyme_adopt", "hold")
    for name in ("enzyme_let_go", "enzyme_discard"):
        yield K(name, "let_go")


def _linear_algebra_rows() -> Iterable[KnownFunction]:
    for routine in ROUTINES.values():
        integers = routine.positions(routine.integers)
        for kind, part in KINDS.items():
            reads, writes = routine.positions(routine.reads), routine.positions(routine.writes)
            yield KnownFunction(
                symbol(routine.name, kind),
                "numeric",
                reads=reads,
                writes=writes,
                reexecutable=not writes,
                pointees=tuple(
                    (k, _INT if k in integers else f"{{[-1]:Pointer, [-1,-1]:Float@{part.text}}}")
                    for k in sorted(reads | writes)
                ),
            )


def _intrinsic_rows() -> Iterable[KnownFunction]:
    K = KnownFunction
    for name in ("memcpy", "memmove", "memcpy.inline"):
        yield K(f"llvm.{name}", "memory", reads=_set(1), writes=_set(0), length_operand=2)
    for name in ("memset", "memset.inline"):
        yield K(f"llvm.{name}", "memory", writes=_set(0), length_operand=2)
    for name in (
        "lifetime.start lifetime.end assume dbg.declare dbg.value dbg.label dbg.assign donothing sideeffect"
        " experimental.noalias.scope.decl prefetch invariant.start invariant.end var.annotation"
        " pseudoprobe instrprof.increment"
    ).split():
        yield K(f"llvm.{name}", "hint", reexecutable=True)
    for name in ("stacksave", "stackrestore", "trap", "debugtrap", "ubsantrap"):
        yield K(f"llvm.{name}", "inactive")
    for name in ("expect", "expect.with.probability"):
        yield K(f"llvm.{name}", "pure", returns_operand=0, reexecutable=True)
    for name in _INTEGER_INTRINSICS + _FLOAT_INTRINSICS:
        yield K(f"llvm.{name}", "pure", reexecutable=True)


_INTEGER_INTRINSICS = (
    "smax smin umax umin abs ctpop ctlz cttz bitreverse bswap fshl fshr scmp ucmp objectsize is.constant"
    " sadd.with.overflow uadd.with.overflow ssub.with.overflow usub.with.overflow smul.with.overflow"
    " umul.with.overflow sadd.sat uadd.sat ssub.sat usub.sat sshl.sat ushl.sat"
    " vscale get.active.lane.mask vector.reduce.add vector.reduce.mul vector.reduce.and vector.reduce.or"
    " vector.reduce.xor vector.reduce.smax vector.reduce.smin vector.reduce.umax vector.reduce.umin"
).split()
_FLOAT_INTRINSICS = (
    "sqrt sin cos tan asin acos atan atan2 sinh cosh tanh sincos sincospi modf exp exp2 exp10 log log2 log10"
    " pow powi ldexp frexp fma fmuladd fabs minnum maxnum minimum maximum minimumnum maximumnum copysign"
    " floor ceil trunc rint nearbyint round roundeven lround llround lrint llrint canonicalize is.fpclass"
    " arithmetic.fence fptosi.sat fptoui.sat vector.reduce.fadd vector.reduce.fmul vector.reduce.fmax"
    " vector.reduce.fmin vector.reduce.fmaximum vector.reduce.fminimum vector.insert vector.extract"
).split()
_LIBM = (
    "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2 exp10 expm1 log log2 log10"
    " log1p logb ilogb pow sqrt cbrt hypot erf erfc tgamma lgamma gamma j0 j1 jn y0 y1 yn fabs fmod remainder"
    " fmin fmax fdim fma copysign nextafter floor ceil trunc round rint nearbyint lround llround lrint"
    " llrint ldexp scalbn scalbln frexp modf sincos remquo lgamma_r"
).split()
_INT = "{[-1]:Pointer, [-1,-1]:Integer}"
_DOUBLE = "{[-1]:Pointer, [-1,-1]:Float@double}"
_LIBM_RESULTS: dict[str, tuple[tuple[int, str], ...]] = {
    "frexp": ((1, _INT),),
    "modf": ((1, _DOUBLE),),
    "sincos": ((1, _DOUBLE), (2, _DOUBLE)),
    "remquo": ((2, _INT),),
    "lgamma_r": ((1, _INT),),
}

TABLE: dict[str, KnownFunction] = {row.name: row for row in _rows()}
