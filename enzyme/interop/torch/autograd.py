"""A node of PyTorch's graph: its backward pass, tangents and batches are nodes of the same kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numba.core.errors import NumbaError
from torch.autograd import forward_ad

from enzyme.errors import EnzymeError
from enzyme.interop.derivable import NUMBER, Derivable
from enzyme.interop.torch.tensors import common_type, is_differentiable, tensor_of, values_of

Tensor = torch.Tensor
_transformed = torch._C._are_functorch_transforms_active


def applied(program: Derivable, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The outputs of a program for inputs of which the tensors may carry derivatives."""
    if _transformed():
        return _Transformed.apply(program, *inputs)  # type: ignore[no-any-return]
    if not torch.is_grad_enabled() and forward_ad._current_level < 0:
        return _outputs(program, inputs)
    return _Node.apply(program, *inputs)  # type: ignore[no-any-return]


def _outputs(program: Derivable, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    dtype = common_type(inputs)
    return tuple([tensor_of(y, dtype) for y in program(values_of(inputs))])


def _keep(ctx: Any, program: Derivable, given: tuple[Any, ...], output: tuple[Any, ...]) -> None:
    tensors = [x for x in given if isinstance(x, Tensor)]
    ctx.program = program
    ctx.slopes = None
    ctx.constants = [None if isinstance(x, Tensor) else (_as_it_is(x),) for x in given]
    ctx.kinds = [y.dtype for y in output]
    ctx.save_for_backward(*tensors)
    ctx.save_for_forward(*tensors)
    ctx.set_materialize_grads(False)
    whole = [y for y in output if not is_differentiable(y)]
    if whole:
        ctx.mark_non_differentiable(*whole)


def _as_it_is(x: Any) -> Any:
    """A constant that nobody changes before the backward pass; of tensors PyTorch notices it."""
    return x.copy() if isinstance(x, np.ndarray) else x


def _given(ctx: Any) -> tuple[Any, ...]:
    """The inputs, as they were."""
    tensors = iter(ctx.saved_tensors)
    return tuple([next(tensors) if one is None else one[0] for one in ctx.constants])


class _Derivatives(torch.autograd.Function):  # type: ignore[misc]
    """``apply(program, *inputs)``: tensors, and whatever else numba takes as a constant."""

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        given = _given(ctx)
        needs = ctx.needs_input_grad
        wanted = tuple([k for k, x in enumerate(given) if needs[k + 1] and is_differentiable(x)])
        seeded = tuple([k for k, d in enumerate(cotangents) if d is not None])
        found: list[Any] = [None] * (1 + len(given))
        if wanted and seeded and ctx.slopes is not None and not torch.is_grad_enabled():
            for k in wanted:
                found[k + 1] = ctx.slopes[k] * cotangents[0]
        elif wanted and seeded:
            program = ctx.program.pullback(wanted, seeded)
            adjoints = applied(program, (*given, *[cotangents[k] for k in seeded]))
            for k, adjoint in zip(wanted, adjoints, strict=True):
                found[k + 1] = adjoint.to(given[k].dtype)
        return tuple(found)

    @staticmethod
    def jvp(ctx: Any, _: Any, *tangents: Any) -> Any:
        given = _given(ctx)
        moving = tuple([k for k, d in enumerate(tangents) if d is not None])
        kept = [
            k for k, dtype in enumerate(ctx.kinds) if dtype.is_floating_point or dtype.is_complex
        ]
        found: list[Any] = [None] * len(ctx.kinds)
        if moving and ctx.program.writes:  # derivatives may be kept in any input
            moving = tuple([k for k, x in enumerate(given) if is_differentiable(x)])
            tangents = tuple(
                [
                    torch.zeros_like(given[k]) if k in moving and d is None else d
                    for k, d in enumerate(tangents)
                ]
            )
        if moving:
            program = ctx.program.pushforward(moving)
            outputs = applied(program, (*given, *[tangents[k] for k in moving]))
            for k, tangent in zip(kept, outputs, strict=True):
                found[k] = tangent.to(ctx.kinds[k])
        return tuple(found)


class _Node(_Derivatives):
    @staticmethod
    def forward(ctx: Any, program: Any, *inputs: Any) -> Any:
        if program.results is None:  # what it returns is seen when it has run
            _outputs(program, inputs)
        known = _with_slopes(program, inputs, ctx.needs_input_grad)
        output = _outputs(program, inputs) if known is None else known[0]
        _keep(ctx, program, inputs, output)
        if known is not None:
            ctx.slopes = known[1]
        return output


def _with_slopes(
    program: Derivable, inputs: tuple[Any, ...], needs: tuple[bool, ...]
) -> tuple[tuple[Any, ...], dict[int, Any]] | None:
    """The output and its slopes in one run, where it is one number, so that a backward pass only multiplies.

    None where that is not so, and where the slopes cannot be had so.
    """
    if program.results != (NUMBER,) or not program.alone or program.writes:
        return None
    if forward_ad._current_level >= 0 or program.slopes_fail:
        return None
    wanted = tuple([k for k, x in enumerate(inputs) if needs[k + 1] and is_differentiable(x)])
    if not wanted or any(inputs[k].dtype.is_complex for k in wanted):
        return None
    values = values_of(inputs)
    try:
        value, *slopes = program.with_gradient(wanted)(*values)
    except (EnzymeError, NumbaError):
        program.slopes_fail = True  # said in the backward pass, if there is one
        return None
    made = {k: tensor_of(slope, inputs[k].dtype) for k, slope in zip(wanted, slopes, strict=True)}
    return (tensor_of(value, common_type(inputs)),), made


class _Transformed(_Derivatives):
    """The form that `torch.func` takes, which is slower."""

    @staticmethod
    def forward(program: Any, *inputs: Any) -> Any:
        return _outputs(program, inputs)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        _keep(ctx, inputs[0], inputs[1:], output)

    @staticmethod
    def vmap(info: Any, in_dims: Any, program: Any, *inputs: Any) -> Any:
        axes, moved = [], []
        for x, axis in zip(inputs, in_dims[1:], strict=True):
            axes.append(None if axis is None else 0)
            moved.append(x if axis is None else x.movedim(axis, 0))
        outputs = applied(program.batched(tuple(axes)), tuple(moved))
        return outputs, (0,) * len(outputs)
