"""What functions do whose body the engine does not see or need not look at.

A `KnownFunction` states effects on memory, ownership and failure; operands are argument numbers.
`lookup_known` finds the row of a symbol, which for a function of numbers comes from the catalogue
(`derivatives.catalogue`); `effects_of` answers for every call: from the row, else from LLVM's
attributes, else the worst. What a caller of the engine states of a function stands in `Function.known`.

Reference counts and the header of a runtime object belong to the runtime: rows do not list them as read or
written, because program data never live there. Errno is ignored. Derivatives stand in `derivatives/`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache

from enzyme.engine.derivatives.catalogue import INTRINSIC, Entry, entry_of, find, is_defined
from enzyme.engine.derivatives.linear_calls import KINDS, Routine, symbol
from enzyme.engine.derivatives.routines import LIBRARY, ROUTINES, LibraryFunction
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Function
from enzyme.engine.ir.values import Value

Operands = frozenset[int]
NONE: Operands = frozenset()
FRESH = "pointer to fresh memory"
MEMINFO = "meminfo whose data pointer is at offset 24"
MEMINFO_DATA_OFFSET = 24
# How the functions of Python's C interface are called.
INTERPRETER = "Py"
# Types of what is behind a pointer that depend on the call, see `pointees`.
BLAS = "blas"
NUMBER = "number"
# The hook that a derivative calls where it gets to what has none, with the number of the error.
REFUSE = "enzyme_refuse"


_MOVES_NO_NUMBERS = frozenset(
    "allocate free retain release hold give_up let_go hint inactive pure items resize insert key".split()
)


@dataclass(frozen=True, slots=True)
class KnownFunction:
    """The row of one function.

    `kind` is one of ``allocate``, ``reallocate``, ``free``, ``retain``, ``release``, ``memory`` (copies and
    sets), ``hold`` and ``give_up`` (an arena becomes owner of an object; it releases what it owns), ``let_go``
    (releases an object as often as operand 1 says), ``items`` (asks a growing object for its data), ``resize``
    (changes how much that is; nothing moves by index), ``insert`` (changes an object as its shadow must change: adds
    an entry of zeros, takes one out), ``key`` (uses a number as a key, which has no derivative), ``hint``
    (no effect), ``inactive`` (effects outside the program's numbers), ``pure`` (a number computed from numbers),
    ``numeric`` (computes on memory, as BLAS does) and ``external`` (from attributes).
    `returns` is FRESH, MEMINFO, or "" for anything else; `returns_operand` names the operand it returns.
    `reads_other` and `writes_other` speak of memory not behind an operand. `reexecutable`: running it again
    with the same operands and memory gives the same result and no further effect. `movable_data`: the data
    pointer of the meminfo may change during the object's life (growing lists). `header_size`: so many
    bytes of the data are integers (the length of a list), before elements of one size. `data_slot`: where
    the object of kind ``items`` has the address that is returned. `bits`: integers among operands and result
    may be the bits of floats. `pointees` gives type trees of pointer operands; BLAS stands for the float type that
    the character in operand 0 names, NUMBER for that of operand 0.
    """

    name: str
    kind: str
    reads: Operands = NONE
    writes: Operands = NONE
    captures: Operands = NONE
    reads_other: bool = False
    writes_other: bool = False
    returns: str = ""
    returns_operand: int | None = None
    size_operand: int | None = None
    count_operand: int | None = None
    zero_filled: bool = False
    movable_data: bool = False
    header_size: int = 0
    data_slot: int | None = None
    length_operand: int | None = None
    reexecutable: bool = False
    cold: bool = False
    bits: bool = False
    pointees: tuple[tuple[int, str], ...] = field(default=())

    @property
    def moves_no_numbers(self) -> bool:
        """Can it be differentiated by doing nothing, because no active value passes through it?"""
        return self.kind in _MOVES_NO_NUMBERS

    @property
    def integers(self) -> Operands:
        """Pointer operands to memory that holds integers only."""
        return frozenset(k for k, tree in self.pointees if "Integer" in tree)

    @property
    def allocates(self) -> bool:
        return self.returns in (FRESH, MEMINFO)

    @property
    def data_offset(self) -> int | None:
        """Where a meminfo holds its data pointer; None if the result itself is the data."""
        return MEMINFO_DATA_OFFSET if self.returns == MEMINFO else None


def lookup_known(call: Value | str) -> KnownFunction | None:
    """The row of a call, function or symbol. Intrinsics are found without their type suffixes."""
    if isinstance(call, str):
        name = call
    else:
        function = call.callee if isinstance(call, Call) else call
        if isinstance(function, Function) and isinstance(function.known, KnownFunction):
            return function.known
        name = call.callee_name if isinstance(call, Call) else call.name
    found = TABLE.get(name)
    if found is not None or not name:
        return found
    entry = _entry_of(call)
    if entry is not None:
        return _of_entry(entry, name)
    if name.startswith("llvm."):
        stem = name
        while stem.count(".") > 1:
            stem = stem.rpartition(".")[0]
            found = TABLE.get(stem)
            if found is not None:
                return found
    elif name.startswith(INTERPRETER):
        return replace(_INACTIVE_COLD, name=name)
    return None


def _entry_of(call: Value | str) -> Entry | None:
    if isinstance(call, Call):
        return entry_of(call)
    if isinstance(call, str):
        return find(call)
    return None if is_defined(call) else find(call.name)


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


_INACTIVE_COLD = KnownFunction("", "inactive", cold=True)


def _rows() -> Iterable[KnownFunction]:
    K = KnownFunction
    yield from _allocation_rows()
    yield from _intrinsic_rows()
    yield from _linear_algebra_rows()
    for name in ("memcpy", "memmove"):
        yield K(name, "memory", reads=_set(1), writes=_set(0), length_operand=2, returns_operand=0)
    yield K("memset", "memory", writes=_set(0), length_operand=2, returns_operand=0)
    for name in ("puts", "printf", "putchar", "putc", "fputc", "fputs", "fprintf", "fflush"):
        yield K(name, "inactive", reads=_set(*range(16)))
    for name in ("numba_gil_ensure", "numba_gil_release"):
        yield K(name, "inactive", writes=_set(0), cold=True)
    yield K(REFUSE, "inactive", cold=True)
    for name in ("numba_fatal_error", "abort", "exit", "_exit", "__assert_fail", "numba_unpickle"):
        yield K(name, "inactive", cold=True, reexecutable=name == "numba_unpickle")
    for name in (
        "numba_do_raise numba_runtime_build_excinfo_struct numba_extract_record_data"
        " numba_get_pyobject_private_data numba_set_pyobject_private_data numba_recreate_record"
    ).split():
        yield K(name, "inactive", reads=_set(*range(4)), cold=True)
    yield K("numba_attempt_nocopy_reshape", "inactive", reads=_set(1, 2, 4), writes=_set(5))
    for name in ("rand", "random", "srand", "drand48", "time", "clock"):
        yield K(name, "inactive", writes=_set(0) if name == "time" else NONE)
    for name in "numba_get_np_random_state numba_get_py_random_state".split():
        yield K(name, "inactive", reexecutable=True)
    for name in "numba_rnd_shuffle numba_rnd_init numba_rnd_seed".split():
        yield K(name, "inactive", reads=_set(0), writes=_set(0))


def _allocation_rows() -> Iterable[KnownFunction]:
    K = KnownFunction
    yield K("malloc", "allocate", returns=FRESH, size_operand=0)
    yield K("_Znwm", "allocate", returns=FRESH, size_operand=0)
    yield K("_Znam", "allocate", returns=FRESH, size_operand=0)
    yield K("calloc", "allocate", returns=FRESH, size_operand=1, count_operand=0, zero_filled=True)
    yield K("aligned_alloc", "allocate", returns=FRESH, size_operand=1)
    for name in ("realloc", "NRT_Reallocate"):
        yield K(name, "reallocate", returns=FRESH, size_operand=1, reads=_set(0), writes=_set(0))
    for name in ("free", "NRT_Free", "_ZdlPv", "_ZdaPv"):
        yield K(name, "free", writes=_set(0))
    yield K("_ZdlPvm", "free", writes=_set(0))
    for name in ("NRT_Allocate", "NRT_Allocate_External"):
        yield K(name, "allocate", returns=FRESH, size_operand=0)
    for name in (
        "NRT_MemInfo_alloc NRT_MemInfo_alloc_external NRT_MemInfo_alloc_safe NRT_MemInfo_alloc_aligned"
        " NRT_MemInfo_alloc_safe_aligned NRT_MemInfo_alloc_safe_aligned_external"
        " NRT_MemInfo_alloc_dtor NRT_MemInfo_alloc_dtor_safe"
    ).split():
        yield K(name, "allocate", returns=MEMINFO, size_operand=0)
    for name in ("NRT_MemInfo_varsize_alloc", "NRT_MemInfo_varsize_realloc"):
        yield K(name, "reallocate", size_operand=1, writes_other=True)
    yield K("NRT_MemInfo_varsize_free", "free", writes=_set(1))
    for name in ("NRT_MemInfo_new_varsize", "NRT_MemInfo_new_varsize_dtor"):
        yield K(
            name, "allocate", returns=MEMINFO, size_operand=0, movable_data=True, header_size=17
        )
    yield K("enzyme_items", "items", reads=_set(0), returns_operand=0, data_slot=48)
    yield K("enzyme_resize", "resize", reads=_set(0), writes=_set(0))
    yield K("enzyme_place", "items", reads=_set(0), returns_operand=0, data_slot=8)
    yield K("enzyme_insert", "insert", reads=_set(0, 1), writes=_set(0))
    yield K("enzyme_methods", "insert", reads=_set(1), writes=_set(0))
    yield K("enzyme_remove", "insert", reads=_set(0), writes=_set(0))
    for name in ("enzyme_used_as_key_double", "enzyme_used_as_key_float"):
        yield K(name, "key")
    yield K("enzyme_new", "allocate", returns=FRESH, zero_filled=True)
    yield K("enzyme_find", "inactive", reads=_set(0, 1))
    for name in ("enzyme_key", "enzyme_next", "enzyme_table", "enzyme_hash", "enzyme_last"):
        yield K(name, "inactive", reads=_set(0))
    for name in ("NRT_MemInfo_new", "NRT_meminfo_new_from_pyobject"):
        yield K(name, "allocate", captures=_set(0, 2), returns=FRESH)
    yield K("NRT_MemInfo_data_fast", "pure", reexecutable=True)
    # The arena of a derivative that is differentiated itself.
    yield K("enzyme_allocate", "allocate", returns=FRESH, size_operand=1)
    yield K("enzyme_hold", "hold")
    yield K("enzyme_release", "give_up")
    yield K("enzyme_adopt", "hold")
    for name in ("enzyme_let_go", "enzyme_discard"):
        yield K(name, "let_go", cold=True)
    yield K("NRT_incref", "retain")
    yield K("NRT_MemInfo_acquire", "retain")
    yield K("NRT_decref", "release")
    yield K("NRT_MemInfo_release", "release")
    yield K("NRT_MemInfo_call_dtor", "release")
    yield K("NRT_dealloc", "release")


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

TABLE: dict[str, KnownFunction] = {row.name: row for row in _rows()}
