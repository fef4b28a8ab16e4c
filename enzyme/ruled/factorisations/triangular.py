"""Systems with a triangular matrix, of which numba has no routine: substitution in blocks, products by BLAS.

The matrix is lower triangular; of it nothing above the diagonal is read. The functions have rules of their own, since
the engine would keep what the loops overwrite.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-def"

from __future__ import annotations

import numpy as np

from enzyme.ruled.apart import inlined
from enzyme.ruled.array_rules import with_rules
from enzyme.ruled.factorisations.matrices import (
    add_adjoint_product,
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

_BLOCK = 24
_WIDE = 96


def _solve(low, b):
    """The solution X of ``L X = B``, in C order."""
    n, count = b.shape
    x = in_c_order(b)
    for start in range(0, n, _BLOCK):
        stop = min(start + _BLOCK, n)
        if start > 0:
            subtract_product(low[start:stop, :start], x[:start], x[start:stop])
        for i in range(start, stop):
            for k in range(start, i):
                factor = low[i, k]
                for j in range(count):
                    x[i, j] -= factor * x[k, j]
            pivot = low[i, i]
            for j in range(count):
                x[i, j] /= pivot
    return x


def _solve_adjoint(low, b):
    """The solution X of ``L^H X = B``, in C order."""
    n, count = b.shape
    x = in_c_order(b)
    for start in range((n - 1) // _BLOCK * _BLOCK, -1, -_BLOCK):
        stop = min(start + _BLOCK, n)
        if stop < n:
            subtract_adjoint_product(low[stop:, start:stop], x[stop:], x[start:stop])
        for i in range(stop - 1, start - 1, -1):
            for k in range(i + 1, stop):
                factor = np.conj(low[k, i])
                for j in range(count):
                    x[i, j] -= factor * x[k, j]
            pivot = np.conj(low[i, i])
            for j in range(count):
                x[i, j] /= pivot
    return x


@inlined
def lower_adjoint_times(low, b):
    """The lower triangle of ``L^H B``, and some of what is above it; of B only the lower triangle is read."""
    n = len(low)
    made = np.zeros((n, n), low.dtype)
    for start in range(0, n, _WIDE):
        stop = min(start + _WIDE, n)
        add_adjoint_product(low[start:, start:stop], b[start:, :stop], made[start:stop, :stop])
    return made


def _kept(x, low, b):
    return (lower(in_c_order(low)), in_c_order(x))


def _push(kept, dl, db):
    low, x = kept
    return solve_lower(low, subtract(in_c_order(db), times(lower(in_c_order(dl)), x)))


def _pull(kept, dx):
    low, x = kept
    db = solve_lower_adjoint(low, dx)
    return lower(minus(times_adjoint(db, x))), db


def _push_adjoint(kept, dl, db):
    low, x = kept
    return solve_lower_adjoint(
        low, subtract(in_c_order(db), adjoint_times(lower(in_c_order(dl)), x))
    )


def _pull_adjoint(kept, dx):
    low, x = kept
    db = solve_lower(low, dx)
    return lower(minus(times_adjoint(x, db))), db


solve_lower = with_rules("solve_lower", _solve, ("low", "b"), factor=_kept, push=_push, pull=_pull)
solve_lower_adjoint = with_rules(
    "solve_lower_adjoint",
    _solve_adjoint,
    ("low", "b"),
    factor=_kept,
    push=_push_adjoint,
    pull=_pull_adjoint,
)
