"""From Python values to numba's types, and to keys under which compiled derivatives are found.

A key must tell apart whatever needs different code, and whatever numba refuses. Functions stand for themselves.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined"

from __future__ import annotations

import inspect
import types as pytypes
from dataclasses import is_dataclass
from functools import partial
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.core.errors import NumbaError
from numba.extending import is_jitted
from numba.np.numpy_support import from_dtype
from numpy import ndarray

from enzyme.disk.captured import ROOT, Captured, Root
from enzyme.errors import ActivityError, EnzymeError
from enzyme.frontend.numba_compat.callables import (
    CFunc,
    StencilFunc,
    UfuncBase,
    fingerprint,
    name_of,
)
from enzyme.frontend.numba_compat.late import load_now
from enzyme.frontend.tuples import tuple_type
from enzyme.support.keywords import positional
from enzyme.support.per_function_cache import PerFunctionCache, table_of
from enzymecore import (
    ArrayType,
    ClassType,
    FunctionType,
    NumbaType,
    ObjectType,
    RecordType,
    ScalarType,
    StructType,
    TupleType,
)
from enzymecore.foreign_arrays import as_numpy

SCALARS = frozenset(
    [float, complex, bool, type(None), str, *(np.dtype(code).type for code in "?bhilBHILfdFD")]
)
INT64 = range(-(2**63), 2**63)
_PLAIN = (pytypes.FunctionType,)
# What stands for code that numba has, or makes: it is called from a function made for that. NumPy's functions of
# arrays are of a class of their own.
CALLED: tuple[Any, ...] = (
    pytypes.BuiltinFunctionType,
    np.ufunc,
    UfuncBase,
    StencilFunc,
    type(np.sum),
)
# Kinds of numbers of which numba's fingerprint of an array says everything, if it is aligned.
NATIVE = frozenset(np.dtype(code) for code in "?bhilqBHILQfdFD")
LAYOUT = 0x503  # NumPy's flags: C or F contiguous, aligned, writeable

WITH_KEYS = "use gradient, jacobian, grad, hessian, jvp or their relatives, which take such objects"
_ATTRIBUTE = "__enzyme_dispatcher__"
# A method of callable objects that have a jitted form, which it gives.
JITTED = "__enzyme_jitted__"
_SPREAD = "__enzyme_spread__"
_wrapped: dict[tuple[Any, int], Any] = {}


def key_of(x: Any) -> Any:
    """A hashable key of the type of `x`."""
    cls = type(x)
    if cls in SCALARS:
        return cls
    if cls is int:
        return cls if x in INT64 else np.uint64
    if cls is ndarray:
        return array_key(x)
    if cls is tuple:
        return tuple(map(key_of, x))
    if isinstance(x, ndarray):
        return cls, array_key(x)
    if isinstance(x, tuple):
        return cls, tuple(map(key_of, x))
    if isinstance(x, _PLAIN):
        return jitted(x, 0)
    if is_jitted(x) or isinstance(x, (type, np.dtype, CFunc)):
        return x
    if cls is list or cls is set:  # of one type, by its first item
        return cls, key_of(next(iter(x))) if x else None
    if isinstance(x, np.void):
        return cls, x.dtype, x.dtype.isalignedstruct, x.flags.writeable  # a shadow is looked at
    try:
        return getattr(x, "_numba_type_", None) or (cls, fingerprint(x))
    except (NotImplementedError, TypeError, ValueError):
        pass
    load_now()
    try:
        return numba.typeof(x)
    except (NumbaError, ValueError):  # refused where it is compiled
        return cls


def array_key(x: ndarray[Any, Any]) -> Any:
    """A hashable key of the type of an array, but for its class.

    Numba's fingerprint knows dimensions, layout, and whether the array may be written. It takes numbers in
    either byte order and at any address for the same, and a record by what NumPy calls equal.
    """
    if x.dtype in NATIVE and x.flags.aligned:
        return fingerprint(x)
    return x.dtype, x.dtype.isalignedstruct, x.ndim, x.flags.num & LAYOUT


def pair_key(value: Any, shadow: Any) -> Any:
    """A hashable key of the types of a value and its shadow, or tuple of shadows."""
    if (
        type(value) is ndarray is type(shadow)
        and value.dtype in NATIVE
        and shadow.dtype in NATIVE
        and value.flags.aligned
        and shadow.flags.aligned
    ):
        return fingerprint((value, shadow))
    return key_of(value), key_of(shadow)


def jitted(func: Any, arity: int) -> Any:
    """The dispatcher of a function: itself, the jitted form of a plain function, or of a builtin
    such as `math.sin` or a universal function, called with `arity` arguments. That of a plain function is
    another one when its globals have changed.

    Raises
    ------
    ActivityError
        For a callable object that numba cannot compile.
    """
    if isinstance(func, _PLAIN):
        # At the function itself: a table of dispatchers, which hold it, would keep it alive.
        if numba.config.DISABLE_JIT:
            raise EnzymeError(
                what=f"a derivative of {func.__qualname__} while numba's compiler is switched off",
                why="with NUMBA_DISABLE_JIT functions run in the interpreter; derivatives are made of compiled code",
                todo="unset NUMBA_DISABLE_JIT; to look into the function, call it without derivatives",
            )
        kept = func.__dict__.get(_ATTRIBUTE)
        if kept is None or not kept.belongs_to(func) or kept.value[1].changed(func):
            made = numba.njit(positional(func)), Captured(func)
            kept = func.__dict__[_ATTRIBUTE] = PerFunctionCache(func, made)
        return kept.value[0]
    if is_jitted(func):
        return func
    if isinstance(func, CALLED):
        found = _wrapped.get((func, arity))
        if found is None:
            name = name_of(func) if isinstance(func, StencilFunc) else func.__name__
            found = _wrapped[func, arity] = calling(func, arity, name)
        return found
    what = type(func).__name__
    jitted_form = getattr(func, JITTED, None)
    if jitted_form is not None:
        return jitted_form()
    if isinstance(func, partial):
        raise ActivityError(
            what="a partial function cannot be compiled",
            why="numba does not know what it holds",
            todo=(
                "use grad, jacfwd, jacrev or one of their relatives, which take it",
                "or give what it holds as arguments, e.g. Const(3.0)",
            ),
        )
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


def owner_of(func: Any, dispatcher: Any) -> Any:
    """What keeps the compiled derivatives of `func`: itself, or the dispatcher made for it."""
    return dispatcher if isinstance(func, CALLED) or not hasattr(func, "__dict__") else func


def captured_by(func: Any) -> Captured | Root | None:
    """What the plain function `func` reads from outside, as of its dispatcher, or what an object is made of; None for
    other functions."""
    if hasattr(type(func), ROOT):
        return Root(func)
    return func.__dict__[_ATTRIBUTE].value[1] if isinstance(func, _PLAIN) else None


def spread(dispatcher: Any, count: int) -> Any:
    """A function that takes `*args`, as one that takes `count` arguments; any other as it is."""
    py_func = getattr(dispatcher, "py_func", None)
    if py_func is None or not py_func.__code__.co_flags & inspect.CO_VARARGS:
        return dispatcher
    try:
        inspect.signature(py_func).bind(*range(count))
    except TypeError:
        return dispatcher  # the caller complains
    found = table_of(dispatcher, _SPREAD)
    if count not in found:
        found[count] = calling(dispatcher, count, py_func.__name__)
    return found[count]


def calling(function: Any, count: int, name: str) -> Any:
    """A jitted function of `count` arguments that calls `function`."""
    names = ", ".join(f"x{i}" for i in range(count))
    return closure(function, names, f"return f({names})", name)


def closure(function: Any, parameters: str, body: str, name: str, **scope: Any) -> Any:
    """A jitted function with parameters, lines and a name; `f` in it is `function`, and what else it uses is `scope`.

    A closure: numba's finaliser of the new dispatcher holds its globals, and would keep the function alive.
    """
    given = ", ".join(("f", *scope))
    source = f"def make({given}):\n    def call({parameters}):\n        {body}\n    return call\n"
    made: dict[str, Any] = {}
    exec(compile(source, "<enzyme.call>", "exec"), made)
    call = made["make"](function, *scope.values())
    call.__name__ = call.__qualname__ = name
    return numba.njit(call)


def native(x: Any) -> Any:
    """`x` as numba can take it: plain functions and `numba.cfunc` jitted, in tuples too."""
    if isinstance(x, _PLAIN):
        return jitted(x, 0)
    if isinstance(x, CFunc):
        from enzyme.frontend.function_values import as_jitted

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
    if (
        type(x) is ndarray and x.dtype in NATIVE and x.flags.aligned
    ):  # numba would load masked arrays to see
        layout = "C" if x.flags.c_contiguous else "F" if x.flags.f_contiguous else "A"
        made: Any = types.Array  # numba types layouts as literals
        return made(from_dtype(x.dtype), x.ndim, layout, readonly=not x.flags.writeable)
    if type(x) not in SCALARS and type(x) not in (int, tuple):
        load_now()  # the types of this library's objects
    try:
        found = numba.typeof(native(x))
        problem = _problem(found)
    except (NumbaError, ValueError) as error:
        problem = str(error).splitlines()[0]
    if problem:
        raise ActivityError(
            what=f"argument {position}: numba cannot compile for a value of {type(x)}",
            why=problem,
            todo=_remedy(x),
        )
    return found


def argument_type(position: int, arg: Any) -> types.Type:
    """Numba's type of what an annotation, or a parametrised class of one, is of."""
    return numba_type(arg.eltype) if isinstance(arg, type) else type_of(arg.val, position)


def _problem(ty: types.Type) -> str:
    """Why numba has a type but no code for it; empty if it has."""
    if getattr(ty, "dtype", None) == types.pyobject:
        return f"its type is {ty}"
    if types.float16 in (ty, getattr(ty, "dtype", None)):
        return "numba has no half precision on processors"
    if type(ty).__module__.partition(".")[0] == "awkward":
        return "its memory is found by whole numbers, of which nobody knows that they are addresses"
    members = ty.types if isinstance(ty, types.BaseTuple) else ()
    return next(filter(None, map(_problem, members)), "")


def _remedy(x: Any) -> str:
    """What to pass in place of a value that numba does not take."""
    if isinstance(x, np.ma.MaskedArray):
        return "pass its data and its mask as two arrays: np.ma.getdata(x), Const(np.ma.getmaskarray(x))"
    if isinstance(x, ndarray | np.generic):
        kind = x.dtype
        if not kind.isnative:
            return (
                "pass a copy in the byte order of this machine: x.astype(x.dtype.newbyteorder('='))"
            )
        if kind.kind in "fc":
            name = {"e": "np.float32"}.get(kind.char, "complex" if kind.kind == "c" else "float")
            return f"pass another precision: {f'x.astype({name})' if x.ndim else f'{name}(x)'}"
    if isinstance(x, dict) or (is_dataclass(x) and not isinstance(x, type)):
        return WITH_KEYS
    return as_numpy(x) or "pass numbers, arrays of numbers, tuples, typed lists or functions"


def numba_type(described: Any) -> types.Type:
    """Numba's type for a type descriptor of `enzymecore.describing`.

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
        case RecordType():
            return numba.from_dtype(described.dtype)
        case TupleType():
            return types.BaseTuple.from_types([numba_type(part) for part in described.types])
        case StructType():
            members = [numba_type(part) for part in described.types]
            return tuple_type(members, described.cls)
        case NumbaType():
            return described.numba_type
        case FunctionType():
            return numba.typeof(native(described.function))
        case ClassType():
            return numba.typeof(described.target)
        case ObjectType() if described.cls is np.random.Generator:
            return types.npy_rng
    raise ActivityError(what=f"numba has no type for {described!r}")
