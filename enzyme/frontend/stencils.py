"""Functions made with `@stencil`, compiled for the target that differentiates.

Numba ties a stencil to the CPU when it is made: where its kernel is typed, and where the loop around the kernel is
compiled.  Our target has a copy of its own, tied to itself.
"""

from __future__ import annotations

from typing import Any

from enzyme.frontend.numba_compat.programs import StencilFunc, stencil_for

_STAND_IN = "__enzyme_stencil__"


def stand_in(stencil: StencilFunc, typing: Any, context: Any) -> StencilFunc:
    """The stencil of our target that stands for one of the CPU."""
    found = stencil.__dict__.get(_STAND_IN)
    if found is None:
        found = stencil.__dict__[_STAND_IN] = stencil_for(stencil, typing, context)
    return found
