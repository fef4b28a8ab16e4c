"""Programs inside `torch.compile`: an operator that the compiler does not look into, with its backward pass.

An operator takes tensors and a number; what else belongs to a call is found by that number, which stands for a program
and its constants.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from enzyme.interop.derivable import Derivable
from enzyme.interop.torch.tensors import (
    common_type,
    is_differentiable,
    numpy_type,
    plain_number,
    tensor_of,
    torch_type,
    value_of,
)


@dataclass(frozen=True, eq=False)
class Prepared:
    """A program, and its inputs in order: None for a tensor, else a constant in a tuple of its own."""

    program: Derivable
    template: tuple[tuple[Any] | None, ...]

    def outputs(self, values: list[Any]) -> tuple[Any, ...]:
        """The outputs for the values of tensors."""
        given = iter(values)
        return self.program([next(given) if one is None else one[0] for one in self.template])


_prepared: list[Prepared] = []


def applied_in_graph(program: Derivable, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The outputs of a program, by the operator."""
    template = tuple(None if isinstance(x, torch.Tensor) else (x,) for x in inputs)
    _prepared.append(Prepared(program, template))
    tensors = [x for x in inputs if isinstance(x, torch.Tensor)]
    return tuple(_call(len(_prepared) - 1, tensors))


@torch.library.custom_op("enzyme::call", mutates_args=())
def _call(number: int, tensors: list[torch.Tensor]) -> list[torch.Tensor]:
    values = [value_of(x, k) for k, x in enumerate(tensors)]
    dtype = common_type(tensors)
    return [tensor_of(y, dtype) for y in _prepared[number].outputs(values)]


@_call.register_fake
def _(number: int, tensors: list[torch.Tensor]) -> list[torch.Tensor]:
    """What comes out has the shapes that it has for ones."""
    values: list[Any] = []
    for x in tensors:
        one = np.ones(tuple(map(int, x.shape)), numpy_type(x.dtype))
        values.append(one if one.ndim else plain_number(one[()]))
    dtype = common_type(tensors)
    return [
        torch.empty(np.shape(y), dtype=dtype if isinstance(y, float) else torch_type(y))
        for y in _prepared[number].outputs(values)
    ]


def _setup(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.number, tensors = inputs
    ctx.save_for_backward(*tensors)


def _backward(ctx: Any, cotangents: Any) -> Any:
    prepared, tensors = _prepared[ctx.number], list(ctx.saved_tensors)
    given = iter(tensors)
    inputs = tuple(next(given) if one is None else one[0] for one in prepared.template)
    wanted = tuple(k for k, x in enumerate(inputs) if is_differentiable(x) and x.requires_grad)
    kinds = prepared.program.results or ()
    seeded = tuple(k for k, d in enumerate(cotangents) if d is not None and kinds[k] != "other")
    found: dict[int, Any] = {}
    if wanted and seeded:
        program = prepared.program.pullback(wanted, seeded)
        adjoints = applied_in_graph(program, (*inputs, *(cotangents[k] for k in seeded)))
        found = {k: a.to(inputs[k].dtype) for k, a in zip(wanted, adjoints, strict=True)}
    places = [k for k, one in enumerate(prepared.template) if one is None]
    return None, [found.get(k) for k in places]


_call.register_autograd(_backward, setup_context=_setup)
