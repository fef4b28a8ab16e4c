"""Numba's run time, as the engine is told of it.

Offsets are those that `numba_compat.layouts` has tested on live objects. Numba's functions stand on those of C, which
programs call besides. Functions that begin with ``enzyme_`` are written by this front end, for typed lists and
dictionaries (`typed_lists`, `typed_dicts`).
"""

from __future__ import annotations

from collections.abc import Iterator

from enzyme.engine.ir.known_function import COUNTED, FRESH, KnownFunction, Operands
from enzyme.engine.ir.runtime_model import (
    CountedObjects,
    FixedAddresses,
    Interpreter,
    RuntimeModel,
    StatusConvention,
    Storage,
    by_name,
)
from enzyme.frontdoor.c_library import C_LIBRARY
from enzyme.frontend import memory_error
from enzyme.frontend.numba_compat.code import DYNAMIC_GLOBALS
from enzyme.frontend.numba_compat.layouts import DICT, LIST, MEMINFO, PAYLOAD, placed

_INTEGERS = "{[-1]:Pointer, [-1,-1]:Integer}"


def _set(*operands: int) -> Operands:
    return frozenset(operands)


def _memory() -> Iterator[KnownFunction]:
    """Plain memory, and objects that count references."""
    K = KnownFunction
    for name in ("NRT_Allocate", "NRT_Allocate_External"):
        yield K(name, "allocate", returns=FRESH, size_operand=0)
    yield K(
        "NRT_Reallocate",
        "reallocate",
        returns=FRESH,
        size_operand=1,
        reads=_set(0),
        writes=_set(0),
    )
    yield K("NRT_Free", "free", writes=_set(0))
    data = MEMINFO["data"]
    for name in (
        "NRT_MemInfo_alloc NRT_MemInfo_alloc_external NRT_MemInfo_alloc_safe NRT_MemInfo_alloc_aligned"
        " NRT_MemInfo_alloc_safe_aligned NRT_MemInfo_alloc_safe_aligned_external"
        " NRT_MemInfo_alloc_dtor NRT_MemInfo_alloc_dtor_safe"
    ).split():
        yield K(name, "allocate", returns=COUNTED, size_operand=0, data_offset=data)
    for name in ("NRT_MemInfo_varsize_alloc", "NRT_MemInfo_varsize_realloc"):
        yield K(name, "reallocate", size_operand=1, writes_other=True)
    yield K("NRT_MemInfo_varsize_free", "free", writes=_set(1))
    for name in ("NRT_MemInfo_new_varsize", "NRT_MemInfo_new_varsize_dtor"):
        yield K(
            name,
            "allocate",
            returns=COUNTED,
            size_operand=0,
            data_offset=data,
            movable_data=True,
            header_size=PAYLOAD["narrow"],
        )
    for name in ("NRT_MemInfo_new", "NRT_meminfo_new_from_pyobject"):
        yield K(name, "allocate", captures=_set(0, 2), returns=FRESH)
    yield K("NRT_MemInfo_data_fast", "pure", reexecutable=True)
    for name in ("NRT_incref", "NRT_MemInfo_acquire"):
        yield K(name, "retain")
    for name in "NRT_decref NRT_MemInfo_release NRT_MemInfo_call_dtor NRT_dealloc".split():
        yield K(name, "release")


def _containers() -> Iterator[KnownFunction]:
    """Typed lists and dictionaries."""
    K = KnownFunction
    yield K("enzyme_items", "items", reads=_set(0), returns_operand=0, data_slot=LIST["items"])
    yield K("enzyme_resize", "resize", reads=_set(0), writes=_set(0))
    yield K("enzyme_place", "items", reads=_set(0), returns_operand=0, data_slot=DICT["table"])
    yield K("enzyme_insert", "insert", reads=_set(0, 1), writes=_set(0))
    yield K("enzyme_methods", "insert", reads=_set(1), writes=_set(0))
    yield K("enzyme_remove", "insert", reads=_set(0), writes=_set(0))
    for name in ("enzyme_used_as_key_double", "enzyme_used_as_key_float"):
        yield K(name, "key")
    yield K("enzyme_new", "allocate", returns=FRESH, zero_filled=True)
    yield K("enzyme_no_memory", "inactive")
    yield K("enzyme_find", "inactive", reads=_set(0, 1))
    for name in ("enzyme_key", "enzyme_next", "enzyme_table", "enzyme_hash", "enzyme_last"):
        yield K(name, "inactive", reads=_set(0))


def _helpers() -> Iterator[KnownFunction]:
    """Functions that no number comes out of: locks, exceptions, boxes, shapes, random states."""
    K = KnownFunction
    for name in ("numba_gil_ensure", "numba_gil_release"):
        yield K(name, "inactive", writes=_set(0))
    yield K("numba_fatal_error", "inactive")
    yield K("numba_unpickle", "inactive", reexecutable=True)
    for name in (
        "numba_do_raise numba_runtime_build_excinfo_struct numba_extract_record_data"
        " numba_get_pyobject_private_data numba_set_pyobject_private_data numba_recreate_record"
    ).split():
        yield K(name, "inactive", reads=_set(*range(4)))
    yield K("numba_attempt_nocopy_reshape", "inactive", reads=_set(1, 2, 4), writes=_set(5))
    for name in "numba_get_np_random_state numba_get_py_random_state".split():
        yield K(name, "inactive", reexecutable=True)
    for name in "numba_rnd_shuffle numba_rnd_init numba_rnd_seed".split():
        yield K(name, "inactive", reads=_set(0), writes=_set(0))


_COUNTED_OBJECTS = CountedObjects(
    make="NRT_MemInfo_alloc",
    let_go="NRT_decref",
    declarations="declare void @NRT_incref(ptr)\ndeclare void @NRT_decref(ptr)",
    retain="call void @NRT_incref(ptr $object)",
    release="call void @NRT_decref(ptr $object)",
    reset=placed(
        """%reset.count.at = getelementptr i8, ptr $$object, i64 $meminfo_count
  store i64 1, ptr %reset.count.at
  %reset.end.at = getelementptr i8, ptr $$object, i64 $meminfo_end
  %reset.end = load ptr, ptr %reset.end.at
  %reset.holds = icmp eq i64 $$tag, $$holder
  %reset.without = select i1 %reset.holds, ptr null, ptr %reset.end
  store ptr %reset.without, ptr %reset.end.at
  %reset.size.at = getelementptr i8, ptr $$object, i64 $meminfo_size
  %reset.size = load i64, ptr %reset.size.at
  %reset.owns = icmp eq i64 $$tag, $$owner
  %reset.told = select i1 %reset.owns, i64 0, i64 %reset.size
  store i64 %reset.told, ptr %reset.size.at""",
        meminfo=MEMINFO,
    ),
    empty=placed(
        """%empty.end.at = getelementptr i8, ptr $$object, i64 $meminfo_end
  store ptr null, ptr %empty.end.at""",
        meminfo=MEMINFO,
    ),
    paired=placed(
        """%paired.at = getelementptr i8, ptr $$object, i64 $meminfo_count
  %paired.count = load i64, ptr %paired.at
  %paired = icmp eq i64 %paired.count, 2""",
        meminfo=MEMINFO,
    ),
    alignment=32,
)

# Each is the same in all programs, whatever the containers hold.
_SHARED = frozenset(
    """
    enzyme_items enzyme_resize enzyme_new enzyme_methods enzyme_find enzyme_insert enzyme_place enzyme_key
    enzyme_table enzyme_next enzyme_list_end enzyme_list_free enzyme_dict_end enzyme_dict_free enzyme_hash
    enzyme_plain_list_end enzyme_plain_dict_end
    enzyme_clear_behind enzyme_last enzyme_remove enzyme_regrow enzyme_used_as_key_double enzyme_used_as_key_float
    """.split()
)

_ROWS = (*_memory(), *_containers(), *_helpers())

# -1 tells numba that a Python exception is set, which the hook does.
NUMBA = RuntimeModel(
    "numba",
    {**C_LIBRARY.functions, **by_name(_ROWS)},
    storage=Storage(free_held="NRT_Free", advise="madvise"),
    counted=_COUNTED_OBJECTS,
    interpreter=Interpreter(
        "Py", ("NRT_adapt_",), "code that runs in the interpreter, as in objmode"
    ),
    fixed_addresses=FixedAddresses(
        f"{DYNAMIC_GLOBALS}.",
        "a call of a function by its address, as those of ctypes, cffi and Cython are",
    ),
    tells_alignment=True,
    status=StatusConvention(success=(0, -2, -3), no_memory=-1, no_memory_hook=memory_error.HOOK),
    shared=_SHARED,
    ends=frozenset({"enzyme_list_end", "enzyme_dict_end"}),
)
