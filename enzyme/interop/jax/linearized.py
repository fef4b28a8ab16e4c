"""One run of a function for both passes, where JAX says that a backward pass will follow.

Of one number the gradient is found with the value; of several results the backward pass gets what the forward pass
kept.  JAX has no public interface for this, so it is done for the versions whose interface is known.  Without it a
backward pass runs the function once more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jax._src.interpreters import ad
from jax.core import Tracer

from enzyme.interop.jax.handlers import Layer
from enzyme.interop.jax.primitive import Linear, bind, call_p, moving_in, tangents_of
from enzyme.interop.jax.programs import Program
from enzyme.interop.jax.taped import NUMBER_SHAPE, Taped, taped

# Numbers in a gradient that is kept, where code is traced: a loop keeps that of each step, and of inputs that all steps
# have in common it would keep the inputs once.
_MOST = 2**17
# Numbers that are copied for a backward pass, of what is differentiated and of constants.
_MOST_COPIED, _MOST_CONSTANT = 2**20, 2**14


def _linearize(
    is_reverse: bool,
    nonzero: Sequence[bool],
    *inputs: Any,
    program: Program,
    shapes: Any,
    layers: Any,
    linear: Linear | None,
) -> Any:
    """The outputs, and how tangents go to theirs, which JAX transposes."""
    moving = moving_in(program, nonzero)
    if is_reverse and moving and program.moved and linear is None:
        if len(shapes) == 1 and not program.outputs[0].ndim:
            apart = all(layer.cut[k] for layer in layers for k in moving)
            kept = sum(math.prod(jnp.shape(inputs[k])) for k in moving)
            if apart and (kept <= _MOST or not any(isinstance(x, Tracer) for x in inputs)):
                return _with_gradient(inputs, program, shapes, layers, moving)
        elif _is_small(inputs, program, shapes, layers, moving):
            made = taped(program, moving)
            if made is not None:
                return _with_tape(inputs, made, shapes, layers)
    return ad.fallback_linearize_rule(
        call_p,
        is_reverse,
        nonzero,
        *inputs,
        program=program,
        shapes=shapes,
        layers=layers,
        linear=linear,
    )


def _with_gradient(
    inputs: Sequence[Any], program: Program, shapes: Any, layers: Any, moving: tuple[int, ...]
) -> Any:
    """Value and gradient of one number in one run, before the backward pass is asked for: it only multiplies then."""
    value, *slopes = bind(
        program.with_gradient(moving),
        (*shapes, *(jnp.shape(inputs[k]) for k in moving)),
        tuple(Layer(layer.cut, layer.stacked * (1 + len(moving))) for layer in layers),
        None,
        inputs,
    )

    def product(slopes: Sequence[Any], *tangents: Any) -> list[Any]:
        terms = [
            (slope * tangents[k]).sum(axis=tuple(range(len(layers), slope.ndim)))
            for k, slope in zip(moving, slopes, strict=True)
        ]
        return [sum(terms[1:], terms[0])]

    return [value], [True], slopes, product


def _is_small(
    inputs: Sequence[Any], program: Program, shapes: Any, layers: Any, moving: tuple[int, ...]
) -> bool:
    """Is it cheap to copy what goes in and comes out? Of constants a function may read a few numbers only."""

    def size(shape: tuple[int, ...], layered: Sequence[bool]) -> int:
        return math.prod(shape[sum(layered) :])

    copied, constant = 0, 0
    for k, x in enumerate(inputs):
        numbers = size(jnp.shape(x), [layer.cut[k] for layer in layers])
        if k in moving:
            copied += numbers
        else:
            constant += numbers
    for k, shape in enumerate(shapes):
        copied += size(shape, [layer.stacked[k] for layer in layers])
    return copied <= _MOST_COPIED and constant <= _MOST_CONSTANT


def _with_tape(inputs: Sequence[Any], program: Taped, shapes: Any, layers: Any) -> Any:
    """The outputs, and the number of what was kept for the backward pass."""
    sizes = _sizes(inputs, shapes, layers)
    *outputs, number = bind(
        program.forward,
        (*shapes, (*sizes, *NUMBER_SHAPE)),
        tuple(Layer(layer.cut, (*layer.stacked, True)) for layer in layers),
        None,
        inputs,
    )
    along = tuple(Layer((*layer.cut, True), layer.stacked) for layer in layers)

    def product(kept: Sequence[Any], *tangents: Any) -> list[Any]:
        given = [ad.instantiate_zeros(tangents[k]) for k in program.moving]
        return tangents_of(program, shapes, along, program.moving, kept, given)

    nonzero = [k in program.moved for k in range(len(shapes))]
    return outputs, nonzero, [*inputs, number], product


def _sizes(inputs: Sequence[Any], shapes: Any, layers: Any) -> list[int]:
    """How many samples each layer has."""
    found = []
    for depth, layer in enumerate(layers):
        places = [(jnp.shape(x), k) for k, x in enumerate(inputs) if layer.cut[k]]
        shape, k = places[0]
        found.append(shape[sum(one.cut[k] for one in layers[:depth])])
    return found


ad.primitive_linearizations[call_p] = _linearize
