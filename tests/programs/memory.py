"""Memory of numba's run time: nothing may be kept or freed twice."""

from __future__ import annotations

import gc

from numba.core.runtime import _nrt_python, rtsys

_nrt_python.memsys_enable_stats()


def live_memory() -> tuple[int, int]:
    """(blocks, array headers) of numba's run time that are alive."""
    stats = rtsys.get_allocation_stats()
    return stats.alloc - stats.free, stats.mi_alloc - stats.mi_free


def assert_alive(expected: tuple[int, int], what: str) -> None:
    if live_memory() != expected:
        gc.collect()  # slow, hence only where something seems to be wrong
    assert live_memory() == expected, f"{what} mode leaks memory, or frees it twice"
