"""Jacobians put together out of columns or rows: one structure, whatever the mode (`contract.derivatives`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from enzyme.contract import derivatives
from enzyme.errors import ActivityError
from enzymecore import ActivityState, AnyState, Const, active_register_state
from enzymecore.activity_state import holds_floats
from enzymecore.unit_vectors import float_entries

__all__ = [
    "VALUES",
    "at",
    "directions_of",
    "from_columns",
    "from_rows",
    "in_precision_of",
    "like",
    "objects",
    "stacked",
]

NUMBERS = (int, float, complex, np.number)


def like(x: Any, parts: Sequence[Any]) -> Any:
    """A tuple of the class of `x`."""
    return x._make(parts) if hasattr(x, "_make") else tuple(parts)


class Values:
    """How values of Python are taken apart."""

    def parts(self, x: Any) -> Sequence[Any] | None:
        return x if isinstance(x, tuple) else None

    def state(self, x: Any) -> ActivityState:
        return AnyState if isinstance(x, Const) else active_register_state(x)

    def like(self, x: Any, parts: Sequence[Any]) -> Any:
        return like(x, parts)

    def nothing(self) -> None:
        return None


VALUES = Values()


def from_columns(x: Any, columns: Sequence[Any], value: Any) -> Any:
    """The Jacobian out of the derivatives along the unit directions of `x`; `value` is laid out like each."""
    alone = not isinstance(value, tuple)

    def block(output: Any, path: tuple[int, ...]) -> Any:
        mine = iter([at(column, path) for column in columns])
        return derivatives.by_structure(
            VALUES, x, lambda part, _: _block(part, mine, output, alone)
        )

    return derivatives.by_structure(VALUES, value, block)


def at(x: Any, path: Sequence[int]) -> Any:
    """What is in a value at the end of a way."""
    for k in path:
        x = x[k]
    return x


def _block(x: Any, columns: Iterator[Any], value: Any, alone: bool) -> Any:
    mine = [next(columns) for _ in range(directions_of(x))]
    if isinstance(x, np.ndarray):
        return stacked(x, mine, value, alone)
    if not isinstance(value, NUMBERS):
        return mine[0]
    return np.array(mine) if alone else in_precision_of(x, mine[0])


def _shape(value: Any, alone: bool, x: Any = None) -> tuple[int, ...]:
    """The shape of the derivatives of an array or a number, with respect to `x`."""
    sizes = {"outputs": np.shape(value), "row": (1,), "inputs": np.shape(x)}
    outputs, inputs = isinstance(value, np.ndarray), isinstance(x, np.ndarray)
    return sum((sizes[axis] for axis in derivatives.axes(outputs, alone, inputs)), ())


def stacked(x: Any, columns: Sequence[Any], value: Any, alone: bool) -> Any:
    """The derivatives of one array or number along the unit directions of an array."""
    if x.dtype.names:
        return _by_fields(x, columns, value, alone)
    if isinstance(value, np.ndarray) and holds_floats(value.dtype):
        made = np.stack(columns, axis=-1) if columns else np.zeros(0, value.dtype)
        return made.reshape(_shape(value, alone, x))
    if isinstance(value, NUMBERS):
        return np.array(columns, None if columns else float).reshape(_shape(value, alone, x))
    return objects(columns, x.shape)


def _by_fields(x: Any, columns: Sequence[Any], value: Any, alone: bool) -> Any:
    """As `stacked`, of an array with fields: an array of its dtype, with what holds no floats taken from it."""
    shape = _shape(value, alone)
    if np.asarray(value).dtype.kind not in "fc":
        raise ActivityError(
            what=f"the derivative of a value of type {type(value).__name__} along the fields of records",
            todo="return a number or an array of numbers",
        )
    entries = list(float_entries(x.dtype))
    made = np.empty(shape + x.shape, x.dtype)
    made[...] = x
    rest = iter(columns)
    for index in np.ndindex(x.shape):
        for path, position in entries:
            floats = made
            for name in path:
                floats = floats[name]
            if np.iscomplexobj(value) and not np.iscomplexobj(floats):
                raise ActivityError(
                    what=f"the derivative of a complex result along the real field {'.'.join(path)}",
                    why="the derivative is put together as an array with the same fields, which has no place for it",
                    todo=("make the field complex", "or give the directions: shadow=onehot(x)"),
                )
            floats[(..., *index, *position)] = next(rest)
    return made


def directions_of(x: Any) -> int:
    """The number of unit directions of an array or a number."""
    if not isinstance(x, np.ndarray):
        return 1
    return x.size * len(list(float_entries(x.dtype))) if x.dtype.names else x.size


def from_rows(x: Any, rows: Sequence[Any], shape: tuple[int, ...]) -> Any:
    """The Jacobian out of the gradients of outputs that have this shape."""

    def block(part: Any, path: tuple[int, ...]) -> Any:
        mine = [at(row, path) for row in rows]
        if not isinstance(part, np.ndarray | float | complex | np.number):
            return objects(mine, shape)
        if not shape and not isinstance(part, np.ndarray):
            return mine[0]
        kind = None if mine else getattr(part, "dtype", None)
        return np.array(mine, kind).reshape(shape + np.shape(part))

    return derivatives.by_structure(VALUES, x, block)


def objects(entries: Sequence[Any], shape: tuple[int, ...]) -> Any:
    """An array of objects."""
    made = np.empty(len(entries), object)
    for k, entry in enumerate(entries):
        made[k] = entry
    return made.reshape(shape)


def in_precision_of(x: Any, derivative: Any) -> Any:
    """The derivative with respect to a number, in its precision."""
    numbers = isinstance(derivative, float | complex) and isinstance(x, np.float32 | np.complex64)
    return x.dtype.type(derivative) if numbers else derivative
