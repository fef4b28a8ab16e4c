"""A program with its gradient, as TensorFlow takes it: its backward pass is a program of the same kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from enzyme.interop.derivable import OTHER, Derivable, as_it_is
from enzyme.interop.tensorflow.graphs import check, declare, in_graph, specs_in_graph
from enzyme.interop.tensorflow.tensors import (
    arrays_of,
    is_differentiable,
    is_single,
    tensor_of,
    type_of,
    values_of,
)


def applied(program: Derivable, inputs: Sequence[Any], specs: Sequence[Any] | None) -> list[Any]:
    """The outputs of a program; `specs` says what they are, if that is known."""
    template = [None if isinstance(x, tf.Tensor) else (as_it_is(x),) for x in inputs]
    tensors = [x for x in inputs if isinstance(x, tf.Tensor)]
    eager = tf.executing_eagerly()
    if not eager:
        # In a graph of its own a backward pass must not name tensors of another one.
        tensors = list(map(tf.identity, tensors))

    def run(*xs: Any) -> Any:
        rest = iter(xs)
        given = [next(rest) if one is None else one[0] for one in template]
        outputs = run_now(program, given, specs)

        def backward(*cotangents: Any) -> Any:
            adjoints = _adjoints(program, given, cotangents)
            return [adjoints.get(k) for k, one in enumerate(template) if one is None]

        return tuple(outputs), backward

    run_now: Any = _eagerly if eager else in_graph
    if not eager and specs is None:
        rest = iter(tensors)
        specs = specs_in_graph(program, [next(rest) if one is None else one[0] for one in template])
    return list(tf.custom_gradient(run)(*tensors) if tensors else run()[0])


def _eagerly(program: Derivable, given: Sequence[Any], specs: Sequence[Any] | None) -> list[Any]:
    found = program(values_of(given))
    if specs is None:
        single = is_single(given)
        dtypes = [type_of(np.asarray(y).dtype, single) for y in found]
    else:
        check(found, specs, program.name)
        dtypes = [one.dtype for one in specs]
    return list(map(tensor_of, arrays_of(found, dtypes)))


def _adjoints(
    program: Derivable, given: Sequence[Any], cotangents: Sequence[Any]
) -> dict[int, Any]:
    """By the places of inputs. TensorFlow does not say which of them are watched: it gets those of all."""
    wanted = tuple([k for k, x in enumerate(given) if is_differentiable(x)])
    kinds = program.results or ()
    seeded = tuple(
        [k for k, kind in enumerate(kinds) if kind != OTHER and cotangents[k] is not None]
    )
    if not wanted or not seeded:
        return {}
    pullback = program.pullback(wanted, seeded)
    specs = [tf.TensorSpec(given[k].shape, given[k].dtype) for k in wanted]
    declare(pullback, specs, False)
    inputs = [*given, *[tf.convert_to_tensor(cotangents[k]) for k in seeded]]
    return dict(zip(wanted, applied(pullback, inputs, specs), strict=True))
