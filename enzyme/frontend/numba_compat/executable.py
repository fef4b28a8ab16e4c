"""Loaded machine code as a function of Python's, without numba's compiler."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from typing import Any

from numba.core.environment import Environment

from enzyme.frontend.numba_compat.probes import private

_make_function = private("numba._dynfunc", "make_function")


def fill_environment(place: ctypes.c_void_p, constants: Sequence[Any]) -> Any:
    """Put an environment with these objects where loaded code looks for it; the environment, which must be kept."""
    env = Environment({})
    env.consts.extend(constants)
    place.value = id(env)
    return env


def python_function(
    loaded: Any, entry: str, environment: str, constants: Sequence[Any]
) -> Callable[..., Any]:
    """The function that Python calls, out of loaded code that was written by `define_wrapper`."""
    env = fill_environment(loaded.place_of(environment), constants)
    address = loaded.get_pointer_to_function(entry)
    made: Callable[..., Any] = _make_function(
        sys.modules["enzyme"], "derivative", "", address, env, (loaded,)
    )
    return made
