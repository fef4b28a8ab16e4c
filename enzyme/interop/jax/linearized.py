"""A loss and its gradient in one run, where JAX says that a backward pass will follow.

JAX has no public interface for this, so it is done for the versions whose interface is known.  Without it a backward
pass runs the function once more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jax._src.interpreters import ad
from jax.core import Tracer

from enzyme.interop.jax.handlers import Layer
from enzyme.interop.jax.primitive import Linear, bind, call_p, moving_in
from enzyme.interop.jax.programs import Program

# Numbers in a gradient that is kept, where code is traced: a loop keeps that of each step, and of inputs that all steps
# have in common it would keep the inputs once.
_MOST = 2**17


def _linearize(
    is_reverse: bool,
    nonzero: Sequence[bool],
    *inputs: Any,
    program: Program,
    shapes: Any,
    layers: Any,
    linear: Linear | None,
) -> Any:
    """Value and gradient of one number in one run, before the backward pass is asked for: it only multiplies then."""
    moving = moving_in(program, nonzero)
    one = len(shapes) == 1 and program.moved == (0,) and not program.outputs[0].ndim
    apart = all(layer.cut[k] for layer in layers for k in moving)
    kept = [jnp.shape(inputs[k]) for k in moving]
    few = sum(map(math.prod, kept)) <= _MOST or not any(isinstance(x, Tracer) for x in inputs)
    if not (is_reverse and moving and one and apart and few and linear is None):
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
    value, *slopes = bind(
        program.with_gradient(moving),
        (*shapes, *kept),
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


ad.primitive_linearizations[call_p] = _linearize
