"""Eigenvalues and eigenvectors of Hermitian matrices, of which numba reads the lower triangle.

With ``M = V^H dH V``: ``dw`` is its diagonal, ``dV = V (F * M)`` with ``F_ij = 1 / (w_j - w_i)`` off the diagonal, and
phases that keep the first component of each vector real.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-def"

from __future__ import annotations

import numpy as np

from enzyme.ruled.apart import inlined, is_final
from enzyme.ruled.array_rules import with_rules
from enzyme.ruled.factorisations.matrices import (
    adjoint_times,
    folded,
    in_c_order,
    in_fortran_order,
    mirrored,
    times,
    times_adjoint,
)
from enzyme.ruled.factorisations.numbas import original
from enzyme.ruled.factorisations.phases import turn, turns, turns_back
from enzyme.ruled.factorisations.quotients import largest, precision, quotient, weighed

_numbas = original("eigh", "a")
_numbas_values = original("eigvalsh", "a")


def _eigh(a):
    return _numbas(a)


def _eigvalsh(a):
    return _numbas_values(a)


def _factor(result, a):
    w, v = result
    return w.copy(), in_c_order(v)


def _factor_values(result, a):
    w, v = np.linalg.eigh(a)
    return w, in_c_order(v)


@inlined
def _diagonal(m, w):
    found = np.empty_like(w)
    for i in range(len(w)):
        found[i] = m[i, i].real
    return found


@inlined
def _closeness(w):
    """Eigenvalues that are not further apart count as equal."""
    if len(w) == 0:
        return 0.0
    return len(w) * precision(w) * max(abs(w[0]), abs(w[-1]))


def _push(kept, da):
    w, v = kept
    n = len(w)
    m = adjoint_times(v, times(mirrored(da), v))
    dw = _diagonal(m, w)
    close, negligible = _closeness(w), n * precision(w) * largest(m)
    for i in range(n):
        m[i, i] = 0
        for j in range(i + 1, n):
            gap = w[j] - w[i]
            m[i, j] = quotient(m[i, j], gap, abs(gap) <= close, abs(m[i, j]), negligible)
            m[j, i] = -np.conj(m[i, j])
    dv = times(v, m)
    turn(dv, v, turns(dv, v))
    return dw, in_fortran_order(dv)


@inlined
def _pulled_values(v, dw):
    if not is_final():
        return folded(weighed(v, v, dw))
    scaled = np.empty(v.shape, v.dtype)
    for i in range(v.shape[0]):
        for j in range(v.shape[1]):
            scaled[i, j] = v[i, j] * dw[j]
    return folded(times_adjoint(scaled, v))


def _pull(kept, dw, dv):
    w, v = kept
    if is_final() and not dv.any():  # nobody asked for vectors
        return (_pulled_values(v, dw),)
    n = len(w)
    dv = in_c_order(dv)
    along = adjoint_times(v, dv)
    phases = np.empty_like(w)
    for k in range(n):
        phases[k] = along[k, k].imag
    turns_back(dv, v, phases)
    k = adjoint_times(v, dv)
    close, negligible = _closeness(w), n * precision(w) * largest(k)
    for i in range(n):
        for j in range(i + 1, n):
            gap = w[j] - w[i]
            half = (k[i, j] - np.conj(k[j, i])) / 2
            size = max(abs(k[i, j]), abs(k[j, i]))
            k[i, j] = quotient(half, gap, abs(gap) <= close, size, negligible)
            k[j, i] = np.conj(k[i, j])
        k[i, i] = dw[i]
    return (folded(times(v, times_adjoint(k, v))),)


def _push_values(kept, da):
    w, v = kept
    return _diagonal(adjoint_times(v, times(mirrored(da), v)), w)


def _pull_values(kept, dw):
    _, v = kept
    return (_pulled_values(v, dw),)


eigh = with_rules("np.linalg.eigh", _eigh, ("a",), factor=_factor, push=_push, pull=_pull)
eigvalsh = with_rules(
    "np.linalg.eigvalsh",
    _eigvalsh,
    ("a",),
    factor=_factor_values,
    push=_push_values,
    pull=_pull_values,
)
