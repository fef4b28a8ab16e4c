"""Singular values and vectors: ``A = U S V^H``.

With ``M = U^H dA V`` and G the antihermitian ``U^H dU``: ``dS`` is M's real diagonal, and G follows from M off the
diagonal, where ``s_i`` and ``s_j`` differ, and between vectors of the matrix and those behind them. Phases keep the
first component of each vector on the smaller side real. Vectors behind the last singular value, of full matrices, only
move as orthogonality makes them: what depends on how they are chosen is not told.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-def"

from __future__ import annotations

import numpy as np

from enzyme.ruled.apart import inlined, is_final
from enzyme.ruled.array_rules import with_rules
from enzyme.ruled.factorisations.matrices import (
    add_product_adjoint,
    adjoint,
    adjoint_in_fortran_order,
    adjoint_times,
    in_c_order,
    in_fortran_order,
    times,
    times_adjoint,
)
from enzyme.ruled.factorisations.numbas import original
from enzyme.ruled.factorisations.phases import turn, turns, turns_back
from enzyme.ruled.factorisations.quotients import largest, precision, quotient, weighed

_numbas = original("svd", "a, full_matrices=1")
_numbas_values = original("singular_values", "a")


def _svd(a, full_matrices):
    return _numbas(a, full_matrices)


def _values(a):
    return _numbas_values(a)


def _factor(result, a, full_matrices):
    u, s, vh = result
    return in_c_order(u), s.copy(), adjoint(vh)


def _factor_values(result, a):
    u, _, vh = np.linalg.svd(a, False)
    return in_c_order(u), adjoint(vh)


@inlined
def _closeness(s, u, v):
    """Singular values that are not further apart count as equal."""
    return max(u.shape[0], v.shape[0]) * precision(s) * s[0]


@inlined
def _outside(x, u, s, close):
    """What of the first columns of X is orthogonal to all of U, by singular values."""
    count = len(s)
    found = np.zeros((x.shape[0], count), x.dtype)
    if u.shape[1] == u.shape[0]:
        return found
    inside = times(u, adjoint_times(u, x))
    negligible = x.shape[0] * precision(s) * largest(x)
    for i in range(x.shape[0]):
        for k in range(count):
            part = x[i, k] - inside[i, k]
            found[i, k] = quotient(part, s[k], s[k] <= close, abs(part), negligible)
    return found


@inlined
def _rotations(m, s, close, on_the_left):
    """The antihermitian ``U^H dU`` for M, or ``V^H dV`` for its adjoint; phases change on the left."""
    size, count = m.shape[0], len(s)
    found = np.zeros((size, size), m.dtype)
    negligible = size * precision(s) * largest(m)
    for j in range(count):
        for i in range(j + 1, count):
            top = m[i, j] * s[j] + s[i] * np.conj(m[j, i])
            gap = (s[j] - s[i]) * (s[j] + s[i])
            most = max(abs(m[i, j]), abs(m[j, i]))
            found[i, j] = quotient(top, gap, abs(s[j] - s[i]) <= close, most, negligible)
            found[j, i] = -np.conj(found[i, j])
        for i in range(count, size):
            found[i, j] = quotient(m[i, j], s[j], s[j] <= close, abs(m[i, j]), negligible)
            found[j, i] = -np.conj(found[i, j])
        if on_the_left:
            part = m[j, j] - np.conj(m[j, j])
            found[j, j] = quotient(part / 2, s[j], s[j] <= close, abs(part), negligible)
    return found


def _push(kept, da):
    u, s, v = kept
    count = len(s)
    close = _closeness(s, u, v)
    da = in_c_order(da)
    right = times(da, v)
    left = adjoint_times(da, u)
    m = adjoint_times(u, right)
    ds = np.empty_like(s)
    for k in range(count):
        ds[k] = m[k, k].real
    du = times(u, _rotations(m, s, close, True))
    dv = times(v, _rotations(adjoint(m), s, close, False))
    outside_u, outside_v = _outside(right, u, s, close), _outside(left, v, s, close)
    for k in range(count):
        for i in range(u.shape[0]):
            du[i, k] += outside_u[i, k]
        for i in range(v.shape[0]):
            dv[i, k] += outside_v[i, k]
    by = turns(dv, v) if u.shape[0] >= v.shape[0] else turns(du, u)
    turn(du, u, by)
    turn(dv, v, by)
    return in_fortran_order(du), ds, adjoint_in_fortran_order(dv)


@inlined
def _pulled_rotations(g, s, close, on_the_left):
    """The adjoint of `_rotations`: what ``U^H dU`` adds to that of M, for ``g = U^H`` times the adjoint of U."""
    size, count = g.shape[0], len(s)
    found = np.zeros((size, size), g.dtype)
    negligible = size * precision(s) * largest(g)
    for j in range(count):
        for i in range(j + 1, count):
            twist = g[i, j] - np.conj(g[j, i])
            gap = (s[j] - s[i]) * (s[j] + s[i])
            most = max(abs(g[i, j]), abs(g[j, i]))
            part = quotient(twist, gap, abs(s[j] - s[i]) <= close, most, negligible)
            found[i, j] = part * s[j]
            found[j, i] = np.conj(part) * s[i]
        for i in range(count, size):
            twist = g[i, j] - np.conj(g[j, i])
            most = max(abs(g[i, j]), abs(g[j, i]))
            found[i, j] = quotient(twist, s[j], s[j] <= close, most, negligible)
        if on_the_left:
            part = g[j, j] - np.conj(g[j, j])
            found[j, j] = quotient(part / 2, s[j], s[j] <= close, abs(part), negligible)
    return found


@inlined
def _pulled_values(u, v, ds):
    count = len(ds)
    if not is_final():
        return weighed(u, v, ds)
    scaled = np.empty((u.shape[0], count), u.dtype)
    for i in range(u.shape[0]):
        for k in range(count):
            scaled[i, k] = u[i, k] * ds[k]
    return times_adjoint(scaled, v[:, :count])


def _pull(kept, du, ds, dvh):
    u, s, v = kept
    if is_final() and not du.any() and not dvh.any():  # nobody asked for vectors
        return (_pulled_values(u, v, ds),)
    count = len(s)
    close = _closeness(s, u, v)
    du, dv = in_c_order(du), adjoint(dvh)
    along_u, along_v = adjoint_times(u, du), adjoint_times(v, dv)
    phases = np.empty_like(s)
    for k in range(count):
        phases[k] = along_u[k, k].imag + along_v[k, k].imag
    if u.shape[0] >= v.shape[0]:
        turns_back(dv, v, phases)
    else:
        turns_back(du, u, phases)
    m_u = _pulled_rotations(adjoint_times(u, du), s, close, True)
    m_v = _pulled_rotations(adjoint_times(v, dv), s, close, False)
    m = np.zeros((u.shape[1], v.shape[1]), u.dtype)
    for i in range(u.shape[1]):
        for j in range(v.shape[1]):
            if j < count:
                m[i, j] += m_u[i, j]
            if i < count:
                m[i, j] += np.conj(m_v[j, i])
    for k in range(count):
        m[k, k] += ds[k]
    da = times(u, times_adjoint(m, v))
    add_product_adjoint(_outside(du, u, s, close), v[:, :count], da)
    add_product_adjoint(u[:, :count], _outside(dv, v, s, close), da)
    return (da,)


def _push_values(kept, da):
    u, v = kept
    m = times(in_c_order(da), v)
    found = np.zeros(v.shape[1], m.real.dtype)
    for k in range(len(found)):
        for i in range(u.shape[0]):
            found[k] += (np.conj(u[i, k]) * m[i, k]).real
    return found


def _pull_values(kept, ds):
    u, v = kept
    return (_pulled_values(u, v, ds),)


svd = with_rules(
    "np.linalg.svd", _svd, ("a",), ("full_matrices",), factor=_factor, push=_push, pull=_pull
)
singular_values = with_rules(
    "np.linalg.svd",
    _values,
    ("a",),
    factor=_factor_values,
    push=_push_values,
    pull=_pull_values,
)


def _values_of(a, s):
    return s.copy()


def _factor_known(result, a, s):
    u, _, vh = np.linalg.svd(a, False)
    return in_c_order(u), adjoint(vh)


# The singular values of a matrix that are known already, with their derivative.
known_values = with_rules(
    "np.linalg.svd",
    _values_of,
    ("a",),
    ("s",),
    factor=_factor_known,
    push=_push_values,
    pull=_pull_values,
)
