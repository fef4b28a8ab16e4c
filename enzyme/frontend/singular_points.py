"""Functions of numba's linear algebra that single out a point, for our target: derivatives are right there too.

A determinant is a polynomial, but numba returns 0 for a matrix whose factors have a zero pivot, a constant. There the
polynomial is evaluated in another way. A norm by powers has no derivative where it is zero: that is taken as zero, as
for the Euclidean norm.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload, register_jitable
from numba.np import linalg, numpy_support

from enzyme.frontend.registration import NAME
from enzyme.frontend.small_systems import regular_determinant

# So many vanishing pivots leave a determinant whose derivatives of lower order vanish too.
_MOST_VANISHING = 12


@register_jitable
def _vanishing_determinant(a: Any, one: Any, precision: Any) -> Any:
    """The determinant of a matrix of lower rank: no pivot divides that vanishes.

    Elimination with complete pivoting, then Bird's recurrence, which divides by nothing, for what is left.
    """
    n = len(a)
    work = np.zeros((3, n, n), a.dtype)  # one array, for each takes long to compile
    for i in range(n):
        for j in range(n):
            work[0, i, j] = a[i, j]
    product, largest, done = one, 0.0, 0
    for k in range(n):
        size, row, column = -1.0, k, k
        for i in range(k, n):
            for j in range(k, n):
                entry = abs(work[0, i, j])
                if entry > size:
                    size, row, column = entry, i, j
        largest = max(largest, size)
        if size <= n * precision * largest:
            break
        for j in range(n):
            work[0, k, j], work[0, row, j] = work[0, row, j], work[0, k, j]
        for i in range(n):
            work[0, i, k], work[0, i, column] = work[0, i, column], work[0, i, k]
        pivot = work[0, k, k]
        product *= pivot if (row != k) == (column != k) else -pivot
        for i in range(k + 1, n):
            factor = work[0, i, k] / pivot
            for j in range(k + 1, n):
                work[0, i, j] -= factor * work[0, k, j]
        done += 1
    if done == n:
        return product
    if n - done > _MOST_VANISHING:
        return one - one
    for i in range(done, n):
        for j in range(done, n):
            work[1, i, j] = work[0, i, j]
    last = 1
    for _ in range(n - done - 1):
        before, last = last, 3 - last
        for i in range(done, n):
            corner = one - one
            for k in range(i + 1, n):
                corner -= work[before, k, k]
            for j in range(done, n):
                total = corner * work[0, i, j]
                for k in range(i + 1, n):
                    total += work[before, i, k] * work[0, k, j]
                work[last, i, j] = total
        product = -product
    return product * work[last, done, done]


@overload(np.linalg.det, target=NAME)
def det(a: Any) -> Any:
    """As numba's, but the value 0 of a singular matrix has the derivatives of the determinant."""
    linalg.det_impl(a)  # checks the type
    original = register_jitable(linalg.slogdet_impl(a))
    one = numpy_support.as_dtype(a.dtype).type(1)
    precision = np.finfo(one.dtype).eps

    if a.dtype == types.float64:
        return _of_any_size(register_jitable(_determinant(original, one, precision)))
    return _determinant(original, one, precision)


def _of_any_size(by_factors: Any) -> Any:
    def determinant(a: Any) -> Any:
        n = a.shape[0]
        if a.shape[1] == n and (n == 2 or n == 3):
            found, regular = regular_determinant(a)
            if regular:
                return found
        return by_factors(a)

    return determinant


def _determinant(original: Any, one: Any, precision: Any) -> Any:
    def determinant(a: Any) -> Any:
        sign, logarithm = original(a)
        if logarithm == -np.inf:
            return _vanishing_determinant(a, one, precision)
        return sign * np.exp(logarithm)

    return determinant


@overload(np.linalg.norm, target=NAME)
def norm(x: Any, ord: Any = None) -> Any:
    """As numba's, but a norm by powers is a constant where it is zero."""
    original = linalg.norm_impl(x, ord)
    if x.ndim != 1 or ord in (None, types.none):
        return original
    inner = register_jitable(original)

    def by_order(x: Any, ord: Any = None) -> Any:
        if ord == 2 or ord == 1 or ord == 0 or abs(ord) == np.inf:
            return inner(x, ord)
        zeros = 0
        for k in range(len(x)):
            zeros += x[k] == 0
        if zeros == len(x) or (zeros and ord < 0):
            return 0.0
        return inner(x, ord)

    return by_order
