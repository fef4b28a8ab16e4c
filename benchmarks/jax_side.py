"""The same programs for JAX, in `families/FAMILY_jax.py`: functions of the names of the programs.

They are written as JAX's users write them.  Loops are `scan` or `fori_loop`, because JAX cannot reverse a `while_loop`:
what runs until it has converged runs a fixed number of times, enough for the inputs.  A program without such a function
is one that JAX cannot express sensibly.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from benchmarks.families import FAMILY_OF
from benchmarks.program import Program


def function_of(program: Program) -> Callable[..., Any] | None:
    return getattr(_module(FAMILY_OF[program.name]), program.name, None)


def has(program: Program) -> bool:
    return function_of(program) is not None


@cache
def _module(family: str) -> Any:
    import jax

    jax.config.update("jax_enable_x64", True)
    return importlib.import_module(f"benchmarks.families.{family}_jax")


def gradient_call(program: Program, inputs: tuple) -> Callable[[], Any]:
    """A call of the compiled gradient with respect to the arrays that are differentiated.

    Other arrays are arguments that are constant, numbers are known when it is compiled.
    """
    import jax
    import jax.numpy as jnp

    function = function_of(program)
    assert function is not None
    arrays = [i for i, x in enumerate(inputs) if isinstance(x, np.ndarray)]
    active = program.active(inputs)

    def of_arrays(*given):
        arguments = list(inputs)
        for i, x in zip(arrays, given, strict=True):
            arguments[i] = x
        return function(*arguments)

    places = tuple(k for k, i in enumerate(arrays) if i in active)
    gradient = jax.jit(jax.grad(of_arrays, argnums=places))
    return partial(_wait, gradient, [jnp.asarray(inputs[i]) for i in arrays])


def _wait(gradient, arrays):
    import jax

    return jax.block_until_ready(gradient(*arrays))
