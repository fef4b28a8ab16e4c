"""Pseudo-inverses, and solutions of least squares, where the rank does not change.

For ``P = pinv(A)``: ``dP = -P dA P + P P^H dA^H (I - A P) + (I - P A) dA^H P^H P``. A solution is ``X = P B``, with
the residual ``R = B - A X``. All is said in terms of P, whose derivative is known, so it can be differentiated again
where singular values repeat.

That is so if the singular values that P leaves out are zero. With others, which a large `rcond` leaves out, vectors of
both turn into each other: ``dP^H`` has the term ``U T(U^H dA V) V^H`` more. T takes elements M_ij of a value s_i kept
and s_j left out to ``s_j (s_j M_ij + s_i conj(M_ji)) / (s_i^2 (s_i^2 - s_j^2))``, and M_ji alike.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload

from enzyme.frontend.factorisations import LAPACK_INTEGER
from enzyme.ruled.apart import inlined
from enzyme.ruled.array_rules import with_rules
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
from enzyme.ruled.factorisations.quotients import precision

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


@inlined
def _left_out(a, p):
    """The singular value decomposition and the rank if values are left out that are not zero, else nothing."""
    n = min(a.shape[0], a.shape[1])
    rank = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            rank += (a[i, j] * p[j, i]).real
    ranks = np.empty(1, np.int64)
    ranks[0] = round(rank) if np.isfinite(rank) else n
    if ranks[0] < n:
        u, s, vh = np.linalg.svd(a, False)
        if s[ranks[0]] > n * precision(s) * s[0]:
            return in_c_order(u), s, in_c_order(vh), ranks
    nothing = np.empty((0, 0), a.dtype)
    return nothing, np.abs(nothing.reshape(-1)), nothing, ranks


@inlined
def _turned(x, left_out):
    """``U T(U^H X V) V^H``."""
    u, s, vh, ranks = left_out
    m = times_adjoint(adjoint_times(u, x), vh)
    kept = ranks[0]
    for i in range(len(s)):
        for j in range(i, len(s)):
            if i < kept <= j:
                factor = s[j] / (s[i] * s[i] * (s[i] * s[i] - s[j] * s[j]))
                above = factor * (s[j] * m[i, j] + s[i] * np.conj(m[j, i]))
                m[j, i] = factor * (s[j] * m[j, i] + s[i] * np.conj(m[i, j]))
                m[i, j] = above
            else:
                m[i, j] = 0
                m[j, i] = 0
    return times(u, times(m, vh))


def _factor(p, a, how):
    p, a = in_c_order(p), in_c_order(a)
    return p, a, _left_out(a, p)


def _push(kept, da):
    p, a, left_out = kept
    da = in_c_order(da)
    first = times(p, times(da, p))
    second = times(times_adjoint(p, p), _outside_the_range(adjoint(da), a, p))
    third = _outside_the_rows(times(adjoint_times(da, adjoint(p)), p), a, p)
    if len(left_out[1]) > 0:
        add(second, adjoint(_turned(da, left_out)))
    return in_fortran_order(subtract(add(second, third), first))


def _pull(kept, dp):
    p, a, left_out = kept
    dp = in_c_order(dp)
    first = adjoint_times(p, times_adjoint(dp, p))
    second = adjoint(times(times_adjoint(p, p), _outside_the_range(dp, a, p)))
    third = adjoint(_outside_the_rows(times(times_adjoint(dp, p), p), a, p))
    if len(left_out[1]) > 0:
        add(second, _turned(adjoint(dp), left_out))
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
    left_out = _left_out(matrix, p)
    return p, matrix, solution, residual, np.zeros_like(x), np.zeros_like(residuals), left_out


@inlined
def _right_side(a, x, residual):
    return add(times(a, x), residual)


def _push_solution(kept, da, db):
    p, a, x, residual, like, no_residuals, left_out = kept
    da = in_c_order(da)
    right = subtract(_columns(db), times(da, x))
    dx = times(p, right)
    add(dx, times(p, adjoint_times(p, adjoint_times(da, residual))))
    add(dx, _outside_the_rows(adjoint_times(da, adjoint_times(p, x)), a, p))
    if len(left_out[1]) > 0:
        add(dx, adjoint_times(_turned(da, left_out), _right_side(a, x, residual)))
    residuals = no_residuals.copy()
    for k in range(len(residuals)):
        for i in range(right.shape[0]):
            residuals[k] += 2 * (np.conj(residual[i, k]) * right[i, k]).real
    return _as(dx, like), residuals, np.zeros(1, LAPACK_INTEGER), _no_values(no_residuals, a)


@inlined
def _no_values(residuals, a):
    return np.zeros(min(a.shape[0], a.shape[1]), residuals.dtype)


def _pull_solution(kept, dx, dresiduals, dranks, ds):
    p, a, x, residual, like, _, left_out = kept
    dx = _columns(dx)
    along = adjoint_times(p, dx)
    db = in_c_order(along)
    for k in range(len(dresiduals)):
        for i in range(db.shape[0]):
            db[i, k] += 2 * residual[i, k] * dresiduals[k]
    da = minus(times_adjoint(db, x))
    add(da, times_adjoint(residual, times(p, along)))
    add(da, times_adjoint(adjoint_times(p, x), _outside_the_rows(dx, a, p)))
    if len(left_out[1]) > 0:
        add(da, _turned(times_adjoint(_right_side(a, x, residual), dx), left_out))
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
