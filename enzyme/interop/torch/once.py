"""Runs of a function in which as much is found as makes a backward pass cheap.

Each has `adjoints(cotangents, inputs)`, a tensor or None for each input; None where the function must run again.
"""

from __future__ import annotations

from typing import Any

import torch
from numba.core.errors import NumbaError

from enzyme.errors import EnzymeError
from enzyme.interop.derivable import OTHER, Derivable
from enzyme.interop.passes import Pass, Passes, passes
from enzyme.interop.torch.tensors import (
    common_type,
    tensor_of,
    value_of,
    values_of,
)

_hooks = torch._C._autograd._top_saved_tensors_default_hooks


def run_once(
    program: Derivable, inputs: tuple[Any, ...], needs: tuple[bool, ...]
) -> tuple[Any, Any]:
    """The outputs, and what was found for the backward pass; None and None where nothing can be found."""
    wanted = tuple([k for k, needed in enumerate(needs) if needed])
    if not wanted or program.runs_again:
        return None, None
    if _hooks(True) is not None or torch.is_inference_mode_enabled():
        return None, None
    if program.is_number and all([not inputs[k].is_complex() for k in wanted]):
        return Slopes.found(program, inputs, wanted)
    if program.is_derivative or all(kind == OTHER for kind in program.results or ()):
        return None, None
    return Taped.found(program, inputs, wanted)


class Slopes:
    """Of one number: the gradient, and a backward pass only multiplies."""

    def __init__(self, slopes: list[Any]) -> None:
        self._slopes = slopes

    @classmethod
    def found(
        cls, program: Derivable, inputs: tuple[Any, ...], wanted: tuple[int, ...]
    ) -> tuple[Any, Any]:
        try:
            value, *found = program.with_gradient(wanted)(*values_of(inputs))
        except (EnzymeError, NumbaError):
            program.runs_again = True  # why is said in the backward pass, if there is one
            return None, None
        slopes: list[Any] = [None] * len(inputs)
        for k, slope in zip(wanted, found, strict=True):
            slopes[k] = tensor_of(slope, inputs[k].dtype)
        return (tensor_of(value, common_type(inputs)),), cls(slopes)

    def adjoints(self, cotangents: Any, _: Any) -> list[Any] | None:
        (seed,) = cotangents
        if seed is None:
            return None
        return [None if slope is None else slope * seed for slope in self._slopes]


class Taped:
    """Of arrays, or of several numbers: the tape of split mode.

    It is for one backward pass, and that may read what was returned; a change of this is seen by the version of the
    tensor. Where the tape cannot be used there is another one.
    """

    def __init__(
        self, both: Passes, left: Pass, wanted: tuple[int, ...], outputs: tuple[Any, ...]
    ) -> None:
        self._passes = both
        self._wanted = wanted
        # What is not attached to the graph holds no part of it.
        self.left = [(left, [(y.detach(), y._version) for y in outputs])]

    @classmethod
    def found(
        cls, program: Derivable, inputs: tuple[Any, ...], wanted: tuple[int, ...]
    ) -> tuple[Any, Any]:
        values = values_of(inputs)
        both = passes(program, wanted, values)
        if both is None:
            return None, None
        try:
            found, left = both.forward(values)
        except EnzymeError:
            program.runs_again = True
            return None, None
        dtype = common_type(inputs)
        outputs = tuple([tensor_of(y, dtype) for y in found])
        return outputs, cls(both, left, wanted, outputs)

    def adjoints(self, cotangents: Any, inputs: tuple[Any, ...]) -> list[Any] | None:
        if all(c is None for c in cotangents):
            return None
        seeds = [None if c is None else value_of(c, k) for k, c in enumerate(cotangents)]
        adjoints: list[Any] = [None] * len(inputs)
        for k, adjoint in zip(self._wanted, self._pass(inputs).adjoints(seeds), strict=True):
            adjoints[k] = tensor_of(adjoint, common_type((inputs[k],)))
        return adjoints

    def _pass(self, inputs: tuple[Any, ...]) -> Pass:
        """That of the first run, once, if what it returned is as it was; else that of another run."""
        try:
            left, watched = self.left.pop()  # atomic: backward passes run in threads of their own
        except IndexError:
            pass
        else:
            if all(y._version == version for y, version in watched):
                return left
        return self._passes.forward(values_of(inputs))[1]
