"""The one copy of the engine's arena, and of the pool that it stands on, that all derivatives of a process share.

It is compiled once, when the first derivative is loaded, and its functions are registered as symbols.  Arrays that
derivatives make come from the pool too: numba lets every object have an allocator of its own, which is asked to take
the memory back by whoever lets go of the object last, here or in Python.  So the pool's code stays until the process
ends, whatever becomes of derivatives.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import ctypes
from typing import Any

from enzyme.frontend import counting, pieces
from enzyme.frontend.memory_limit import share_of_memory

PIECE = "arena"

POOLED = {
    "NRT_MemInfo_alloc": "enzyme_new_object",
    "NRT_MemInfo_alloc_aligned": "enzyme_new_aligned_object",
}


def register() -> pieces.Loaded:
    """Let every JIT of the process find the arena's functions."""
    global _bound
    counting.register()
    loaded = pieces.load(PIECE, _make)
    if not _bound:
        _bound = True
        loaded.function("enzyme_bound_pool", None, ctypes.c_int64)(share_of_memory())
    return loaded


_bound = False


def _make() -> pieces.Piece:
    from enzyme.frontend.arena_code import make

    return make()


def use_pool(module: Any) -> None:
    """Let the objects that a derivative makes come from the pool."""
    for function in module.functions:
        pooled = POOLED.get(function.name)
        if pooled is not None and function.is_declaration:
            function.name = pooled
