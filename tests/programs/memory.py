"""Memory of numba's run time: nothing may be kept or freed twice."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from numba.core.runtime import _nrt_python, rtsys

_nrt_python.memsys_enable_stats()


def live_memory() -> tuple[int, int]:
    """(blocks, array headers) of numba's run time that are alive."""
    stats = rtsys.get_allocation_stats()
    return stats.alloc - stats.free, stats.mi_alloc - stats.mi_free


_numba_keeps: ContextVar[bool] = ContextVar("numba_keeps", default=False)


@contextmanager
def where_numba_keeps(memory: bool) -> Iterator[None]:
    """Inside the block the primal itself keeps memory, if `memory`: then nothing can be said of its derivatives."""
    token = _numba_keeps.set(memory)
    try:
        yield
    finally:
        _numba_keeps.reset(token)


def assert_alive(expected: tuple[int, int], what: str) -> None:
    if _numba_keeps.get():
        return
    if live_memory() != expected:
        gc.collect()  # slow, hence only where something seems to be wrong
    assert live_memory() == expected, f"{what} mode leaks memory, or frees it twice"
