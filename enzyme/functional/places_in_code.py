"""Arrays that products are written to, in compiled code: they are checked as in Python."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, untyped-decorator"

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import intrinsic
from numba.np.numpy_support import as_dtype

from enzyme.compiled.terms import Writer
from enzyme.errors import ShadowLayoutError
from enzyme.frontend.overlap import arrays_of, overlap, range_of

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


@intrinsic
def meet(typing_context, a, b):  # type: ignore[no-untyped-def]
    """May two arrays share memory?"""

    def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        places = [
            range_of(builder, kind, array)
            for ty, value in zip(sig.args, args, strict=True)
            for kind, array in arrays_of(context, builder, ty, value)
        ]
        return overlap(builder, *places)

    return types.boolean(a, b), code
