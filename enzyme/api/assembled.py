"""Jacobians put together out of columns or rows: one structure, whatever the mode.

Outside stands what the function returns, inside what it takes: for a tuple there is a tuple, of its class, with None
for what holds no floats.  Of an array with respect to an array the shapes follow each other.  A number alone counts
as one output, in a tuple it has the shape of the argument.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from enzyme.errors import ActivityError
from enzymecore import AnyState, active_register_state
from enzymecore.activity_state import holds_floats
from enzymecore.onehot import float_entries

__all__ = [
    "by_parts",
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


def by_parts(x: Any, of_part: Callable[[int, Any], Any]) -> Any:
    """What `of_part` makes of each part of a tuple, and None for what holds no floats."""
    parts = [
        None if active_register_state(part) is AnyState else of_part(k, part)
        for k, part in enumerate(x)
    ]
    return like(x, parts)


def from_columns(x: Any, columns: Sequence[Any], value: Any, alone: bool = True) -> Any:
    """The Jacobian out of the derivatives along the unit directions of `x`; `value` is laid out like each."""
    if isinstance(value, tuple):
        return by_parts(
            value, lambda k, part: from_columns(x, [c[k] for c in columns], part, False)
        )
    return _over(x, iter(columns), value, alone)


def _over(x: Any, columns: Iterator[Any], value: Any, alone: bool) -> Any:
    if isinstance(x, tuple):
        return by_parts(x, lambda _, part: _over(part, columns, value, alone))
    mine = [next(columns) for _ in range(directions_of(x))]
    if isinstance(x, np.ndarray):
        return stacked(x, mine, value, alone)
    if not isinstance(value, NUMBERS):
        return mine[0]
    return np.array(mine) if alone else in_precision_of(x, mine[0])


def stacked(x: Any, columns: Sequence[Any], value: Any, alone: bool) -> Any:
    """The derivatives of one array or number along the unit directions of an array."""
    if x.dtype.names:
        return _by_fields(x, columns, value, alone)
    if isinstance(value, np.ndarray) and holds_floats(value.dtype):
        made = np.stack(columns, axis=-1) if columns else np.zeros(0, value.dtype)
        return made.reshape(value.shape + x.shape)
    if isinstance(value, NUMBERS):
        return np.array(columns, None if columns else float).reshape((1,) * alone + x.shape)
    return objects(columns, x.shape)


def _by_fields(x: Any, columns: Sequence[Any], value: Any, alone: bool) -> Any:
    """As `stacked`, of an array with fields: an array of its dtype, with what holds no floats taken from it."""
    shape: tuple[int, ...] = (1,) * alone
    if isinstance(value, np.ndarray):
        shape = value.shape
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
    if isinstance(x, tuple):
        return by_parts(x, lambda k, part: from_rows(part, [row[k] for row in rows], shape))
    if isinstance(x, np.ndarray | float | complex | np.number):
        if not shape and not isinstance(x, np.ndarray):
            return rows[0]
        kind = None if rows else getattr(x, "dtype", None)
        return np.array(rows, kind).reshape(shape + np.shape(x))
    return objects(rows, shape)


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
