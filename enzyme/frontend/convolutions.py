"""Convolutions and correlations of vectors, for our target, in loops along memory.

Numba asks BLAS for one scalar product for each element of the result, with a view of one factor and often a reversed
one of the other. Here one number of the shorter vector after the other is multiplied with a stretch of the longer one:
loops over neighbours, forwards and backwards.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload

from enzyme.frontend.numba_compat import functions
from enzyme.frontend.registration import NAME

# So many elements of the result are computed together: these, what they are made of and the shadows of both are near.
_BLOCK = 512


@overload(functions.correlate, target=NAME)
def correlate_core(ap1: Any, ap2: Any, mode: Any, direction: Any) -> Any:
    """As numba's: sums of `ap1[place - left + k] * ap2[k]`, for -1 as `direction` from the last place to the first."""
    if ap1.dtype != ap2.dtype or not isinstance(ap1.dtype, types.Float):
        return functions.correlate_impl(ap1, ap2, mode, direction)

    def core(ap1: Any, ap2: Any, mode: Any, direction: Any) -> Any:
        longer, shorter = len(ap1), len(ap2)
        if longer < shorter:
            raise ValueError("'len(ap1)' must greater than 'len(ap2)'")
        length, left = longer, 0
        if mode == "valid":
            length = longer - shorter + 1
        elif mode == "full":
            left, length = shorter - 1, longer + shorter - 1
        elif mode == "same":
            left = shorter // 2
        else:
            raise ValueError("Invalid 'mode', valid are 'full', 'same', 'valid'")
        sums = np.zeros(length, ap1.dtype)
        for begin in range(0, length, _BLOCK):
            end = min(begin + _BLOCK, length)
            for k in range(shorter):
                first, last = max(begin, left - k), min(end, longer + left - k)
                factor, before = ap2[k], left - k
                for place in range(first, last):
                    sums[place] += ap1[place - before] * factor
        if direction == -1:
            sums[:] = sums[::-1].copy()
        return sums

    return core
