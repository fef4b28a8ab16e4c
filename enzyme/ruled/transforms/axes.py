"""Arrays in C order, looked at along one axis as blocks of rows of columns."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-def, no-untyped-call, untyped-decorator"

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload

from enzyme.frontend.numba_compat.functions import tuple_setitem
from enzyme.ruled.apart import inlined


def in_c_order(x: Any) -> Any:
    """In compiled code: numbers that are floats, in C order; copied only where they are not."""
    raise NotImplementedError


@overload(in_c_order)
def _in_c_order(x):
    if not isinstance(x, types.Array):
        return None
    if isinstance(x.dtype, types.Integer | types.Boolean):
        return lambda x: np.ascontiguousarray(x).astype(np.float64)
    if x.layout == "C":
        return lambda x: x
    return lambda x: np.ascontiguousarray(x)


@inlined
def blocks(x, axis):
    """The array as blocks x items along the axis x what lies behind."""
    before, behind = 1, 1
    for k in range(axis):
        before *= x.shape[k]
    for k in range(axis + 1, x.ndim):
        behind *= x.shape[k]
    return x.reshape((before, x.shape[axis], behind))


@inlined
def resized(x, axis, length):
    """Items behind the length cut off, or zeros put there."""
    if x.shape[axis] == length:
        return x
    made = np.zeros(tuple_setitem(x.shape, axis, length), x.dtype)
    least = min(length, x.shape[axis])
    blocks(made, axis)[:, :least] = blocks(x, axis)[:, :least]
    return made


@inlined
def scaled_between(x, axis, first, last, factor):
    """A copy in which items from `first` to before `last` are multiplied."""
    made = x.copy()
    seen = blocks(made, axis)
    for i in range(seen.shape[0]):
        for j in range(first, last):
            for k in range(seen.shape[2]):
                seen[i, j, k] *= factor
    return made
