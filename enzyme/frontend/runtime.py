"""What numba's runtime functions do, as plain data for the engine's tables.

Sizes and positions count the call's own arguments from 0. An array's description ("meminfo") holds
its data pointer at byte `DATA_OFFSET`; a shadow is a second allocation by the same function, and
has the same layout. No allocator of numba returns zeroed memory: `np.zeros` is an allocation
followed by `memset`, so a shadow must be zeroed by whoever makes it.

A name that is in no table (reflected lists and sets, dictionaries) has no derivative.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

DATA_OFFSET = 24


class Effect(enum.Enum):
    """What a call means to differentiation."""

    ALLOCATE_MEMINFO = "allocates a description and the data behind it"
    ALLOCATE = "allocates plain memory"
    REALLOCATE = "moves the data behind a description"
    FREE = "frees plain memory"
    RETAIN = "adds a reference"
    RELEASE = "drops a reference; the last one frees"
    DATA = "the data pointer of a description"
    INACTIVE = "no derivative; executed once, with the primal"
    ERROR = "prepares or raises an error; only on paths that fail"
    LINEAR_ALGEBRA = "BLAS or LAPACK behind numba's own signature"
    SCALAR = "a mathematical function under numba's name"


@dataclass(frozen=True, slots=True)
class RuntimeFunction:
    """One runtime function; `size` and `pointer` are argument positions where they make sense."""

    name: str
    effect: Effect
    size: int | None = None
    pointer: int | None = None
    note: str = ""


def _all(effect: Effect, names: str, note: str = "") -> list[RuntimeFunction]:
    return [RuntimeFunction(name, effect, note=note) for name in names.split()]


_ROWS: list[RuntimeFunction] = [
    *(
        RuntimeFunction(name, Effect.ALLOCATE_MEMINFO, size=0)
        for name in (
            "NRT_MemInfo_alloc",
            "NRT_MemInfo_alloc_aligned",
            "NRT_MemInfo_alloc_dtor",
            "NRT_MemInfo_alloc_dtor_safe",
            "NRT_MemInfo_alloc_safe",
            "NRT_MemInfo_alloc_safe_aligned",
            "NRT_MemInfo_alloc_safe_aligned_external",
            "NRT_MemInfo_new_varsize",
            "NRT_MemInfo_new_varsize_dtor",
        )
    ),
    RuntimeFunction("NRT_Allocate", Effect.ALLOCATE, size=0),
    RuntimeFunction("NRT_MemInfo_varsize_alloc", Effect.REALLOCATE, size=1, pointer=0),
    RuntimeFunction("NRT_MemInfo_varsize_realloc", Effect.REALLOCATE, size=1, pointer=0),
    RuntimeFunction("NRT_MemInfo_varsize_free", Effect.FREE, pointer=1),
    RuntimeFunction("NRT_Free", Effect.FREE, pointer=0),
    RuntimeFunction("NRT_incref", Effect.RETAIN, pointer=0, note="null is allowed"),
    RuntimeFunction("NRT_decref", Effect.RELEASE, pointer=0, note="null is allowed"),
    RuntimeFunction("NRT_MemInfo_release", Effect.RELEASE, pointer=0),
    RuntimeFunction("NRT_MemInfo_call_dtor", Effect.RELEASE, pointer=0),
    RuntimeFunction("NRT_MemInfo_data", Effect.DATA, pointer=0),
    RuntimeFunction("NRT_MemInfo_data_fast", Effect.DATA, pointer=0),
    *_all(
        Effect.INACTIVE,
        """numba_attempt_nocopy_reshape numba_unpack_slice numba_gil_ensure numba_gil_release
        PyGILState_Ensure PyGILState_Release PyEval_SaveThread PyEval_RestoreThread
        PyFloat_FromDouble PyLong_FromLongLong PyLong_FromUnsignedLongLong PyLong_FromSsize_t
        PyBool_FromLong PyComplex_FromDoubles PyUnicode_FromString PyUnicode_FromStringAndSize
        PyUnicode_FromKindAndData PyUnicode_AsUTF8 PyUnicode_AsUTF8AndSize PyObject_Str
        PyObject_Repr PyObject_Hash PyTuple_Pack PyTuple_New PyTuple_SetItem PyList_New
        PySys_FormatStdout PySys_WriteStdout Py_IncRef Py_DecRef printf puts putchar fflush
        numba_fptoui numba_fptouif numba_sdiv numba_srem numba_udiv numba_urem
        clock time gettimeofday clock_gettime""",
        "printing, shapes, reference counts of Python objects, timers",
    ),
    *_all(
        Effect.INACTIVE,
        """numba_get_np_random_state numba_get_py_random_state numba_get_internal_random_state
        numba_rnd_shuffle numba_rnd_init numba_poisson_ptrs rand srand random""",
        "random state: advance it once, reuse the drawn value",
    ),
    *_all(
        Effect.ERROR,
        """PyErr_SetString PyErr_SetNone PyErr_SetObject PyErr_Format PyErr_Clear PyErr_Occurred
        PyErr_WriteUnraisable PyErr_NoMemory Py_FatalError numba_fatal_error numba_do_raise
        numba_unpickle numba_runtime_build_excinfo_struct abort exit nrt_unresolved_abort""",
    ),
    *_all(
        Effect.LINEAR_ALGEBRA,
        """numba_xxdot numba_xxgemv numba_xxgemm numba_xxnrm2 numba_xgesv numba_xxgetrf
        numba_xxpotrf numba_ez_xxgetri numba_ez_xxxevd numba_ez_gesdd numba_ez_geqrf
        numba_ez_xxgqr numba_ez_gelsd numba_ez_rgeev numba_ez_cgeev""",
    ),
    *_all(
        Effect.SCALAR,
        """numba_gamma numba_gammaf numba_lgamma numba_lgammaf numba_erf numba_erff numba_erfc
        numba_erfcf numba_frexp numba_frexpf numba_ldexp numba_ldexpf numba_nextafter
        numba_nextafterf numba_cpow numba_cpowf numba_fixed_fmod numba_fixed_fmodf""",
        "see docs/math_symbols.md",
    ),
]

RUNTIME: dict[str, RuntimeFunction] = {row.name: row for row in _ROWS}


def effect_of(name: str) -> Effect | None:
    """Effect of a runtime function; None where nothing is known."""
    row = RUNTIME.get(name)
    return row.effect if row else None
