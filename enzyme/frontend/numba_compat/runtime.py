"""Functions of numba's run time: where they are, and how the JIT finds them."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import ctypes
from collections.abc import Mapping

import llvmlite.binding as llvm
from numba.core.registry import cpu_target
from numba.core.runtime import rtsys

from enzyme.frontend.numba_compat.probes import private

FUNCTIONS: Mapping[str, int] = private("numba.core.runtime._nrt_python", "c_helpers")
# The table of functions for programs in C.
INTERFACE = {"allocate": 0, "allocate_external": 8}


def runtime_function(name: str) -> int:
    """The address of a function of numba's run time."""
    return FUNCTIONS[name]


def runtime_interface(name: str) -> int:
    """The address of a function in the table that numba's run time has for programs in C."""
    table: int = ctypes.CFUNCTYPE(ctypes.c_void_p)(FUNCTIONS["get_api"])()
    return ctypes.c_int64.from_address(table + INTERFACE[name]).value


def register_runtime() -> None:
    """Let the JIT find what numba's run time has in C, as numba does when it first compiles something."""
    if not cpu_target.target_context:  # made by being asked for: it registers what Python has
        raise AssertionError
    for name, address in FUNCTIONS.items():
        llvm.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)


def counting_module() -> llvm.ModuleRef:
    """Numba's code that counts references."""
    rtsys.initialize(cpu_target.target_context)
    return rtsys.library._final_module
