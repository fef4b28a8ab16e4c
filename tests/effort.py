"""How much LLVM does for a derivative in tests.

A derivative is compiled for a handful of calls here: all of `-O3` and of instruction selection takes nine times as
long as the little that they need. One in 24, chosen by its name, gets what users get; with ALL_OPTIMISED in the
environment, all do.  What numba compiles for itself, primals and functions that call derivatives, is treated alike.
"""

from __future__ import annotations

import os
import zlib
from typing import Any

from enzyme.backend import large, passes
from enzyme.backend.passes import POST_DEFAULT, POST_QUICK, PostOptions
from enzyme.frontend.libraries import give_quick_object
from enzyme.frontend.numba_compat import code

FULL_IN = 24


def is_full(name: str) -> bool:
    """Is what bears this name compiled as for users?"""
    return "ALL_OPTIMISED" in os.environ or zlib.crc32(name.encode()) % FULL_IN == 0


def options_for(name: str) -> PostOptions:
    """The knobs for the derivatives of a test or a program."""
    return POST_DEFAULT if is_full(name) else POST_QUICK


_numba = code.steps()


def _functions(library: Any, module: Any) -> None:
    if passes.post_options().quick_code:
        module.data_layout = code.data_layout(library)
    else:
        _numba.functions(library, module)


def _whole(library: Any) -> None:
    if passes.post_options().quick_code:
        large.simplify(code.whole(library))
    else:
        _numba.whole(library)


def _load(library: Any) -> None:
    quick = passes.post_options().quick_code
    if library.__class__ is not code.JITCodeLibrary or code.is_from_disk(library) or not quick:
        return _numba.load(library)
    data = give_quick_object(library)
    _numba.load(library)
    code.keep_object(library, data)


def hurry_numba() -> None:
    """From now on numba does no more than we do where we compile quickly."""
    code.set_steps(code.Steps(_functions, _whole, _load))
