"""Kinds of arguments: how three numbers, or fewer, are handed to a function and found there again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import njit, typed, types
from numba.experimental import jitclass, structref

Values = Sequence[Any]


@dataclass(frozen=True)
class Kind:
    """One way to hand over numbers.

    `make(values, dtype)` gives the arguments, or their shadows; `read(arguments)` the numbers in them.  `reads` are
    the expressions by which the function finds its numbers, behind the lines `before`.  The numbers that
    the kind has no room for are constants.  `inside` are names that the function's source uses.
    """

    name: str
    parameters: tuple[str, ...]
    reads: tuple[str, ...]
    make: Callable[[Values, Any], tuple[Any, ...]]
    read: Callable[[tuple[Any, ...]], list[Any]]
    active: bool = False
    before: str = ""
    after: str = ""
    inside: tuple[tuple[str, Any], ...] = ()

    @property
    def count(self) -> int:
        return len(self.reads)


KINDS: dict[str, Kind] = {}


def _kind(name: str, *args: Any, **options: Any) -> None:
    KINDS[name] = Kind(name, *args, **options)


def _scalars(values: Values, dtype: Any) -> tuple[Any, ...]:
    return tuple(dtype(v) for v in values)


_kind("scalar", ("a0", "a1", "a2"), ("a0", "a1", "a2"), _scalars, list, active=True)

# --- arrays ---------------------------------------------------------------------------------------


def _filled(view: np.ndarray, values: Values) -> tuple[Any, ...]:
    for place, value in zip(np.ndindex(view.shape), values):
        view[place] = value
    return (view,)


def _numbers(args: tuple[Any, ...]) -> list[Any]:
    return args[0].ravel().tolist()[:3]


def _array(name: str, shape: Callable[[Any], np.ndarray], *reads: str, **options: Any) -> None:
    _kind(name, ("x",), reads, lambda v, t: _filled(shape(t), v), _numbers, **options)


_ELEMENTS = ("x[0]", "x[1]", "x[2]")
_array("array_c", lambda t: np.zeros(3, t), *_ELEMENTS)
_array("array_f", lambda t: np.zeros((3, 2), t, order="F"), "x[0, 0]", "x[0, 1]", "x[1, 0]")
_array("strided", lambda t: np.zeros(9, t)[1::3], *_ELEMENTS)
_array("negative", lambda t: np.zeros(3, t)[::-1], *_ELEMENTS)
_array("zero_d", lambda t: np.zeros((), t), "x[()]")
_array("empty", lambda t: np.zeros(0, t), after=" + x.sum()")
_array(
    "closure",
    lambda t: np.zeros(3, t),
    "at(0)",
    "at(1)",
    "at(2)",
    before="    def at(k):\n        return x[k]\n",
)


@njit
def _items(x: Any) -> Any:
    for k in range(len(x)):
        yield x[k]


_array(
    "generator",
    lambda t: np.zeros(3, t),
    "w[0]",
    "w[1]",
    "w[2]",
    before="    w = np.zeros_like(x)\n    k = 0\n    for v in items(x):\n        w[k] = v\n        k += 1\n",
    inside=(("items", _items),),
)

# --- values made of parts -------------------------------------------------------------------------


class Parts(NamedTuple):
    first: Any
    number: int
    rest: Any


_kind(
    "tuple",
    ("x",),
    ("x[0]", "x[1][0]", "x[1][2]"),
    lambda v, t: ((t(v[0]), (t(v[1]), 7, t(v[2]))),),
    lambda args: [args[0][0], args[0][1][0], args[0][1][2]],
    active=True,
)
_kind(
    "named_tuple",
    ("x",),
    ("x.first", "x.rest[0]", "x.rest[1]"),
    lambda v, t: (Parts(t(v[0]), 7, (t(v[1]), t(v[2]))),),
    lambda args: [args[0].first, *args[0].rest],
    active=True,
)
_kind(
    "tuple_of_arrays",
    ("x",),
    ("x[0][0]", "x[0][1]", "x[1][0, 0]"),
    lambda v, t: ((np.array(v[:2], t), np.array([[v[2]]], t)),),
    lambda args: [*args[0][0].tolist(), args[0][1][0, 0]],
)


def _record(values: Values, dtype: Any) -> tuple[Any, ...]:
    made = np.zeros(2, [("n", np.int32), ("p", dtype), ("q", dtype, (2,))])
    made["n"] = 7
    made[1]["p"] = values[0]
    made[1]["q"] = values[1:]
    return (made,)


_kind(
    "record",
    ("x",),
    ("x[1].p", "x[1].q[0]", "x[1].q[1]"),
    _record,
    lambda args: [args[0][1]["p"], *args[0][1]["q"]],
)

# --- containers and objects -----------------------------------------------------------------------

_TYPES = {float: types.float64, complex: types.complex128}


def _list(values: Values, dtype: Any) -> Any:
    made = typed.List.empty_list(_TYPES[dtype])
    for value in values:
        made.append(dtype(value))
    return made


def _dict(values: Values, dtype: Any) -> tuple[Any, ...]:
    made = typed.Dict.empty(types.unicode_type, _TYPES[dtype])
    for key, value in zip("pqr", values):
        made[key] = dtype(value)
    return (made,)


_kind("typed_list", ("x",), _ELEMENTS, lambda v, t: (_list(v, t),), lambda args: list(args[0]))
_kind(
    "list_of_lists",
    ("x",),
    ("x[0][0]", "x[1][0]", "x[1][1]"),
    lambda v, t: (typed.List([_list(v[:1], t), _list(v[1:], t)]),),
    lambda args: [v for part in args[0] for v in part],
)
_kind(
    "typed_dict",
    ("x",),
    ("x['p']", "x['q']", "x['r']"),
    _dict,
    lambda args: [args[0][key] for key in "pqr"],
)


def _object(dtype: Any) -> Any:
    @jitclass([("p", _TYPES[dtype]), ("n", types.int64), ("w", _TYPES[dtype][::1])])
    class Holder:
        def __init__(self, p: Any, w: Any) -> None:
            self.p = p
            self.n = 7
            self.w = w

    return Holder


_CLASSES = {dtype: _object(dtype) for dtype in _TYPES}


@structref.register
class PairType(types.StructRef):
    pass


class Pair(structref.StructRefProxy):
    @property
    def p(self) -> Any:
        return _first(self)

    @property
    def w(self) -> Any:
        return _second(self)


structref.define_proxy(Pair, PairType, ["p", "w"])


@njit
def _first(pair: Any) -> Any:
    return pair.p


@njit
def _second(pair: Any) -> Any:
    return pair.w


def _fields(args: tuple[Any, ...]) -> list[Any]:
    return [args[0].p, *args[0].w]


for _name, _make in {
    "jitclass": lambda v, t: (_CLASSES[t](t(v[0]), np.array(v[1:], t)),),
    "structref": lambda v, t: (Pair(t(v[0]), np.array(v[1:], t)),),
}.items():
    _kind(_name, ("x",), ("x.p", "x.w[0]", "x.w[1]"), _make, _fields)
