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
from numba.extending import overload

from enzyme.frontend.registration import NAME
from enzyme.ruled.apart import inlined
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
def _of_block(low, d):
    """The adjoint of the lower triangle of a small H in place of that of its factor."""
    n = len(low)
    for k in range(n - 1, -1, -1):
        pivot, of_pivot = low[k, k].real, d[k, k].real
        for i in range(k + 1, n):
            of_pivot -= (np.conj(d[i, k]) * low[i, k]).real / pivot
            d[i, k] /= pivot
        of_pivot /= pivot
        for j in range(k):
            d[k, j] -= of_pivot * low[k, j]
        for i in range(k + 1, n):
            value = d[i, k]
            turned = np.conj(value)
            for j in range(k):
                d[k, j] -= turned * low[i, j]
                d[i, j] -= value * low[k, j]
        d[k, k] = of_pivot / 2


@inlined
def _in_blocks(low, d):
    """The same of any size: blocks of columns backwards, with what stands below each, and what stands left of both."""
    n = len(low)
    for start in range((n - 1) // _BLOCK * _BLOCK, -1, -_BLOCK):
        stop = min(start + _BLOCK, n)
        diagonal, of_diagonal = low[start:stop, start:stop], d[start:stop, start:stop]
        below = d[stop:, start:stop]
        _divided(below, diagonal)
        subtract_adjoint_product(below, low[stop:, start:stop], of_diagonal)
        _of_block(diagonal, of_diagonal)
        if start > 0:
            beside = low[start:stop, :start]
            subtract_product(below, beside, d[stop:, :start])
            subtract_adjoint_product(below, low[stop:, :start], d[start:stop, :start])
            both = mirrored(of_diagonal)
            for i in range(len(both)):
                both[i, i] *= 2
            subtract_product(both, beside, d[start:stop, :start])
    return lower(d)


def _adjoint(low, dl):
    """In compiled code: the adjoint of the lower triangle of H."""
    raise NotImplementedError


@overload(_adjoint)
def _adjoint_in_blocks(low, dl):
    return lambda low, dl: _in_blocks(low, lower(in_c_order(dl)))


@overload(_adjoint, target=NAME)
def _adjoint_to_be_differentiated(low, dl):
    def formula(low, dl):
        p = _lower_half(lower_adjoint_times(low, in_c_order(dl)))
        left = solve_lower_adjoint(low, p)
        return folded(solve_lower_adjoint(low, adjoint(left)))

    return formula


def _pull(kept, dl):
    (low,) = kept
    return (_adjoint(low, dl),)


cholesky = with_rules(
    "np.linalg.cholesky", _cholesky, ("a",), factor=_factor, push=_push, pull=_pull
)
