"""Pseudo-inverses, and solutions of least squares, where the rank does not change.

For ``P = pinv(A)``: ``dP = -P dA P + P P^H dA^H (I - A P) + (I - P A) dA^H P^H P``. A solution is ``X = P B``, with
the residual ``R = B - A X``. All is said in terms of P, whose derivative is known, so it can be differentiated again
where singular values repeat.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload

from enzyme.frontend.factorisations import LAPACK_INTEGER
from enzyme.ruled.factorisations.apart import inlined
from enzyme.ruled.factorisations.matrices import (
    add,
    adjoint,
    adjoint_times,
    in_c_order,
    in_fortran_order,
    minus,
    subtract,
    times,
    times_adjoint,
)
from enzyme.ruled.factorisations.numbas import original
from enzyme.ruled.factorisations.rules import with_rules

_numbas = original("pinv", "a, rcond=1e-15")
_numbas_solution = original("lstsq", "a, b, rcond=-1.0")


# Pseudo-inverses ------------------------------------------------------------------------------------


def _pinv(a, rcond):
    p = _numbas(a, rcond)
    return p if p.size > 0 else in_fortran_order(p)


def _of_rank(a, rank):
    """The pseudo-inverse with so many singular values."""
    u, s, vh = np.linalg.svd(a, False)
    scaled = np.zeros((a.shape[1], len(s)), a.dtype)
    for j in range(a.shape[1]):
        for k in range(rank):
            scaled[j, k] = np.conj(vh[k, j]) / s[k]
    return in_fortran_order(times_adjoint(scaled, in_c_order(u)))


def _factor(p, a, how):
    return in_c_order(p), in_c_order(a)


def _push(kept, da):
    p, a = kept
    da = in_c_order(da)
    first = times(p, times(da, p))
    second = times(times_adjoint(p, p), _outside_the_range(adjoint(da), a, p))
    third = _outside_the_rows(times(adjoint_times(da, adjoint(p)), p), a, p)
    return in_fortran_order(subtract(add(second, third), first))


def _pull(kept, dp):
    p, a = kept
    dp = in_c_order(dp)
    first = adjoint_times(p, times_adjoint(dp, p))
    second = adjoint(times(times_adjoint(p, p), _outside_the_range(dp, a, p)))
    third = adjoint(_outside_the_rows(times(times_adjoint(dp, p), p), a, p))
    return (subtract(add(second, third), first),)


@inlined
def _outside_the_range(x, a, p):
    """``X (I - A P)``."""
    return subtract(in_c_order(x), times(times(x, a), p))


@inlined
def _outside_the_rows(x, a, p):
    """``(I - P A) X``."""
    return subtract(in_c_order(x), times(p, times(a, x)))


pinv = with_rules(
    "np.linalg.pinv", _pinv, ("a",), ("rcond",), factor=_factor, push=_push, pull=_pull
)
_pseudo_inverse = with_rules(
    "np.linalg.lstsq", _of_rank, ("a",), ("rank",), factor=_factor, push=_push, pull=_pull
)


# Least squares --------------------------------------------------------------------------------------


def _columns(b: Any) -> Any:
    """In compiled code: a copy of a vector, or of a matrix, as a matrix in C order."""
    raise NotImplementedError


@overload(_columns)
def _columns_of(b):
    if b.ndim == 2:
        return lambda b: in_c_order(b)
    return lambda b: _as_column(b)


@inlined
def _as_column(b):
    made = np.empty((len(b), 1), b.dtype)
    for i in range(len(b)):
        made[i, 0] = b[i]
    return made


def _as(x: Any, like: Any) -> Any:
    """In compiled code: a matrix with the dimensions of a solution."""
    raise NotImplementedError


@overload(_as)
def _as_of(x, like):
    if like.ndim == 2:
        return lambda x, like: x
    return lambda x, like: x.reshape(-1)


def _lstsq(a, b, rcond):
    x, residuals, rank, s = _numbas_solution(a, b, rcond)
    ranks = np.empty(1, LAPACK_INTEGER)
    ranks[0] = rank
    return x, residuals, ranks, s


def _factor_solution(result, a, b, rcond):
    x, residuals, ranks, _ = result
    p = in_c_order(_pseudo_inverse(a, ranks[0]))
    matrix, solution = in_c_order(a), _columns(x)
    residual = subtract(_columns(b), times(matrix, solution))
    return p, matrix, solution, residual, np.zeros_like(x), np.zeros_like(residuals)


def _push_solution(kept, da, db):
    p, a, x, residual, like, no_residuals = kept
    da = in_c_order(da)
    right = subtract(_columns(db), times(da, x))
    dx = times(p, right)
    add(dx, times(p, adjoint_times(p, adjoint_times(da, residual))))
    add(dx, _outside_the_rows(adjoint_times(da, adjoint_times(p, x)), a, p))
    residuals = no_residuals.copy()
    for k in range(len(residuals)):
        for i in range(right.shape[0]):
            residuals[k] += 2 * (np.conj(residual[i, k]) * right[i, k]).real
    return _as(dx, like), residuals, np.zeros(1, LAPACK_INTEGER), _no_values(no_residuals, a)


@inlined
def _no_values(residuals, a):
    return np.zeros(min(a.shape[0], a.shape[1]), residuals.dtype)


def _pull_solution(kept, dx, dresiduals, dranks, ds):
    p, a, x, residual, like, _ = kept
    dx = _columns(dx)
    along = adjoint_times(p, dx)
    db = in_c_order(along)
    for k in range(len(dresiduals)):
        for i in range(db.shape[0]):
            db[i, k] += 2 * residual[i, k] * dresiduals[k]
    da = minus(times_adjoint(db, x))
    add(da, times_adjoint(residual, times(p, along)))
    add(da, times_adjoint(adjoint_times(p, x), _outside_the_rows(dx, a, p)))
    return da, _as(db, like)


lstsq = with_rules(
    "np.linalg.lstsq",
    _lstsq,
    ("a", "b"),
    ("rcond",),
    factor=_factor_solution,
    push=_push_solution,
    pull=_pull_solution,
)
