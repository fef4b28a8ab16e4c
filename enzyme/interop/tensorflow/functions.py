"""`function`: what users of TensorFlow call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from enzyme.errors import ActivityError
from enzyme.functional.arguments import signature_of
from enzyme.interop.derivable import Derivable
from enzyme.interop.programs import Programs, holds_tensors, leaves_of
from enzyme.interop.tensorflow.gradients import applied
from enzyme.interop.tensorflow.graphs import declare
from enzyme.interop.tensorflow.tensors import TYPES, as_tensor, is_tensor, kind_of


def function(f: Callable[..., Any], output_signature: Any = None) -> Callable[..., Any]:
    """A function that numba compiles, as a function of tensors.

    Parameters
    ----------
    f
        The function: it takes numbers and arrays, and returns a number, an array, or a tuple of those.
    output_signature
        What it returns, for graphs that must know shapes: a `tf.TensorSpec`, or a tuple of them; where that depends on
        the arguments, a function that takes them, with a `tf.TensorSpec` in place of each tensor. Without it graphs
        know the type and the number of axes.

    Returns
    -------
    function
        It takes what `f` takes, with tensors and variables in place of arrays, and tensors without axes in place of
        numbers, also in tuples, lists, dictionaries with texts as keys, and dataclasses, and returns tensors, eagerly
        and inside `tf.function`. Those of floats and complex numbers carry
        derivatives of every order; whole numbers, NumPy arrays and numbers of Python are constants.

    Raises
    ------
    ActivityError
        When it is called, for tensors on other devices or of half precision, and in code that XLA compiles.
    EnzymeError
        As `gradient`, when derivatives are asked for.

    Examples
    --------
    >>> import tensorflow as tf
    >>> from enzyme.interop.tensorflow import function
    >>> cube = function(lambda x: x**3)
    >>> @tf.function
    ... def slopes(x):
    ...     with tf.GradientTape() as outer:
    ...         outer.watch(x)
    ...         with tf.GradientTape() as inner:
    ...             inner.watch(x)
    ...             y = cube(x)
    ...         slope = inner.gradient(y, x)
    ...     return slope, outer.gradient(slope, x)
    >>> [float(one) for one in slopes(tf.constant(2.0))]
    [12.0, 12.0]
    """
    return TensorFunction(f, output_signature)


class TensorFunction:
    """What `function` returns: called as `f` is, and pickled by it."""

    def __init__(self, f: Callable[..., Any], output_signature: Any) -> None:
        self._f = f
        self._declared = output_signature
        # No __wrapped__: tf.function would take that in place of an argument that has it.
        self.__name__ = self.__qualname__ = getattr(f, "__name__", type(f).__name__)
        self._program = Programs(f, self.__name__, kind_of)
        self.__doc__ = getattr(f, "__doc__", None)
        self.__signature__ = signature_of(f)

    @tf.autograph.experimental.do_not_convert  # type: ignore[untyped-decorator]
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if kwargs:
            bound = self.__signature__.bind(*args, **kwargs)
            bound.apply_defaults()
            args = bound.args
        inputs, tree = leaves_of(args, is_tensor)
        inputs = tuple([as_tensor(x, k) for k, x in enumerate(inputs)])
        program = self._program(inputs, tree)
        found = applied(program, inputs, self._specs(program, args if tree else inputs))
        return found[0] if program.alone else tuple(found)

    def __reduce__(self) -> Any:
        return TensorFunction, (self._f, self._declared)

    def _specs(self, program: Derivable, args: tuple[Any, ...]) -> list[Any] | None:
        declared = self._declared
        if declared is None:
            return None
        if callable(declared) and not isinstance(declared, tf.TensorSpec):
            declared = declared(*(_described_in(x) for x in args))
        alone = not isinstance(declared, tuple | list)
        specs = [declared] if alone else list(declared)
        for one in specs:
            if (
                not isinstance(one, tf.TensorSpec)
                or one.dtype not in TYPES
                or one.shape.rank is None
            ):
                raise ActivityError(
                    what=f"output_signature of {self.__name__} holds {one!r:.60}",
                    todo="give a tf.TensorSpec, or a tuple of them, each with a number of axes",
                )
        declare(program, specs, alone)
        return specs


def _described_in(x: Any) -> Any:
    """An argument as functions of shapes get it."""
    return tf.nest.map_structure(_described, x) if holds_tensors(x, is_tensor) else _described(x)


def _described(x: Any) -> Any:
    return tf.TensorSpec(x.shape, x.dtype) if is_tensor(x) else x
