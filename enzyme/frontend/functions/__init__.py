"""Functions of numba's that our target computes as numba does, and whose derivative needs to be told.

A library singles out points: `x % y` returns a constant where the remainder is zero, `np.interp` a node's own
value. There the code has the value of the function and not its derivative. Here stand implementations for our
target in which every point has both; their values are numba's bit for bit. `docs/special_points.md` lists all
implementations of numba's that look at special points, with what becomes of each.
"""

from __future__ import annotations

from enzyme.frontend.functions import (
    arrays,
    complexes,
    equality,
    integer_powers,
    norms,
    order,
    reals,
    shapes,
    views,
)
from enzyme.frontend.functions.stated import in_place_of, in_place_of_loops

__all__ = [
    "arrays",
    "complexes",
    "equality",
    "in_place_of",
    "in_place_of_loops",
    "integer_powers",
    "norms",
    "order",
    "reals",
    "shapes",
    "views",
]
