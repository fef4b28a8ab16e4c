"""The one copy of the engine's arena that all derivatives of a process share.

It is compiled once, when the first derivative is loaded, and its functions are registered as symbols.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import functools
from typing import Any

from enzyme.backend import symbols
from enzyme.backend.jit import JittedModule
from enzyme.engine.synthesis.arena import arena_text
from enzyme.frontend.numba_compat.code import address_in_engine
from enzyme.frontend.numba_compat.compilers import rtsys
from enzyme.frontend.numba_compat.layouts import runtime_function
from enzyme.frontend.runtime_model import NUMBA

FUNCTIONS = (
    "enzyme_allocate",
    "enzyme_grow",
    "enzyme_hold",
    "enzyme_release",
    "enzyme_release_many",
    "enzyme_discard",
    "enzyme_end_all",
    "enzyme_open",
    "enzyme_close",
    "enzyme_held",
    "enzyme_adopt",
)


@functools.cache
def register(context: Any) -> JittedModule:
    """Let every JIT of the process resolve the arena's functions; the module that defines them."""
    rtsys.initialize(context)
    generator = context.codegen()
    counting = {name: address_in_engine(generator, name) for name in ("NRT_incref", "NRT_decref")}
    counting["NRT_Free"] = runtime_function("Free")
    module = JittedModule(arena_text(NUMBA), symbol_addresses=counting)
    for name in FUNCTIONS:
        symbols.register_from(module.module, name, module.address(name))
    return module
