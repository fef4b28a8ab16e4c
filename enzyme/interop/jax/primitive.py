"""The primitive of JAX that calls a program: its tangents, transposes and batches are calls of programs again.

A call that is linear says what it is a derivative of: tangents are transposed to adjoints, and adjoints to tangents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import ShapedArray
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir, xla

from enzyme.errors import ActivityError
from enzyme.interop.forms import is_float
from enzyme.interop.jax.handlers import Layer
from enzyme.interop.jax.programs import Program


@dataclass(frozen=True)
class Linear:
    """A derivative of `program`: tangents of its outputs for those of the inputs `of`, or adjoints of these inputs."""

    program: Program
    of: tuple[int, ...]
    is_adjoint: bool = False


call_p = Primitive("enzyme_call")
call_p.multiple_results = True


def call(program: Program, shapes: Sequence[tuple[int, ...]], *inputs: Any) -> list[Any]:
    """The outputs of a program, which have these shapes."""
    return bind(program, tuple(shapes), (), None, inputs)


def bind(
    program: Program,
    shapes: tuple[tuple[int, ...], ...],
    layers: tuple[Layer, ...],
    linear: Linear | None,
    inputs: Sequence[Any],
) -> list[Any]:
    """The outputs of a program in loops over samples, which may be a derivative of another one."""
    return call_p.bind(  # type: ignore[no-any-return]
        *inputs, program=program, shapes=shapes, layers=layers, linear=linear
    )


call_p.def_impl(lambda *inputs, **parameters: xla.apply_primitive(call_p, *inputs, **parameters))


@call_p.def_abstract_eval
def _abstract(*_: Any, program: Program, shapes: Any, **__: Any) -> list[Any]:
    return [
        ShapedArray(shape, np.dtype(form.dtype))
        for shape, form in zip(shapes, program.outputs, strict=True)
    ]


# --- derivatives ----------------------------------------------------------------------------------


def moving_in(program: Program, nonzero: Sequence[bool]) -> tuple[int, ...]:
    """The inputs that have tangents."""
    return tuple(k for k, yes in enumerate(nonzero) if yes and is_float(program.inputs[k]))


def tangents_of(
    program: Program, shapes: Any, layers: Any, moving: tuple[int, ...], inputs: Any, given: Any
) -> list[Any]:
    """The tangents of the outputs, symbolic zeros for those that have none."""
    found: list[Any] = [
        ad.Zero(ShapedArray(shape, np.dtype(form.dtype)).to_tangent_aval())
        for shape, form in zip(shapes, program.outputs, strict=True)
    ]
    if not moving or not program.moved:
        return found
    along = tuple(
        Layer(
            (*layer.cut, *(layer.cut[k] for k in moving)),
            tuple(layer.stacked[k] for k in program.moved),
        )
        for layer in layers
    )
    outputs = bind(
        program.tangent(moving),
        tuple(shapes[k] for k in program.moved),
        along,
        Linear(program, moving),
        (*inputs, *given),
    )
    for k, tangent in zip(program.moved, outputs, strict=True):
        found[k] = tangent
    return found


def _jvp(
    inputs: Any, tangents: Any, *, program: Program, shapes: Any, layers: Any, linear: Any
) -> Any:
    outputs = bind(program, shapes, layers, linear, inputs)
    moving = moving_in(program, [type(t) is not ad.Zero for t in tangents])
    given = [ad.instantiate_zeros(tangents[k]) for k in moving]
    return outputs, tangents_of(program, shapes, layers, moving, inputs, given)


ad.primitive_jvps[call_p] = _jvp


def _transpose(
    cotangents: Any, *inputs: Any, program: Program, shapes: Any, layers: Any, linear: Linear | None
) -> Any:
    del shapes
    count = len(linear.program.inputs) if linear is not None else len(inputs)
    if linear is None or any(map(ad.is_undefined_primal, inputs[:count])):
        raise ActivityError(
            what=f"the transpose of {program}",
            why="to JAX it is a function like any other, linear or not",
            todo="take the transpose of its derivative: jax.vjp(f, x)[1]",
        )
    inner, of = linear.program, linear.of
    primals, given = inputs[:count], inputs[count:]
    found: list[Any] = [None] * len(inputs)
    asked = [k for k, x in enumerate(given) if ad.is_undefined_primal(x)]
    seeds = [k for k, ct in enumerate(cotangents) if type(ct) is not ad.Zero]
    results = asked
    if linear.is_adjoint:  # from cotangents of all outputs to adjoints of `of`
        moving = tuple(of[k] for k in seeds)
        made, stated = inner.tangent(moving), Linear(inner, moving)
        results = list(range(len(given)))
    else:  # from tangents of `of` to tangents of all outputs
        wanted = tuple(of[k] for k in asked)
        made, stated = inner.adjoint(wanted), Linear(inner, wanted, True)
        seeds = list(range(len(cotangents))) if seeds else []
    if not seeds:
        for k in asked:
            found[count + k] = ad.Zero(given[k].aval)
        return found
    outputs = bind(
        made,
        tuple(_shape(given[k]) for k in results),
        tuple(
            Layer(
                (*layer.cut[:count], *(layer.stacked[k] for k in seeds)),
                tuple(layer.cut[count + k] for k in results),
            )
            for layer in layers
        ),
        stated,
        (*primals, *(ad.instantiate_zeros(cotangents[k]) for k in seeds)),
    )
    for k, output in zip(results, outputs, strict=True):
        if k in asked:
            found[count + k] = output
    return found


def _shape(x: Any) -> tuple[int, ...]:
    return x.aval.shape if ad.is_undefined_primal(x) else np.shape(x)  # type: ignore[no-any-return]


ad.primitive_transposes[call_p] = _transpose


# --- batches --------------------------------------------------------------------------------------


def _batch(
    inputs: Any, axes: Any, *, program: Program, shapes: Any, layers: Any, linear: Any
) -> Any:
    cut = tuple(axis is not None for axis in axes)
    if program.shared is not None and not cut[program.spare]:
        kept = [k for k in range(len(inputs)) if k != program.spare]
        return _batch(
            [inputs[k] for k in kept],
            [axes[k] for k in kept],
            program=program.shared,
            shapes=shapes,
            layers=tuple(
                Layer(tuple(layer.cut[k] for k in kept), layer.stacked) for layer in layers
            ),
            linear=Linear(linear.program.plain, linear.of, True),
        )
    moved = [x if axis is None else jnp.moveaxis(x, axis, 0) for x, axis in zip(inputs, axes)]
    size = next(x.shape[0] for x, yes in zip(moved, cut) if yes)
    layer = Layer(cut, (True,) * len(shapes))
    shapes = tuple((size, *shape) for shape in shapes)
    outputs = bind(program, shapes, (layer, *layers), linear, moved)
    return outputs, [0] * len(outputs)


batching.primitive_batchers[call_p] = _batch


# --- code -----------------------------------------------------------------------------------------


def _lower(context: Any, *inputs: Any, program: Program, layers: Any, **_: Any) -> Any:
    return jax.ffi.ffi_lowering(program.target(layers))(context, *inputs)


mlir.register_lowering(call_p, _lower, platform="cpu")


@partial(mlir.register_lowering, call_p)
def _refuse(context: Any, *_: Any, program: Program, **__: Any) -> Any:
    platforms = ", ".join(context.module_context.platforms)
    raise ActivityError(
        what=f"{program} on {platforms}",
        why="numba's code runs on the processor",
        todo="give it arrays there: jax.device_put(x, jax.devices('cpu')[0])",
    )
