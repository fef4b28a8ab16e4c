"""What functions do whose body the engine does not see or need not look at.

A `KnownFunction` states effects on memory, ownership and failure; operands are argument numbers.
`lookup_known` finds the row of a call, which for a function of numbers comes from the catalogue
(`derivatives.catalogue`); `effects_of` answers for every call: from the row, else from LLVM's
attributes, else the worst. What a caller of the engine states of a function stands in `Function.known`, and rows of
the run time that the program was compiled for in `Module.runtime`. Here are those of what all programs call: LLVM's
intrinsics, linear algebra, and the engine's own functions.

Reference counts and the header of a runtime object belong to the runtime: rows do not list them as read or
written, because program data never live there. Errno is ignored. Derivatives stand in `derivatives/`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from enzyme.engine.derivatives.catalogue import INTRINSIC, Entry, entry_of, find, is_defined
from enzyme.engine.derivatives.linear_calls import KINDS, Routine, symbol
from enzyme.engine.derivatives.routines import LIBRARY, ROUTINES, LibraryFunction
from enzyme.engine.ir.instructions import Call, Instruction
from enzyme.engine.ir.items import stated
from enzyme.engine.ir.known_function import BLAS, FRESH, NUMBER, KnownFunction, Operands
from enzyme.engine.ir.module import Function
from enzyme.engine.ir.runtime_model import NO_RUNTIME, RuntimeModel
from enzyme.engine.ir.values import GlobalValue, Value

# The hook that a derivative calls where it gets to what has none, with the number of the error.
REFUSE = "enzyme_refuse"
# Takes a pointer and its shadow, and does not return if the shadow alone is null.
CHECK_SHADOW = "enzyme_check_shadow"
# Hooks of derivatives that are looked at for NaN (`synthesis.nan_checks`); the first has a form for each type.
NAN_SEEN, NAN_FORGET, NAN_STATUS = "enzyme_nan_seen", "enzyme_nan_forget", "enzyme_nan_status"


def lookup_known(call: Value) -> KnownFunction | None:
    """The row of a call or a function."""
    function = call.callee if isinstance(call, Call) else call
    if isinstance(function, Function):
        if function.known is not None:
            return function.known
        module = function.module
        runtime = NO_RUNTIME if module is None else module.runtime
    elif isinstance(function, GlobalValue) and isinstance(call, Call):  # an alias
        runtime = runtime_of(call)
    else:
        return None
    name = function.name
    found = TABLE.get(name) or runtime.row_of(name)
    if found is None:
        entry = _entry_of(call, function)
        found = _of_name(name) if entry is None else _of_entry(entry, name)
    return found


def is_inactive(callee: Value) -> bool:
    """Did the user declare a function inactive? The first argument of its calls points to where it returns, then."""
    return isinstance(callee, Function) and bool(callee.seeds) and callee.known is not None


def runtime_of(i: Instruction) -> RuntimeModel:
    """The run time of the program that an instruction is part of."""
    module = i.function.module
    return NO_RUNTIME if module is None else module.runtime


def row_of(name: str, runtime: RuntimeModel = NO_RUNTIME) -> KnownFunction | None:
    """The row of a symbol in a program of this run time. Intrinsics are found without their type suffixes."""
    found = TABLE.get(name) or runtime.row_of(name)
    if found is None:
        entry = find(name)
        found = _of_name(name) if entry is None else _of_entry(entry, name)
    return found


def _of_name(name: str) -> KnownFunction | None:
    """The row of an intrinsic of this name with suffixes, or of a statement about items."""
    found = _STATEMENT if stated(name) is not None else None
    if name.startswith("llvm."):
        stem = name
        while found is None and stem.count(".") > 1:
            stem = stem.rpartition(".")[0]
            found = TABLE.get(stem)
    return found


def _entry_of(call: Value, function: GlobalValue) -> Entry | None:
    if isinstance(call, Call):
        return entry_of(call)
    return None if is_defined(call) else find(function.name)


@cache
def _of_entry(entry: Entry, name: str) -> KnownFunction:
    """The effects of a function of the catalogue."""
    places = [(place, NUMBER) for place in entry.numbers]
    places += [(place, _INT) for place in entry.integers]
    return KnownFunction(
        name,
        "numeric" if entry.lacks_derivative else "pure",
        writes=entry.numbers | entry.integers,
        reexecutable=True,
        bits=name.startswith(INTRINSIC) and not entry.indices,
        pointees=tuple(sorted(places)),
    )


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
        texts = module.with_groups(texts)
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
        keeps=frozenset() if callee is not None and callee.forgets else None,
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
    yield K(CHECK_SHADOW, "inactive")
    yield from _own_rows()


def _own_rows() -> Iterable[KnownFunction]:
    """Functions that the engine itself calls."""
    K = KnownFunction
    # The arena of a derivative that is differentiated itself.
    yield K("enzyme_allocate", "allocate", returns=FRESH, size_operand=1)
    yield K("enzyme_hold", "hold")
    yield K("enzyme_release", "release_owned")
    yield K("enzyme_adopt", "hold")
    yield K("enzyme_let_go", "release")
    for name in ("enzyme_release_many", "enzyme_discard"):
        yield K(name, "release_many")


def _linear_algebra_rows() -> Iterable[KnownFunction]:
    for routine in ROUTINES.values():
        for kind, part in KINDS.items():
            numbers = f"{{[-1]:Pointer, [-1,-1]:Float@{part.text}}}"
            yield _numeric(routine, symbol(routine.name, kind), numbers)
    for function in LIBRARY:
        yield _numeric(function, function.name, BLAS)


def _numeric(row: Routine | LibraryFunction, name: str, numbers: str) -> KnownFunction:
    reads, writes = row.positions(row.reads), row.positions(row.writes)
    integers = row.positions(row.integers)
    return KnownFunction(
        name,
        "numeric",
        reads=reads,
        writes=writes,
        reexecutable=not writes,
        pointees=tuple((k, _INT if k in integers else numbers) for k in sorted(reads | writes)),
    )


def _intrinsic_rows() -> Iterable[KnownFunction]:
    K = KnownFunction
    for name in ("memcpy", "memmove", "memcpy.inline"):
        yield K(
            f"llvm.{name}", "memory", reads=_set(1), writes=_set(0), length_operand=2, bits=True
        )
    for name in ("memset", "memset.inline"):
        yield K(f"llvm.{name}", "memory", writes=_set(0), length_operand=2, bits=True)
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


_INT = "{[-1]:Pointer, [-1,-1]:Integer}"

_STATEMENT = KnownFunction("enzyme.items", "hint", reexecutable=True)

TABLE: dict[str, KnownFunction] = {row.name: row for row in _rows()}
