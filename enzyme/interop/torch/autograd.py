"""A node of PyTorch's graph: its backward pass, tangents and batches are nodes of the same kind."""

from __future__ import annotations

from typing import Any

import torch
from torch.autograd import forward_ad

from enzyme.interop.derivable import Derivable, as_it_is
from enzyme.interop.torch.once import Slopes, run_once
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


def _keep(
    ctx: Any, program: Derivable, given: tuple[Any, ...], output: tuple[Any, ...], found: Any
) -> None:
    tensors = [x for x in given if isinstance(x, Tensor)]
    constants = [None if isinstance(x, Tensor) else (x,) for x in given]
    ctx.kept = program, constants, [y.dtype for y in output], found
    ctx.save_for_backward(*tensors)
    ctx.set_materialize_grads(False)
    if isinstance(found, Slopes):
        return
    ctx.save_for_forward(*tensors)
    whole = [y for y in output if not is_differentiable(y)]
    if whole:
        ctx.mark_non_differentiable(*whole)


def _as_they_are(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The inputs with constants that nobody changes before the backward pass; of tensors PyTorch notices it."""
    return tuple([x if isinstance(x, Tensor) else as_it_is(x) for x in inputs])


def _given(constants: Any, tensors: Any) -> tuple[Any, ...]:
    """The inputs, as they were."""
    following = iter(tensors)
    return tuple([next(following) if one is None else one[0] for one in constants])


class _Derivatives(torch.autograd.Function):  # type: ignore[misc]
    """``apply(program, *inputs)``: tensors, and whatever else numba takes as a constant."""

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        program, constants, _, run = ctx.kept
        given = _given(constants, ctx.saved_tensors)  # complains where it is too late
        if run is not None and not torch.is_grad_enabled():
            known = run.adjoints(cotangents, given)
            if known is not None:
                return None, *known
        needs = ctx.needs_input_grad
        wanted = tuple([k for k, x in enumerate(given) if needs[k + 1] and is_differentiable(x)])
        seeded = tuple([k for k, d in enumerate(cotangents) if d is not None])
        found: list[Any] = [None] * (1 + len(given))
        if wanted and seeded:
            program = program.pullback(wanted, seeded)
            adjoints = applied(program, (*given, *[cotangents[k] for k in seeded]))
            for k, adjoint in zip(wanted, adjoints, strict=True):
                found[k + 1] = adjoint.to(given[k].dtype)
        return tuple(found)

    @staticmethod
    def jvp(ctx: Any, _: Any, *tangents: Any) -> Any:
        program, constants, kinds, _ = ctx.kept
        given = _given(constants, ctx.saved_tensors)
        moving = tuple([k for k, d in enumerate(tangents) if d is not None])
        kept = [k for k, dtype in enumerate(kinds) if dtype.is_floating_point or dtype.is_complex]
        found: list[Any] = [None] * len(kinds)
        if moving and program.writes:  # derivatives may be kept in any input
            moving = tuple([k for k, x in enumerate(given) if is_differentiable(x)])
            tangents = tuple(
                [
                    torch.zeros_like(given[k]) if k in moving and d is None else d
                    for k, d in enumerate(tangents)
                ]
            )
        if moving:
            program = program.pushforward(moving)
            outputs = applied(program, (*given, *[tangents[k] for k in moving]))
            for k, tangent in zip(kept, outputs, strict=True):
                found[k] = tangent.to(kinds[k])
        return tuple(found)


class _Node(_Derivatives):
    @staticmethod
    def forward(ctx: Any, program: Any, *inputs: Any) -> Any:
        if program.results is None:  # what it returns is seen when it has run
            _outputs(program, inputs)
        inputs = _as_they_are(inputs)
        output, run = None, None
        if forward_ad._current_level < 0:
            output, run = run_once(program, inputs, ctx.needs_input_grad[1:])
        if output is None:
            output = _outputs(program, inputs)
        _keep(ctx, program, inputs, output, run)
        return output


class _Transformed(_Derivatives):
    """The form that `torch.func` takes, which is slower."""

    @staticmethod
    def forward(program: Any, *inputs: Any) -> Any:
        return _outputs(program, inputs)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        _keep(ctx, inputs[0], _as_they_are(inputs[1:]), output, None)

    @staticmethod
    def vmap(info: Any, in_dims: Any, program: Any, *inputs: Any) -> Any:
        axes, moved = [], []
        for x, axis in zip(inputs, in_dims[1:], strict=True):
            is_one = axis is None or not isinstance(x, Tensor)
            axes.append(None if is_one else 0)
            moved.append(x if is_one else x.movedim(axis, 0))
        outputs = applied(program.batched(tuple(axes)), tuple(moved))
        return outputs, (0,) * len(outputs)
