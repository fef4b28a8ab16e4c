"""Programs inside `torch.compile`: an operator that the compiler does not look into, with its backward pass.

An operator takes tensors and a number; what else belongs to a call is found by that number, which stands for a program
and its constants.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import Any
from uuid import uuid4

import numpy as np
import torch
from torch.autograd import forward_ad

from enzyme.errors import ActivityError
from enzyme.interop.derivable import Derivable
from enzyme.interop.torch.tensors import (
    common_type,
    is_differentiable,
    numpy_type,
    plain_number,
    tensor_of,
    type_of,
    values_of,
)


@dataclass(frozen=True, eq=False)
class Prepared:
    """A program, and its inputs in order: None for a tensor, else a constant in a tuple of its own.

    `known` has the outputs for ones in place of tensors of some shapes and types, as the compiler was told of them.
    """

    program: Derivable
    template: tuple[tuple[Any] | None, ...]
    known: dict[Any, list[Any]] = field(default_factory=dict)

    def outputs(self, values: list[Any]) -> tuple[Any, ...]:
        """The outputs for the values of tensors."""
        given = iter(values)
        return self.program([next(given) if one is None else one[0] for one in self.template])

    def for_ones(self, tensors: list[torch.Tensor]) -> list[Any]:
        """Shapes and types of the outputs, as a run with ones finds them."""
        key = _shapes(tensors)
        if key not in self.known:
            values: list[Any] = []
            for shape, dtype in key:
                one = np.ones(shape, numpy_type(dtype))
                values.append(one if one.ndim else plain_number(one[()]))
            try:
                found = self.outputs(values)
            except Exception as error:
                raise ActivityError(
                    what=f"{self.program.name} in a graph that PyTorch compiles fails for ones: {error}",
                    why="the shapes of results are found by a run with ones",
                    todo="keep it out of the graph: torch.compiler.disable(f)",
                ) from None
            dtype = common_type(tensors)
            self.known[key] = [(np.shape(y), type_of(y, dtype)) for y in found]
        return self.known[key]


def _shapes(tensors: list[torch.Tensor]) -> tuple[Any, ...]:
    return tuple((tuple(map(int, x.shape)), x.dtype) for x in tensors)


_prepared: list[Prepared] = []
# What the compiler keeps on disk is for one process: another one has other functions by these numbers.
_PROCESS = uuid4().hex
_alone: dict[Derivable, int] = {}
_lock = Lock()
_transformed = torch._C._are_functorch_transforms_active
# Asked in every call.
_tracing_state = torch._C._get_tracing_state
_dispatch_mode, _PROXY = torch._C._get_dispatch_mode, torch._C._TorchDispatchModeKey.PROXY
_pre_dispatch_stack = torch._ops.mode_stack_state_for_pre_dispatch


def applied_in_graph(program: Derivable, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The outputs of a program, by the operator.

    Raises
    ------
    ActivityError
        Within transforms, of which an operator knows reverse mode only.
    """
    if _transformed() or forward_ad._current_level >= 0:
        raise ActivityError(
            what="torch.func or forward mode around a function of enzyme, in a graph that PyTorch records",
            why="in a recorded graph the function is an operator, with a backward pass and nothing else",
            todo=(
                "apply the transform outside: torch.func.grad(f), and compile what does not use it",
                "in place of torch.func.linearize, which records a graph, use torch.func.jvp",
                "or let the graph break there: torch.compiler.disable(f)",
            ),
        )
    inputs = tuple(map(_number, inputs))
    template = tuple(None if isinstance(x, torch.Tensor) else (x,) for x in inputs)
    tensors = [x for x in inputs if isinstance(x, torch.Tensor)]
    return tuple(_call(_PROCESS, _number_of(Prepared(program, template)), tensors))


def _number_of(prepared: Prepared) -> int:
    """Where it stands in the list; without constants, one place for all calls of its program."""
    alone = not any(prepared.template)
    with _lock:  # backward passes run in threads of their own
        known = _alone.get(prepared.program) if alone else None
        if known is not None and _prepared[known].template == prepared.template:
            return known
        _prepared.append(prepared)
        if alone:
            _alone[prepared.program] = len(_prepared) - 1
        return len(_prepared) - 1


def is_traced() -> bool:
    """Does PyTorch record what is done, to do it again with other numbers?"""
    return (
        _tracing_state() is not None
        or _dispatch_mode(_PROXY) is not None
        or _pre_dispatch_stack().get(0) is not None
        or torch.compiler.is_compiling()
    )


def _number(x: Any) -> Any:
    """A constant as it is now, also where the compiler has a symbol for it."""
    if isinstance(x, torch.SymInt | torch.SymFloat | torch.SymBool):
        kinds = {torch.SymInt: int, torch.SymFloat: float, torch.SymBool: bool}
        return kinds[type(x)](x)
    return x


@torch.library.custom_op("enzyme::call", mutates_args=())
def _call(process: str, number: int, tensors: list[torch.Tensor]) -> list[torch.Tensor]:
    prepared, dtype = _prepared[number], common_type(tensors)
    outputs = prepared.outputs(values_of(tensors))
    found = [tensor_of(np.ascontiguousarray(y) if np.ndim(y) else y, dtype) for y in outputs]
    expected = prepared.known.get(_shapes(tensors))
    for y, (shape, _) in zip(found, expected or (), strict=expected is not None):
        if tuple(y.shape) != shape:
            raise ActivityError(
                what=f"{prepared.program.name} in a graph that PyTorch compiles returns an array of shape "
                f"{tuple(y.shape)}, and for ones {shape}",
                why="the shapes of results are found by a run with ones",
                todo="keep it out of the graph: torch.compiler.disable(f)",
            )
    return found


@_call.register_fake
def _(process: str, number: int, tensors: list[torch.Tensor]) -> list[torch.Tensor]:
    """What comes out has the shapes that it has for ones."""
    return [torch.empty(shape, dtype=dtype) for shape, dtype in _prepared[number].for_ones(tensors)]


def _setup(ctx: Any, inputs: Any, output: Any) -> None:
    _, ctx.number, tensors = inputs
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
    return None, None, [found.get(k) for k in places]


_call.register_autograd(_backward, setup_context=_setup)
