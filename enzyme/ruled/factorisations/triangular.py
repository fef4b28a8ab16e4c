"""Systems with a triangular matrix, of which numba has no routine: substitution in blocks, products by BLAS.

The matrix is lower triangular; of it nothing above the diagonal is read. The functions have rules of their own, since the
engine would keep what the loops overwrite.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-def"

from __future__ import annotations

import numpy as np

from enzyme.ruled.factorisations.matrices import (
    adjoint_times,
    in_c_order,
    lower,
    minus,
    subtract,
    subtract_adjoint_product,
    subtract_product,
    times,
    times_adjoint,
)
from enzyme.ruled.factorisations.rules import with_rules

_BLOCK = 48


def _solve(l, b):
    """The solution X of ``L X = B``, in C order."""
    n, count = b.shape
    x = in_c_order(b)
    for start in range(0, n, _BLOCK):
        stop = min(start + _BLOCK, n)
        if start > 0:
            subtract_product(l[start:stop, :start], x[:start], x[start:stop])
        for i in range(start, stop):
            for k in range(start, i):
                factor = l[i, k]
                for j in range(count):
                    x[i, j] -= factor * x[k, j]
            pivot = l[i, i]
            for j in range(count):
                x[i, j] /= pivot
    return x


def _solve_adjoint(l, b):
    """The solution X of ``L^H X = B``, in C order."""
    n, count = b.shape
    x = in_c_order(b)
    for start in range((n - 1) // _BLOCK * _BLOCK, -1, -_BLOCK):
        stop = min(start + _BLOCK, n)
        if stop < n:
            subtract_adjoint_product(l[stop:, start:stop], x[stop:], x[start:stop])
        for i in range(stop - 1, start - 1, -1):
            for k in range(i + 1, stop):
                factor = np.conj(l[k, i])
                for j in range(count):
                    x[i, j] -= factor * x[k, j]
            pivot = np.conj(l[i, i])
            for j in range(count):
                x[i, j] /= pivot
    return x


def _kept(x, l, b):
    return (lower(in_c_order(l)), in_c_order(x))


def _push(kept, dl, db):
    l, x = kept
    return solve_lower(l, subtract(in_c_order(db), times(lower(in_c_order(dl)), x)))


def _pull(kept, dx):
    l, x = kept
    db = solve_lower_adjoint(l, dx)
    return lower(minus(times_adjoint(db, x))), db


def _push_adjoint(kept, dl, db):
    l, x = kept
    return solve_lower_adjoint(l, subtract(in_c_order(db), adjoint_times(lower(in_c_order(dl)), x)))


def _pull_adjoint(kept, dx):
    l, x = kept
    db = solve_lower(l, dx)
    return lower(minus(times_adjoint(x, db))), db


solve_lower = with_rules(
    "solve_lower", _solve, ("l", "b"), factor=_kept, push=_push, pull=_pull
)
solve_lower_adjoint = with_rules(
    "solve_lower_adjoint",
    _solve_adjoint,
    ("l", "b"),
    factor=_kept,
    push=_push_adjoint,
    pull=_pull_adjoint,
)
