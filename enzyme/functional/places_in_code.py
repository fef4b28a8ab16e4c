"""Arrays that products are written to, in compiled code: they are checked as in Python."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, untyped-decorator"

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload
from numba.np.numpy_support import as_dtype

from enzyme.compiled.terms import Writer
from enzyme.errors import ShadowLayoutError

_MAKE_PLACE = "make the place with np.zeros_like(x)"


def check_place(writer: Writer, what: str, name: str, place: Any, x: Any) -> None:
    """Refuse to write a product to what is not an array like `x`, as in Python."""
    problem = ""
    if not isinstance(place, types.Array):
        problem = f"a value of type {place}"
    elif not isinstance(x, types.Array) or place.ndim != x.ndim:
        problem = f"{place}, and the argument is {x}"
    elif not place.mutable:
        problem = "an array that cannot be written to"
    elif not np.can_cast(as_dtype(x.dtype), as_dtype(place.dtype), "same_kind"):
        problem = f"{place}, and the result is of {x.dtype}"
    if problem:
        raise ShadowLayoutError(what=f"{what} is to write to {problem}", todo=_MAKE_PLACE)
    writer.line(f"if {name}.shape != x.shape:")
    writer.line(
        f"    raise WrongShape({f'{what} is to write to an array of another shape; {_MAKE_PLACE}'!r})"
    )


def reached(a: Any) -> Any:
    """Where the memory that an array reaches begins and ends; compiled code only."""
    raise NotImplementedError


@overload(reached)
def _reached(a):  # type: ignore[no-untyped-def]
    def ends(a):  # type: ignore[no-untyped-def]
        first = last = a.ctypes.data
        for n, step in zip(a.shape, a.strides):
            if step < 0:
                first += (n - 1) * step
            else:
                last += (n - 1) * step
        return first, last + a.itemsize if a.size else first

    return ends
