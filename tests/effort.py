"""How much LLVM does for a derivative in tests.

A derivative is compiled for a handful of calls here: all of `-O3` and of instruction selection takes nine times as
long as the little that they need. One in ten, chosen by its name, gets what users get; with ALL_OPTIMISED in the
environment, all do.  What numba compiles for itself, primals and functions that call derivatives, is treated alike.
"""

from __future__ import annotations

import os
import zlib
from typing import Any

from numba.core.codegen import CPUCodeLibrary, JITCodeLibrary

from enzyme.backend import large, passes
from enzyme.backend.passes import POST_DEFAULT, POST_QUICK, PostOptions
from enzyme.frontend.libraries import give_quick_object

FULL_IN = 10


def is_full(name: str) -> bool:
    """Is what bears this name compiled as for users?"""
    return "ALL_OPTIMISED" in os.environ or zlib.crc32(name.encode()) % FULL_IN == 0


def options_for(name: str) -> PostOptions:
    """The knobs for the derivatives of a test or a program."""
    return POST_DEFAULT if is_full(name) else POST_QUICK


_optimise_functions = CPUCodeLibrary._optimize_functions
_optimise_module = CPUCodeLibrary._optimize_final_module
_load_module = CPUCodeLibrary._finalize_final_module


def _functions(library: Any, module: Any) -> None:
    if passes.post_options().quick_code:
        module.data_layout = library._codegen._data_layout
    else:
        _optimise_functions(library, module)


def _module(library: Any) -> None:
    if passes.post_options().quick_code:
        large.simplify(library._final_module)
    else:
        _optimise_module(library)


def _load(library: Any) -> None:
    from_disk = library._object_caching_enabled and library._compiled_object
    if library.__class__ is not JITCodeLibrary or from_disk or not passes.post_options().quick_code:
        return _load_module(library)
    data = give_quick_object(library)
    _load_module(library)
    library._compiled_object = data  # numba may want to keep it on disk


def hurry_numba() -> None:
    """From now on numba does no more than we do where we compile quickly."""
    CPUCodeLibrary._optimize_functions = _functions
    CPUCodeLibrary._optimize_final_module = _module
    CPUCodeLibrary._finalize_final_module = _load
