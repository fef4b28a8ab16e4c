"""``A = Q R`` of Householder's reflections, which make the diagonal of R real.

With the square part ``A_1 = Q R_1`` and ``C = Q^H dA_1 R_1^-1``: ``W = Q^H dQ`` is antihermitian, agrees with C
below the diagonal and, in the imaginary part, on it. Then ``dQ = dA_1 R_1^-1 - Q (C - W)`` and ``dR_1 = (C - W) R_1``.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-def"

from __future__ import annotations

import numpy as np

from enzyme.ruled.apart import inlined
from enzyme.ruled.array_rules import with_rules
from enzyme.ruled.factorisations.matrices import (
    add,
    adjoint,
    adjoint_times,
    in_c_order,
    in_fortran_order,
    subtract,
    times,
    times_adjoint,
)
from enzyme.ruled.factorisations.numbas import original
from enzyme.ruled.factorisations.triangular import solve_lower, solve_lower_adjoint

_numbas = original("qr", "a")


def _qr(a):
    q, r = _numbas(a)
    return in_fortran_order(q), r


def _factor(result, a):
    q, r = result
    return in_c_order(q), in_c_order(r), adjoint(r[:, : q.shape[1]])


@inlined
def _upper(x):
    """What is below the diagonal becomes zero, in place."""
    for i in range(x.shape[0]):
        for j in range(min(i, x.shape[1])):
            x[i, j] = 0
    return x


@inlined
def _rotation(c):
    """W for C."""
    w = np.zeros(c.shape, c.dtype)
    for i in range(c.shape[0]):
        for j in range(i):
            w[i, j] = c[i, j]
            w[j, i] = -np.conj(c[i, j])
        w[i, i] = (c[i, i] - np.conj(c[i, i])) / 2
    return w


@inlined
def _pulled_rotation(b):
    """The adjoint of `_rotation`."""
    made = np.zeros(b.shape, b.dtype)
    for i in range(b.shape[0]):
        for j in range(i):
            made[i, j] = b[i, j] - np.conj(b[j, i])
        made[i, i] = (b[i, i] - np.conj(b[i, i])) / 2
    return made


def _push(kept, da):
    q, r, low = kept
    k = q.shape[1]
    x = adjoint(solve_lower(low, adjoint(da[:, :k])))
    c = adjoint_times(q, x)
    w = _rotation(c)
    upper = _upper(subtract(c, w))
    dq = subtract(x, times(q, upper))
    dr = np.zeros(r.shape, r.dtype)
    first = times(upper, adjoint(low))
    rest = subtract(adjoint_times(q, in_c_order(da[:, k:])), times(w, in_c_order(r[:, k:])))
    for i in range(k):
        for j in range(i, k):
            dr[i, j] = first[i, j]
        for j in range(k, r.shape[1]):
            dr[i, j] = rest[i, j - k]
    return in_fortran_order(dq), in_fortran_order(dr)


def _pull(kept, dq, dr):
    q, r, low = kept
    k = q.shape[1]
    dq, dr = in_c_order(dq), _upper(in_c_order(dr))
    along = adjoint_times(q, dq)
    c = add(
        times(in_c_order(dr[:, :k]), low),
        _pulled_rotation(subtract(in_c_order(along), times_adjoint(dr, r))),
    )
    x = add(dq, times(q, subtract(c, along)))
    first = adjoint(solve_lower_adjoint(low, adjoint(x)))
    rest = times(q, in_c_order(dr[:, k:]))
    da = np.empty((q.shape[0], r.shape[1]), q.dtype)
    for i in range(q.shape[0]):
        for j in range(k):
            da[i, j] = first[i, j]
        for j in range(k, r.shape[1]):
            da[i, j] = rest[i, j - k]
    return (da,)


qr = with_rules("np.linalg.qr", _qr, ("a",), factor=_factor, push=_push, pull=_pull)
