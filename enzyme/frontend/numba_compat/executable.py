"""Loaded machine code as a function of Python's, without numba's compiler."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from numba.core.environment import Environment

from enzyme.frontend.numba_compat.probes import private

_make_function = private("numba._dynfunc", "make_function")


def python_function(
    loaded: Any, entry: str, environment: str, constants: Sequence[Any]
) -> Callable[..., Any]:
    """The function that Python calls, out of loaded code that was written by `define_wrapper`."""
    env = Environment({})
    env.consts.extend(constants)
    loaded.place_of(environment).value = id(env)
    address = loaded.get_pointer_to_function(entry)
    made: Callable[..., Any] = _make_function(
        sys.modules["enzyme"], "derivative", "", address, env, (loaded,)
    )
    return made
