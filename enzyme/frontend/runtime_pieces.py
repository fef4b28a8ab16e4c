"""What machine code from disk calls by name: made known to the JIT before it is loaded."""

from __future__ import annotations

from collections.abc import Collection

from enzyme.frontend import arena, linear_algebra, memory_error, typed_dicts
from enzyme.frontend.numba_compat.code import register_from_engine
from enzyme.frontend.target import cpu_context
from enzyme.frontend.wrappers import register_raise


def register(called: Collection[str]) -> None:
    """Register what the run times have of these functions."""
    context = cpu_context()
    arena.register(context)
    memory_error.register_hook()
    register_raise()
    register_from_engine(context.codegen(), (*called, "NRT_incref", "NRT_decref"))
    text = "".join(f"@{name}(\n" for name in called)
    linear_algebra.register_for(text)
    typed_dicts.register_for(text)
