"""Eigenvalues and eigenvectors of general matrices, which LAPACK makes of length one, the largest component real.

With ``M = V^-1 dA V``: ``dw`` is its diagonal, ``dV = V (F * M + D)`` with ``F_ij = 1 / (w_j - w_i)`` off the
diagonal; the diagonal D keeps lengths and phases.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload

from enzyme.ruled.apart import inlined
from enzyme.ruled.array_rules import with_rules
from enzyme.ruled.factorisations.matrices import (
    adjoint,
    adjoint_times,
    in_c_order,
    in_fortran_order,
    times,
)
from enzyme.ruled.factorisations.numbas import original
from enzyme.ruled.factorisations.quotients import largest, not_a_number, precision, quotient

_numbas = original("eig", "a")
_numbas_values = original("eigvals", "a")


def _eig(a):
    return _numbas(a)


def _eigvals(a):
    return _numbas_values(a)


def _factor(result, a):
    w, v = result
    return w.copy(), in_c_order(v)


def _factor_values(result, a):
    """The vectors in the order of the values, which another algorithm of LAPACK has found."""
    w, v = np.linalg.eig(a)
    n = len(w)
    made = np.empty((n, n), v.dtype)
    for k in range(n):
        nearest = k
        for j in range(k, n):
            if abs(w[j] - result[k]) < abs(w[nearest] - result[k]):
                nearest = j
        for i in range(n):
            made[i, k] = v[i, nearest]
            v[i, nearest] = v[i, k]
        w[nearest] = w[k]
    return result.copy(), made


def _like(x: Any, v: Any) -> Any:
    """In compiled code: a copy of a matrix with numbers of the type of another."""
    raise NotImplementedError


@overload(_like)
def _like_of(x, v):
    def copied(x, v):
        made = np.empty(x.shape, v.dtype)
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                made[i, j] = x[i, j]
        return made

    return copied


@inlined
def _divided(v, x):
    """``V^-1 X``; where X is no number, nothing is."""
    if not np.isfinite(largest(x)):
        return times(x, x) * not_a_number(x)
    return in_c_order(np.linalg.solve(v, x))


def _phase_of(x: Any) -> Any:
    """In compiled code: the imaginary part, of what is real none."""
    raise NotImplementedError


@overload(_phase_of)
def _phase_of_number(x):
    if isinstance(x, types.Complex):
        return lambda x: 1j * x.imag
    return lambda x: 0 * x


@inlined
def _largest_component(v, k):
    found = 0
    for i in range(v.shape[0]):
        if abs(v[i, k]) > abs(v[found, k]):
            found = i
    return found


@inlined
def _closeness(w):
    """Eigenvalues that are not further apart count as equal."""
    most = 0.0
    for k in range(len(w)):
        most = max(most, abs(w[k]))
    return len(w) * precision(w) * most


def _push(kept, da):
    w, v = kept
    n = len(w)
    m = _divided(v, times(_like(da, v), v))
    dw = np.empty_like(w)
    close, negligible = _closeness(w), n * precision(w) * largest(m)
    for j in range(n):
        dw[j] = m[j, j]
        m[j, j] = 0
        for i in range(n):
            if i != j:
                gap = w[j] - w[i]
                m[i, j] = quotient(m[i, j], gap, abs(gap) <= close, abs(m[i, j]), negligible)
    dv = times(v, m)
    for k in range(n):
        at = _largest_component(v, k)
        turned = _phase_of(dv[at, k]) / v[at, k].real
        grown = 0.0
        for i in range(n):
            grown += (np.conj(v[i, k]) * dv[i, k]).real
        for i in range(n):
            dv[i, k] -= (grown + turned) * v[i, k]
    return dw, in_fortran_order(dv)


def _pull(kept, dw, dv):
    w, v = kept
    n = len(w)
    dv = in_c_order(dv)
    for k in range(n):
        at = _largest_component(v, k)
        along = 0 * dv[0, 0]
        for i in range(n):
            along += np.conj(v[i, k]) * dv[i, k]
        for i in range(n):
            dv[i, k] -= along.real * v[i, k]
        dv[at, k] -= _phase_of(along) / v[at, k].real
    m = adjoint_times(v, dv)
    close, negligible = _closeness(w), n * precision(w) * largest(m)
    for j in range(n):
        for i in range(n):
            if i != j:
                gap = np.conj(w[j] - w[i])
                size = max(abs(m[i, j]), abs(m[j, i]))
                m[i, j] = quotient(m[i, j], gap, abs(gap) <= close, size, negligible)
        m[j, j] = dw[j]
    return (_divided(adjoint(v), adjoint(times(v, adjoint(m)))),)


def _push_values(kept, da):
    w, v = kept
    m = _divided(v, times(_like(da, v), v))
    dw = np.empty_like(w)
    for k in range(len(w)):
        dw[k] = m[k, k]
    return dw


def _pull_values(kept, dw):
    _, v = kept
    scaled = adjoint(v)
    for k in range(len(dw)):
        for i in range(v.shape[0]):
            scaled[k, i] *= dw[k]
    return (_divided(adjoint(v), scaled),)


eig = with_rules("np.linalg.eig", _eig, ("a",), factor=_factor, push=_push, pull=_pull)
eigvals = with_rules(
    "np.linalg.eigvals",
    _eigvals,
    ("a",),
    factor=_factor_values,
    push=_push_values,
    pull=_pull_values,
)
