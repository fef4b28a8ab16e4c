"""From Python values to numba's types, and to keys under which compiled derivatives are found.

A key must tell apart whatever needs different code. Numba's own fingerprint does that for arrays
and containers; functions stand for themselves.
"""

from __future__ import annotations

import inspect
import types as pytypes
from typing import Any

import numba
import numpy as np
from numba._dispatcher import compute_fingerprint
from numba.core import types
from numba.core.ccallback import CFunc
from numba.extending import is_jitted
from numba.np.numpy_support import from_dtype

from enzyme.errors import ActivityError
from enzyme.frontend.function_values import as_jitted
from enzyme.support.attached import Attached
from enzymecore import (
    ArrayType,
    ClassType,
    FunctionType,
    NumbaType,
    ScalarType,
    StructType,
    TupleType,
)

SCALARS = frozenset(
    [float, complex, bool, type(None), str, *(np.dtype(code).type for code in "?bhilBHILfdFD")]
)
INT64 = range(-(2**63), 2**63)
_PLAIN = (pytypes.FunctionType,)

_ATTRIBUTE = "__enzyme_dispatcher__"
_SPREAD = "__enzyme_spread__"
_wrapped: dict[tuple[Any, int], Any] = {}


def key_of(x: Any) -> Any:
    """A hashable key of the type of `x`."""
    cls = type(x)
    if cls in SCALARS:
        return cls
    if cls is int:
        return cls if x in INT64 else np.uint64
    try:
        return compute_fingerprint(x)
    except (NotImplementedError, TypeError, ValueError):
        pass
    if cls is tuple:
        return tuple(map(key_of, x))
    if is_jitted(x) or isinstance(x, (type, np.dtype, CFunc, *_PLAIN)):
        return x
    try:
        return getattr(x, "_numba_type_", None) or numba.typeof(x)
    except ValueError:  # refused where it is compiled
        return cls


def jitted(func: Any, arity: int) -> Any:
    """The dispatcher of a function: itself, the jitted form of a plain function, or of a builtin
    such as `math.sin` or a universal function, called with `arity` arguments.

    Raises
    ------
    ActivityError
        For a callable object that numba cannot compile.
    """
    if is_jitted(func):
        return func
    if isinstance(func, _PLAIN):
        # At the function itself: a table of dispatchers, which hold it, would keep it alive.
        kept = func.__dict__.get(_ATTRIBUTE)
        if kept is None or not kept.belongs_to(func):
            kept = func.__dict__[_ATTRIBUTE] = Attached(func, numba.njit(func))
        return kept.value
    if isinstance(func, (pytypes.BuiltinFunctionType, np.ufunc)):
        found = _wrapped.get((func, arity))
        if found is None:
            found = _wrapped[func, arity] = calling(func, arity, func.__name__)
        return found
    what = type(func).__name__
    if callable(func):
        raise ActivityError(
            what=f"a callable object of type {what} cannot be compiled",
            why="numba knows named tuples and jitclass instances, but no objects of other classes",
            todo=(
                "make it a named tuple whose class defines __call__, or a method of a jitclass",
                "or write a function and pass the data of the object as arguments",
            ),
        )
    raise ActivityError(
        what=f"the thing to differentiate must be a function, not {func!r:.80} of type {what}",
        todo="write autodiff(mode, f, return_activity, *annotations)",
    )


def spread(dispatcher: Any, count: int) -> Any:
    """A function that takes `*args`, as one that takes `count` arguments; any other as it is."""
    py_func = getattr(dispatcher, "py_func", None)
    if py_func is None or not py_func.__code__.co_flags & inspect.CO_VARARGS:
        return dispatcher
    try:
        inspect.signature(py_func).bind(*range(count))
    except TypeError:
        return dispatcher  # the caller complains
    kept = dispatcher.__dict__.get(_SPREAD)
    if kept is None or not kept.belongs_to(dispatcher):
        kept = dispatcher.__dict__[_SPREAD] = Attached(dispatcher, {})
    found = kept.value
    if count not in found:
        found[count] = calling(dispatcher, count, py_func.__name__)
    return found[count]


def calling(function: Any, count: int, name: str) -> Any:
    """A jitted function of `count` arguments that calls `function`."""
    names = ", ".join(f"x{i}" for i in range(count))
    # A closure: numba's finaliser of the new dispatcher holds its globals, and would keep the function alive.
    scope: dict[str, Any] = {}
    exec(
        f"def make(func):\n    def call({names}):\n        return func({names})\n    return call\n",
        scope,
    )
    call = scope["make"](function)
    call.__name__ = call.__qualname__ = name
    return numba.njit(call)


def native(x: Any) -> Any:
    """`x` as numba can take it: plain functions and `numba.cfunc` jitted, in tuples too."""
    if isinstance(x, _PLAIN):
        return jitted(x, 0)
    if isinstance(x, CFunc):
        return as_jitted(x)
    if type(x) is tuple and any(isinstance(item, (tuple, CFunc, *_PLAIN)) for item in x):
        return tuple(map(native, x))
    return x


def type_of(x: Any, position: int) -> types.Type:
    """Numba's type of the argument at `position`.

    Raises
    ------
    ActivityError
        If numba has no type for it.
    """
    try:
        found = numba.typeof(native(x))
        problem = "" if getattr(found, "dtype", None) != types.pyobject else f"its type is {found}"
    except ValueError as error:
        problem = str(error).splitlines()[0]
    if problem:
        raise ActivityError(
            what=f"argument {position}: numba cannot compile for a value of {type(x)}",
            why=problem,
            todo="pass numbers, arrays of numbers, tuples, typed lists or functions",
        )
    return found


def numba_type(described: Any) -> types.Type:
    """Numba's type for a type descriptor of `enzymecore.typeof`.

    Raises
    ------
    ActivityError
        If numba has none.

    Examples
    --------
    >>> from enzymecore import typeof
    >>> numba_type(typeof(1.0))
    float64
    """
    match described:
        case ScalarType(dtype=np.dtype() as dtype) if dtype.kind in "fciub":
            return from_dtype(dtype)
        case ScalarType(name="none"):
            return types.none
        case ScalarType(name="str"):
            return types.unicode_type
        case ArrayType():
            readonly = not described.mutable
            layout: Any = described.layout
            element: Any = from_dtype(described.dtype)
            return types.Array(element, described.ndim, layout, readonly, aligned=described.aligned)
        case TupleType():
            return types.BaseTuple.from_types([numba_type(part) for part in described.types])
        case StructType():
            members = [numba_type(part) for part in described.types]
            return types.BaseTuple.from_types(members, described.cls)
        case NumbaType():
            return described.numba_type
        case FunctionType():
            return numba.typeof(native(described.function))
        case ClassType():
            return numba.typeof(described.target)
    raise ActivityError(what=f"numba has no type for {described!r}")
