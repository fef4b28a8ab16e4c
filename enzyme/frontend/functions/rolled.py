"""`numpy.roll` as two loops over neighbours: numba divides for each element, and looks places up in flat iterators."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, has-type, no-untyped-call, untyped-decorator"

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload

from enzyme.frontend.functions.stated import TARGET


@overload(np.roll, target=TARGET)
def np_roll(a: Any, shift: Any) -> Any:
    """``np.roll(a, shift)``."""
    whole = isinstance(shift, types.Boolean) or (
        isinstance(shift, types.Integer) and (shift.signed or shift.bitwidth < types.intp.bitwidth)
    )
    if not isinstance(a, types.Array) or not whole:
        return None

    def roll(a: Any, shift: Any) -> Any:
        made = np.empty(a.shape, dtype=a.dtype)
        given, into = a.ravel(), made.reshape(made.size)
        count = given.size
        if count:
            first = int(shift) % count
            for i in range(count - first):
                into[first + i] = given[i]
            for i in range(first):
                into[i] = given[count - first + i]
        return made

    return roll
