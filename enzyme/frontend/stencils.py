"""Functions made with `@stencil`, compiled for the target that differentiates.

Numba ties a stencil to the CPU when it is made: where its kernel is typed, and where the loop around the kernel is
compiled.  Our target has a copy of its own, tied to itself.
"""

from __future__ import annotations

import copy
from typing import Any

# numba is typed only at its public surface
from numba.stencils.stencil import StencilFunc, StencilFuncLowerer  # type: ignore[import-untyped,unused-ignore]

_STAND_IN = "__enzyme_stencil__"


def stand_in(stencil: StencilFunc, typing: Any, context: Any) -> StencilFunc:
    """The stencil of our target that stands for one of the CPU."""
    found = stencil.__dict__.get(_STAND_IN)
    if found is None:
        found = copy.copy(stencil)
        found._typingctx, found._targetctx = typing, context
        found._type_cache = {}
        found._lower_me = StencilFuncLowerer(found)
        found._install_type(typing)
        stencil.__dict__[_STAND_IN] = found
    return found


def name_of(stencil: StencilFunc) -> str:
    """The name that its kernel was written under."""
    return str(stencil.kernel_ir.func_id.func_name)
