"""The run time of programs in C and C++: how they have memory, and functions that no number comes out of."""

from __future__ import annotations

from collections.abc import Iterator

from enzyme.engine.ir.known_function import FRESH, KnownFunction
from enzyme.engine.ir.runtime_model import RuntimeModel, by_name

_FIRST = frozenset({0})


def _rows() -> Iterator[KnownFunction]:
    K = KnownFunction
    for name in ("malloc", *_OPERATORS_NEW):
        yield K(name, "allocate", returns=FRESH, size_operand=0)
    yield K("calloc", "allocate", returns=FRESH, size_operand=1, count_operand=0, zero_filled=True)
    yield K("aligned_alloc", "allocate", returns=FRESH, size_operand=1)
    yield K("realloc", "reallocate", returns=FRESH, size_operand=1, reads=_FIRST, writes=_FIRST)
    for name in ("free", *_OPERATORS_DELETE):
        yield K(name, "free", writes=_FIRST)
    for name in ("puts", "printf", "putchar", "putc", "fputc", "fputs", "fprintf", "fflush"):
        yield K(name, "inactive", reads=frozenset(range(16)))
    for name in "abort exit _exit __assert_fail rand random srand drand48 clock".split():
        yield K(name, "inactive")
    yield K("time", "inactive", writes=_FIRST)


# `new` and `delete` of one object and of several; the last is told the size.
_OPERATORS_NEW = ("_Znwm", "_Znam")
_OPERATORS_DELETE = ("_ZdlPv", "_ZdaPv", "_ZdlPvm")

C_LIBRARY = RuntimeModel("C", by_name(_rows()))
