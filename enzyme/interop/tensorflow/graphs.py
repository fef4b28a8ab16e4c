"""Programs in graphs, where types and shapes are known and numbers are not."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-any-return"

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numba
import numpy as np
import tensorflow as tf
from numba.core import types
from numba.np.numpy_support import as_dtype
from tensorflow.python.ops.control_flow_util import GraphOrParentsInXlaContext

from enzyme.api.trees import native
from enzyme.api.values import jitted
from enzyme.errors import ActivityError
from enzyme.frontend.numba_compat.callables import returned_type
from enzyme.interop.derivable import (
    ARRAY,
    COMPLEX_ARRAY,
    COMPLEX_NUMBER,
    NUMBER,
    OTHER,
    Derivable,
    no_tensor,
)
from enzyme.interop.tensorflow.tensors import TYPES, arrays_of, is_single, separated, type_of

_KINDS = {"f": (NUMBER, ARRAY), "c": (COMPLEX_NUMBER, COMPLEX_ARRAY)}


def specs_in_graph(program: Derivable, inputs: Sequence[Any]) -> list[Any]:
    """What a program returns for such inputs, by numba's types: those say how many axes there are, and no more."""
    kinds = [_numba_type(x, k, program.name) for k, x in enumerate(inputs)]
    ty = returned_type(jitted(program.f, program.count), tuple(kinds))
    parts = ty.types if isinstance(ty, types.BaseTuple) else [ty]
    single = is_single(inputs)
    specs = []
    for part in parts:
        number = part.dtype if isinstance(part, types.Array) else types.unliteral(part)
        if not isinstance(number, types.Number | types.Boolean):
            raise no_tensor(f"a value of numba's type {part}")
        if not isinstance(part, types.Array) and isinstance(number, types.Integer):
            number = types.int64  # Python has one type of them
        axes = [None] * (part.ndim if isinstance(part, types.Array) else 0)
        specs.append(tf.TensorSpec(axes, type_of(as_dtype(number), single)))
    declare(program, specs, not isinstance(ty, types.BaseTuple))
    return specs


def declare(program: Derivable, specs: Sequence[Any], alone: bool) -> None:
    """Tell a program what it returns, before it has run."""
    program.alone = alone
    program.results = tuple(
        _KINDS.get(TYPES[one.dtype].kind, (OTHER, OTHER))[bool(one.shape.rank)] for one in specs
    )


def in_graph(program: Derivable, inputs: Sequence[Any], specs: Sequence[Any]) -> list[Any]:
    """The outputs of a program, computed by one node of the graph.

    Raises
    ------
    ActivityError
        In code for XLA, which calls no such nodes.
    """
    if GraphOrParentsInXlaContext(tf.compat.v1.get_default_graph()):
        raise ActivityError(
            what=f"{program.name} inside tf.function(jit_compile=True)",
            why="XLA compiles the whole graph, and this function is machine code already, which is called",
            todo=(
                "leave jit_compile out, of a Keras model too: model.compile(..., jit_compile=False)",
                "or compile the parts around the function each by itself",
            ),
        )
    tensors = [x for x in inputs if isinstance(x, tf.Tensor)]
    template = [None if isinstance(x, tf.Tensor) else (x,) for x in inputs]
    dtypes = [one.dtype for one in specs]

    @tf.autograph.experimental.do_not_convert
    def compute(*values: Any) -> list[Any]:
        rest = iter(values)
        found = program(separated(next(rest) if one is None else one[0] for one in template))
        check(found, specs, program.name)
        return arrays_of(found, dtypes)

    outputs = tf.numpy_function(compute, tensors, dtypes, stateful=False, name="enzyme")
    for y, one in zip(outputs, specs, strict=True):
        y.set_shape(one.shape)
    return list(outputs)


def check(found: Sequence[Any], specs: Sequence[Any], name: str) -> None:
    """Is it what was said?"""
    if len(found) != len(specs) or not all(
        one.shape.is_compatible_with(np.shape(y))
        and _kind(TYPES[one.dtype]) == _kind(np.asarray(y).dtype)
        for y, one in zip(found, specs, strict=True)
    ):
        said = ", ".join(f"{one.dtype.name}{one.shape}" for one in specs)
        made = ", ".join(f"{np.asarray(y).dtype.name}{np.shape(y)}" for y in found)
        raise ActivityError(
            what=f"output_signature of {name} says {said}, and it returns {made}",
            todo="give one tf.TensorSpec for each number and array, of the same kind and shape, with None for an axis "
            "of any length",
        )


def _kind(dtype: Any) -> str:
    return "i" if dtype.kind == "u" else str(dtype.kind)


def _numba_type(x: Any, position: int, name: str) -> Any:
    if not isinstance(x, tf.Tensor):
        return numba.typeof(native(x))
    if x.shape.rank is None:
        raise ActivityError(
            what=f"argument {position} of {name} is a tensor of unknown rank, in a graph",
            why="what is compiled depends on the number of axes",
            todo="say it: x.set_shape([None, None]), or tf.function(input_signature=...)",
        )
    number = numba.from_dtype(TYPES[x.dtype])
    return types.Array(number, x.shape.rank, "C") if x.shape.rank else number
