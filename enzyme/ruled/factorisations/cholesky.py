"""Cholesky factors: ``L L^H = H``, where numba reads the lower triangle of its argument only.

So H is that triangle and its mirror image, and the diagonal's real part; derivatives are those of this function.
With ``M = L^-1 dH L^-H`` and P taking the lower triangle and half the diagonal, ``dL = L P(M)``.

The adjoint goes backwards through the factorisation in blocks (Murray, Differentiation of the Cholesky decomposition,
arXiv:1602.07527), at the price of two factorisations; in code that is differentiated itself it is the formula.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-def"

from __future__ import annotations

import numpy as np

from enzyme.ruled.apart import inlined, is_final
from enzyme.ruled.array_rules import with_rules
from enzyme.ruled.factorisations.matrices import (
    adjoint,
    folded,
    in_c_order,
    lower,
    mirrored,
    subtract_adjoint_product,
    subtract_product,
    times,
)
from enzyme.ruled.factorisations.numbas import original
from enzyme.ruled.factorisations.triangular import (
    lower_adjoint_times,
    solve_lower,
    solve_lower_adjoint,
)

_BLOCK = 48
_numbas = original("cholesky", "a")


def _cholesky(a):
    return _numbas(a)


@inlined
def _lower_half(m):
    lower(m)
    for i in range(m.shape[0]):
        m[i, i] = m[i, i].real / 2
    return m


def _factor(result, a):
    return (in_c_order(result),)


def _push(kept, da):
    (low,) = kept
    half = solve_lower(low, mirrored(da))
    whole = solve_lower(low, adjoint(half))  # M is its own adjoint
    return times(low, _lower_half(whole))


@inlined
def _of_lower_triangle(low, dl):
    """The adjoint of the lower triangle of H."""
    p = _lower_half(lower_adjoint_times(low, dl))
    left = solve_lower_adjoint(low, p)
    return folded(solve_lower_adjoint(low, adjoint(left)))


@inlined
def _divided(x, low):
    """``X := X L^-1``."""
    n = len(low)
    for r in range(x.shape[0]):
        for k in range(n - 1, -1, -1):
            value = x[r, k] / low[k, k]
            x[r, k] = value
            for i in range(k):
                x[r, i] -= value * low[k, i]


@inlined
def _in_blocks(low, d):
    """The same, in place: blocks of columns backwards, each with what stands left of it, D, C below, R and B beside."""
    n = len(low)
    for start in range((n - 1) // _BLOCK * _BLOCK, -1, -_BLOCK):
        stop = min(start + _BLOCK, n)
        diagonal, below = low[start:stop, start:stop], d[stop:, start:stop]
        _divided(below, diagonal)
        subtract_adjoint_product(below, low[stop:, start:stop], d[start:stop, start:stop])
        made = _of_lower_triangle(
            in_c_order(diagonal), lower(in_c_order(d[start:stop, start:stop]))
        )
        for i in range(stop - start):
            for j in range(i + 1):
                d[start + i, start + j] = made[i, j]
                made[j, i] = np.conj(made[i, j])
            made[i, i] *= 2
        if start > 0:
            beside = low[start:stop, :start]
            subtract_product(below, beside, d[stop:, :start])
            subtract_adjoint_product(below, low[stop:, :start], d[start:stop, :start])
            subtract_product(made, beside, d[start:stop, :start])
    return lower(d)


def _pull(kept, dl):
    (low,) = kept
    if is_final():
        return (_in_blocks(low, lower(in_c_order(dl))),)
    return (_of_lower_triangle(low, in_c_order(dl)),)


cholesky = with_rules(
    "np.linalg.cholesky", _cholesky, ("a",), factor=_factor, push=_push, pull=_pull
)
