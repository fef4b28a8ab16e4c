"""Determinants, inverses and systems of two and three equations by Cramer's rule, for our target.

The Jacobian of a finite element, the innovation of a filter: LAPACK takes half a microsecond for a handful of products,
and its derivative more. Where the determinant is not much smaller than the product of the rows, the rule is as exact
as elimination. All else, and all that numba refuses, goes to LAPACK as before.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload, register_jitable
from numba.np import linalg

from enzyme.frontend.registration import NAME

# A determinant of so much of the product of its rows has lost three digits, no more.
_LEAST = 1e-3
# Rows between one over this and this: no product of three overflows or vanishes, and no square of a determinant.
_FAR = 1e50


@register_jitable
def _is_regular(determinant: Any, rows: Any) -> Any:
    """May one divide by a determinant whose rows are so long? Not if a number is none."""
    product = 1.0
    for row in rows:
        if not (1.0 / _FAR < row < _FAR):
            return False
        product *= row
    return abs(determinant) >= _LEAST * product


@register_jitable
def regular_determinant(a: Any) -> Any:
    """The determinant of a matrix with two or three rows, and whether one may divide by it."""
    if len(a) == 2:
        d = a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0]
        return d, _is_regular(d, (abs(a[0, 0]) + abs(a[0, 1]), abs(a[1, 0]) + abs(a[1, 1])))
    d = (
        a[0, 0] * (a[1, 1] * a[2, 2] - a[1, 2] * a[2, 1])
        + a[0, 1] * (a[1, 2] * a[2, 0] - a[1, 0] * a[2, 2])
        + a[0, 2] * (a[1, 0] * a[2, 1] - a[1, 1] * a[2, 0])
    )
    rows = (
        abs(a[0, 0]) + abs(a[0, 1]) + abs(a[0, 2]),
        abs(a[1, 0]) + abs(a[1, 1]) + abs(a[1, 2]),
        abs(a[2, 0]) + abs(a[2, 1]) + abs(a[2, 2]),
    )
    return d, _is_regular(d, rows)


@register_jitable
def _invert(a: Any, out: Any) -> Any:
    """Write the inverse of a matrix with two or three rows to `out`; False if that is for LAPACK."""
    d, regular = regular_determinant(a)
    if not regular:
        return False
    if len(a) == 2:
        out[0, 0] = a[1, 1] / d
        out[0, 1] = -a[0, 1] / d
        out[1, 0] = -a[1, 0] / d
        out[1, 1] = a[0, 0] / d
        return True
    out[0, 0] = (a[1, 1] * a[2, 2] - a[1, 2] * a[2, 1]) / d
    out[0, 1] = (a[0, 2] * a[2, 1] - a[0, 1] * a[2, 2]) / d
    out[0, 2] = (a[0, 1] * a[1, 2] - a[0, 2] * a[1, 1]) / d
    out[1, 0] = (a[1, 2] * a[2, 0] - a[1, 0] * a[2, 2]) / d
    out[1, 1] = (a[0, 0] * a[2, 2] - a[0, 2] * a[2, 0]) / d
    out[1, 2] = (a[0, 2] * a[1, 0] - a[0, 0] * a[1, 2]) / d
    out[2, 0] = (a[1, 0] * a[2, 1] - a[1, 1] * a[2, 0]) / d
    out[2, 1] = (a[0, 1] * a[2, 0] - a[0, 0] * a[2, 1]) / d
    out[2, 2] = (a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0]) / d
    return True


@overload(np.linalg.inv, target=NAME)
def inv(a: Any) -> Any:
    """As numba's."""
    original = linalg.inv_impl(a)
    if a.dtype != types.float64:
        return original
    by_lapack = register_jitable(original)

    def inverse(a: Any) -> Any:
        n = a.shape[0]
        out = np.empty((n, n)).T
        if not ((n == 2 or n == 3) and a.shape[1] == n and _invert(a, out)):
            found = by_lapack(a)
            for i in range(n):
                for j in range(n):
                    out[i, j] = found[i, j]
        return out

    return inverse


@register_jitable
def _solve(a: Any, b: Any, out: Any) -> Any:
    """Write the solution of two or three equations to `out`; False if that is for LAPACK."""
    d, regular = regular_determinant(a)
    if not regular:
        return False
    if len(a) == 2:
        if not abs(b[0]) + abs(b[1]) < _FAR:
            return False
        out[0] = (a[1, 1] * b[0] - a[0, 1] * b[1]) / d
        out[1] = (a[0, 0] * b[1] - a[1, 0] * b[0]) / d
        return True
    if not abs(b[0]) + abs(b[1]) + abs(b[2]) < _FAR:
        return False
    x = b[1] * a[2, 2] - a[1, 2] * b[2]
    y = b[1] * a[2, 1] - a[1, 1] * b[2]
    z = b[1] * a[2, 0] - a[1, 0] * b[2]
    out[0] = (b[0] * (a[1, 1] * a[2, 2] - a[1, 2] * a[2, 1]) - a[0, 1] * x + a[0, 2] * y) / d
    out[1] = (b[0] * (a[1, 2] * a[2, 0] - a[1, 0] * a[2, 2]) + a[0, 0] * x - a[0, 2] * z) / d
    out[2] = (b[0] * (a[1, 0] * a[2, 1] - a[1, 1] * a[2, 0]) - a[0, 0] * y + a[0, 1] * z) / d
    return True


@overload(np.linalg.solve, target=NAME)
def solve(a: Any, b: Any) -> Any:
    """As numba's."""
    original = linalg.solve_impl(a, b)
    if a.dtype != types.float64 or b.dtype != types.float64 or b.ndim != 1:
        return original
    by_lapack = register_jitable(original)

    def solution(a: Any, b: Any) -> Any:
        n = a.shape[0]
        out = np.empty(n)
        small = (n == 2 or n == 3) and a.shape[1] == n and len(b) == n
        if not (small and _solve(a, b, out)):
            found = by_lapack(a, b)
            for i in range(n):
                out[i] = found[i]
        return out

    return solution
