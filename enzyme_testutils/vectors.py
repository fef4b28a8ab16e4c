"""Between values and vectors of the floats in them (semantics: `to_vec` of FiniteDifferences.jl)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from enzymecore.copying import Array, Block, Rebuild, blocks_of, copied, float_views

Vector = NDArray[np.float64]


def to_vec(x: Any) -> tuple[Vector, Callable[[Any], Any]]:
    """Return the floats of a value as a vector, and the function that puts others in their place.

    Parameters
    ----------
    x
        Numbers, arrays, records, tuples, named tuples, lists, dicts, dataclasses and other plain
        objects, typed lists and dicts, instances of jitclasses, and whatever is made of them.
        Integers, booleans, strings, functions contribute nothing and are kept.

    Returns
    -------
    vector
        float64.  In the order of the structure; of a complex number the real part, then the
        imaginary part; of a complex array all real parts, then all imaginary ones.  An object or
        an element that is reached twice contributes once.
    rebuild
        Takes a vector and returns a value like `x`: the same types, shapes, strides and aliasing,
        over new memory.  What happens to `x` later does not matter.

    Raises
    ------
    ValueError
        By `rebuild`, for a vector of another length; by `to_vec`, for numbers of different size
        that share memory.

    Examples
    --------
    >>> import numpy as np
    >>> vector, rebuild = to_vec((1.0, 2, np.array([3.0 + 4.0j])))
    >>> vector
    array([1., 3., 4.])
    >>> rebuild([5.0, 6.0, 7.0])
    (5.0, 2, array([6.+7.j]))
    >>> shared = np.ones(2)
    >>> to_vec([shared, shared])[0]
    array([1., 1.])
    """
    template = copied(x)
    blocks = blocks_of(template)
    vector = floats_of(template)

    def rebuild(new: Any) -> Any:
        given = np.asarray(new, np.float64)
        if given.shape != vector.shape:
            raise ValueError(f"a vector of shape {vector.shape} is needed, not {given.shape}")
        place = 0

        def take(count: int) -> Vector:
            nonlocal place
            place += count
            return given[place - count : place]

        def next_number(value: Any) -> Any:
            if isinstance(value, complex | np.complexfloating):
                return type(value)(complex(*take(2)))
            return type(value)(take(1)[0])

        def write(block: Block, twins: dict[tuple[Any, ...], Array]) -> None:
            _put_numbers(block, twins, take)

        return Rebuild(template, next_number, write, blocks)(template)

    return vector, rebuild


def floats_of(x: Any) -> Vector:
    """Return the vector of `to_vec` alone.

    Examples
    --------
    >>> floats_of((1.0, 2, 3.0j))
    array([1., 0., 3.])
    """
    pieces: list[Vector] = [np.zeros(0)]

    def number(value: Any) -> Any:
        pair = isinstance(value, complex | np.complexfloating)
        pieces.append(np.array([value.real, value.imag] if pair else [value], np.float64))
        return value

    def read(block: Block, twins: dict[tuple[Any, ...], Array]) -> None:
        pieces.append(_numbers(block, twins))

    Rebuild(x, number, read)(x)
    return np.concatenate(pieces)


def _numbers(block: Block, twins: dict[tuple[Any, ...], Array]) -> Vector:
    views = [view for twin in twins.values() for view in float_views(twin)]
    if not block.shared:
        return np.concatenate([np.zeros(0), *(view.astype(np.float64).ravel() for view in views)])
    order, _ = _places(views)
    everything = np.concatenate([np.zeros(0), *(view.astype(np.float64).ravel() for view in views)])
    return everything[order]


def _put_numbers(block: Block, twins: dict[tuple[Any, ...], Array], take: Any) -> None:
    views = [view for twin in twins.values() for view in float_views(twin)]
    if block.shared:
        order, inverse = _places(views)
        numbers = take(len(order))[inverse]
    else:
        numbers = take(sum(view.size for view in views))
    for view in views:
        part, numbers = numbers[: view.size], numbers[view.size :]
        view[...] = part.reshape(view.shape)


def _places(views: list[Array]) -> tuple[Any, Any]:
    """For numbers that share memory: one index for each place, and the place of every number."""
    if len({view.itemsize for view in views}) > 1:
        raise ValueError("arrays of numbers of different size share memory: pass copies")
    addresses = [np.zeros(0, np.int64)]
    for view in views:
        start = view.__array_interface__["data"][0]
        offsets = np.zeros(view.shape, np.int64)
        for axis, stride in enumerate(view.strides):
            shape = [1] * view.ndim
            shape[axis] = -1
            offsets += (np.arange(view.shape[axis]) * stride).reshape(shape)
        addresses.append((start + offsets).ravel())
    _, order, inverse = np.unique(np.concatenate(addresses), return_index=True, return_inverse=True)
    return order, inverse.ravel()


def precision(x: Any) -> float:
    """Return the machine epsilon of the least precise float in a value; that of float64 if there is none.

    Examples
    --------
    >>> precision((1.0, 2)) == 2.0**-52, precision(np.ones(2, np.float32)) == 2.0**-23
    (True, True)
    """
    found = [np.finfo(np.float64).eps]

    def number(value: Any) -> Any:
        found.append(np.finfo(type(value)).eps)
        return value

    def memory(block: Block, twins: dict[tuple[Any, ...], Array]) -> None:
        for twin in twins.values():
            found.extend(np.finfo(view.dtype).eps for view in float_views(twin))

    Rebuild(x, number, memory)(x)
    return float(max(found))
