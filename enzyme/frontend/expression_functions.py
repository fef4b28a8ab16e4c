"""Functions of numba's that are expressions of arrays, for our target: they become part of the statements around them.

``np.sum(np.diff(x) ** 2)`` is one loop then, as if the difference of two slices stood there.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload
from numba.np import arraymath

from enzyme.frontend.registration import NAME


@overload(np.diff, target=NAME, inline="always")
def diff(a: Any, n: Any = 1) -> Any:
    """As numba's; of a vector once, the difference of its neighbours."""
    known = n if isinstance(n, int) else getattr(n, "literal_value", getattr(n, "value", None))
    numbers = isinstance(a, types.Array) and isinstance(a.dtype, types.Float | types.Complex)
    if known != 1 or not numbers or a.ndim != 1:
        return arraymath.np_diff_impl(a, n)

    def difference(a: Any, n: Any = 1) -> Any:
        return a[1:] - a[:-1]

    return difference
