"""`function`: what users of JAX call."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-any-return"

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any

import jax

from enzyme.api.values import jitted
from enzyme.functional.arguments import signature_of
from enzyme.interop.arguments import Arguments
from enzyme.interop.forms import numba_type
from enzyme.interop.jax.arguments import JaxArguments, taken_apart
from enzyme.interop.jax.primitive import call
from enzyme.interop.jax.programs import Program, label_of
from enzyme.interop.jax.results import Results, results_of
from enzyme.interop.typed import flattened, joined, takes, written_by


def function(f: Callable[..., Any], result_shape_dtypes: Any = None) -> Callable[..., Any]:
    """A function that numba compiles, as a function of JAX's arrays.

    Parameters
    ----------
    f
        The function: it takes numbers and arrays, and returns a number, an array, or a tuple of those.
    result_shape_dtypes
        What it returns, as for `jax.pure_callback`: a `jax.ShapeDtypeStruct`, or a tree of them, whose form the results
        get. Where that depends on the arguments, a function that takes them, with a `jax.ShapeDtypeStruct` in place of
        each array. Of numbers it need not be said.

    Returns
    -------
    function
        It takes what `f` takes, with JAX's arrays in place of arrays, and arrays without axes in place of numbers, and
        returns such. All of JAX's transformations apply: `jit`, `grad`, `jvp`, `vmap`, `scan` and so on, in any order.

    Raises
    ------
    ActivityError
        When it is called, for arrays of other numbers, or when `f` returns something else than was said.
    EnzymeError
        As `gradient`, when derivatives are asked for.

    Examples
    --------
    >>> import jax
    >>> import jax.numpy as jnp
    >>> from enzyme.interop.jax import function
    >>> cube = function(lambda x: x**3)
    >>> print(jax.jit(jax.grad(jax.grad(cube)))(2.0))
    12.0
    >>> print(jax.vmap(jax.grad(cube))(jnp.arange(3.0)))
    [ 0.  3. 12.]
    >>> twice = function(lambda x: 2.0 * x, lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype))
    >>> print(jax.jit(twice)(jnp.arange(3.0)))
    [0. 2. 4.]
    """
    return ArrayFunction(f, result_shape_dtypes)


class ArrayFunction:
    """What `function` returns: called as `f` is, and pickled by it."""

    def __init__(self, f: Callable[..., Any], result_shape_dtypes: Any) -> None:
        self._f = f
        self._declared = result_shape_dtypes
        self._compiled: dict[Any, tuple[Any, Any]] = {}
        self._programs: dict[Any, Program] = {}
        self._lock = RLock()
        self.__wrapped__ = f
        self.__name__ = self.__qualname__ = getattr(f, "__name__", type(f).__name__)
        self.__doc__ = getattr(f, "__doc__", None)
        self.__signature__ = signature_of(f)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if kwargs:
            bound = self.__signature__.bind(*args, **kwargs)
            bound.apply_defaults()
            args = bound.args
        given = taken_apart(args)
        with self._lock:
            program, results = self._program(args, given)
        return results.joined(call(program, results.real_shapes, *given.arrays))

    def __reduce__(self) -> Any:
        return ArrayFunction, (self._f, self._declared)

    def _program(self, args: tuple[Any, ...], given: JaxArguments) -> tuple[Program, Results]:
        """Another one when the globals of a plain function have changed."""
        inner = jitted(self._f, len(args))
        key = inner, given.key
        if key not in self._compiled:
            plain = takes(self.__signature__, len(given.arrays))
            whole = joined(inner, given, plain, self.__name__)
            kinds = tuple(map(numba_type, given.forms))
            whole.compile(kinds)
            self._compiled[key] = whole, whole.overloads[kinds].signature.return_type
        whole, returns = self._compiled[key]
        declared = self._declared
        if callable(declared):
            declared = declared(*map(_described, args))
        single = given.strong == {"float32"} or not jax.config.jax_enable_x64
        results = results_of(returns, declared, single, self.__name__)
        place = *key, results.forms
        if place not in self._programs:
            self._programs[place] = self._made(inner, whole, given, results)
        return self._programs[place], results

    def _made(self, inner: Any, whole: Any, given: Arguments, results: Results) -> Program:
        outputs = results.sources()
        derivable = flattened(whole, given.forms, outputs, self.__name__)
        label = label_of(inner, given.sources, given.scope, written_by(whole, given.forms), outputs)
        return Program(derivable, tuple(given.forms), results.forms, label, inner)


def _described(x: Any) -> Any:
    """An argument as functions of shapes get it."""
    return jax.tree_util.tree_map(
        lambda one: jax.ShapeDtypeStruct(one.shape, one.dtype) if hasattr(one, "shape") else one, x
    )
