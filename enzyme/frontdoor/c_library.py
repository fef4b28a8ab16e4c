"""The run time of programs in C and C++: how they have memory, and functions that no number comes out of."""

from __future__ import annotations

from collections.abc import Iterator

from enzyme.engine.ir.known_function import FRESH, KnownFunction
from enzyme.engine.ir.runtime_model import RuntimeModel, by_name

_FIRST = frozenset({0})
_ALL = frozenset(range(24))
_WRITING = """
    puts printf putchar putc fputc fputs fprintf fflush vprintf vfprintf perror fopen fclose __printf_chk __fprintf_chk
    write fwrite
""".split()


def _rows() -> Iterator[KnownFunction]:
    K = KnownFunction
    yield K("malloc", "allocate", returns=FRESH, size_operand=0, aligned="aligned_alloc")
    for name in _OPERATORS_NEW:
        yield K(name, "allocate", returns=FRESH, size_operand=0)
    yield K("calloc", "allocate", returns=FRESH, size_operand=1, count_operand=0, zero_filled=True)
    yield K("aligned_alloc", "allocate", returns=FRESH, size_operand=1)
    yield K("realloc", "reallocate", returns=FRESH, size_operand=1, reads=_FIRST, writes=_FIRST)
    for name in ("free", *_OPERATORS_DELETE):
        yield K(name, "free", writes=_FIRST)
    for name in _WRITING:
        yield K(name, "inactive", reads=_ALL)
    for name in ("sprintf", "snprintf", "vsprintf", "vsnprintf", "__sprintf_chk", "__snprintf_chk"):
        yield K(name, "inactive", reads=_ALL, writes=_FIRST)
    for name in (
        "strlen",
        "strcmp",
        "strncmp",
        "strcasecmp",
        "atoi",
        "atol",
        "atof",
        "getenv",
        "memcmp",
    ):
        yield K(name, "inactive", reads=frozenset({0, 1}))
    for name in ("strtod", "strtol", "strtoul"):
        yield K(name, "inactive", reads=_FIRST, writes=frozenset({1}))
    for name in "abort exit _exit __assert_fail rand random srand drand48 clock getpid".split():
        yield K(name, "inactive")
    yield K("time", "inactive", writes=_FIRST)
    for name in ("enzyme.note_size", "enzyme.noted_size", "enzyme.forget_sizes"):
        yield K(name, "inactive")


# `new` and `delete` of one object and of several, of an alignment, that do not throw; some are told the size.
_NOTHROW, _ALIGNED = "RKSt9nothrow_t", "St11align_val_t"
_OPERATORS_NEW = tuple(
    f"_Zn{of}m{more}" for of in "wa" for more in ("", _NOTHROW, _ALIGNED, _ALIGNED + _NOTHROW)
)
_OPERATORS_DELETE = tuple(
    f"_Zd{of}Pv{more}"
    for of in "la"
    for more in ("", "m", _NOTHROW, _ALIGNED, "m" + _ALIGNED, _ALIGNED + _NOTHROW)
)

C_LIBRARY = RuntimeModel("C", by_name(_rows()))
