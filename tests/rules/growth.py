"""Memory that calls leave behind."""

from __future__ import annotations

import gc

import numpy as np

from tests.programs.memory import live_memory


def grown(call, count=200):
    """How many blocks and headers of numba's memory more are alive after many calls."""
    for _ in range(3):
        call()
    gc.collect()
    before = live_memory()
    for _ in range(count):
        call()
    gc.collect()
    return tuple(np.subtract(live_memory(), before))
