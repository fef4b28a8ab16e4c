"""Unit directions: the tangents that pick out one component each, in C order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from enzymecore.descriptors import ScalarType, StructType, TupleType
from enzymecore.errors import ActivityError, BatchSizeError
from enzymecore.structure import Kind, kind_of, namedtuple_make
from enzymecore.zeros import zeros_like

__all__ = ["chunkedonehot", "float_entries", "onehot"]


def onehot(x: Any, start: int = 0, stop: int | None = None) -> tuple[Any, ...]:
    """Return the unit directions of a value.

    Parameters
    ----------
    x
        An array, a tuple of numbers, a number, or the descriptor of a tuple or number.
    start, stop
        Half-open range of the components wanted; all by default.

    Returns
    -------
    tuple
        The k-th entry has the type of `x`, 1 at its k-th component in C order and 0 elsewhere. Components of an array
        with fields are the floats in the fields of its first element, then of the next.

    Raises
    ------
    BatchSizeError
        If the range does not lie in the components of `x`.
    ActivityError
        If `x` has no components.

    Examples
    --------
    >>> import numpy as np
    >>> onehot(np.array([2.0, 3.0]))
    (array([1., 0.]), array([0., 1.]))
    >>> onehot((2.0, np.float32(3.0)), 1, 2)
    ((0.0, np.float32(1.0)),)
    >>> onehot(5.0)
    (1.0,)
    """
    size = _size(x)
    last = size if stop is None else stop
    if not 0 <= start <= last <= size:
        raise BatchSizeError(
            f"range {start}:{last} does not lie in the {size} components",
            todo="the first component is 0; stop is not part of the range",
        )
    return tuple(_direction(x, index) for index in range(start, last))


def chunkedonehot(x: Any, chunk: int) -> tuple[tuple[Any, ...], ...]:
    """Return the unit directions of a value in groups; the last group may be shorter.

    Raises
    ------
    BatchSizeError
        If `chunk` is less than 1.
    ActivityError
        If `x` has no components.

    Examples
    --------
    >>> [len(group) for group in chunkedonehot((1.0, 2.0, 3.0), 2)]
    [2, 1]
    >>> chunkedonehot(5.0, 3)
    ((1.0,),)
    """
    if isinstance(chunk, bool) or not isinstance(chunk, (int, np.integer)):
        raise BatchSizeError(f"chunk must be an int, not {chunk!r}")
    if chunk < 1:
        raise BatchSizeError(f"chunk must be at least 1, but is {chunk}")
    size = _size(x)
    width = int(chunk)
    return tuple(onehot(x, start, min(start + width, size)) for start in range(0, size, width))


def float_entries(dtype: Any) -> Iterator[tuple[tuple[str, ...], tuple[int, ...]]]:
    """Return the floats in a dtype with fields: the names of the fields, and the index in what has these names.

    Examples
    --------
    >>> inner = np.dtype([("v", "f8", (2,)), ("n", "i8")])
    >>> list(float_entries(np.dtype([("a", inner)])))
    [(('a', 'v'), (0,)), (('a', 'v'), (1,))]
    """
    for name in dtype.names:
        base = dtype[name].base
        for index in np.ndindex(dtype[name].shape):
            if base.names:
                for path, position in float_entries(base):
                    yield (name, *path), index + position
            elif base.kind in "fc":
                yield (name,), index


def _size(x: Any) -> int:
    """Return the number of components."""
    if isinstance(x, np.ndarray):
        return x.size * sum(1 for _ in float_entries(x.dtype)) if x.dtype.names else x.size
    if isinstance(x, (TupleType, StructType)):
        return len(x.types)
    if kind_of(x) in (Kind.TUPLE, Kind.NAMEDTUPLE):
        return len(x)
    if kind_of(x) is Kind.FLOAT or isinstance(x, ScalarType):
        return 1
    raise ActivityError(
        f"onehot needs an array, a tuple of numbers or a number, not a {type(x).__name__}"
    )


def _direction(x: Any, index: int) -> Any:
    """Return the unit direction of one component."""
    if isinstance(x, np.ndarray):
        direction = zeros_like(x)
        if not x.dtype.names:
            direction.flat[index] = 1
            return direction
        entries = list(float_entries(x.dtype))
        element, entry = divmod(index, len(entries))
        path, position = entries[entry]
        floats: Any = direction
        for name in path:
            floats = floats[name]
        floats[(*np.unravel_index(element, x.shape), *position)] = 1
        return direction
    if isinstance(x, (TupleType, StructType)):
        items = [_number(_class_of(part), k == index) for k, part in enumerate(x.types)]
        return tuple.__new__(x.cls if isinstance(x, StructType) else tuple, items)
    if isinstance(x, ScalarType):
        return _number(_class_of(x), True)
    if kind_of(x) is Kind.FLOAT:
        return type(x)(1)
    items = [_number(type(item), k == index) for k, item in enumerate(x)]
    return namedtuple_make(x, items)


def _class_of(described: Any) -> type:
    """Return the class of numbers of a descriptor."""
    plain: dict[str, type] = {"float64": float, "complex128": complex, "int64": int, "bool": bool}
    name = getattr(described, "name", "")
    if name in plain:
        return plain[name]
    dtype = getattr(described, "dtype", None)
    if isinstance(described, ScalarType) and dtype is not None:
        return dtype.type  # type: ignore[no-any-return]
    raise ActivityError(f"onehot needs numbers, not {described!r}")


def _number(cls: type, one: bool) -> Any:
    """Return 1 or 0 of a class of numbers."""
    if not issubclass(cls, (int, float, complex, np.number)):
        raise ActivityError(f"onehot needs numbers, not a {cls.__name__}")
    return cls(1 if one else 0)
