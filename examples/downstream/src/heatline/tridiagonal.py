"""Tridiagonal systems by Thomas's algorithm, with rules.

With A x = b the tangent solves A dx = db − dA x; in reverse Aᵀ λ = adjoint of x, b gets λ and A gets
−λ xᵀ.  Only the bands and the solution are kept, and nothing of the elimination.
"""

from __future__ import annotations

import numpy as np
from numba import njit

import enzyme_rules
from enzyme_rules import AugmentedReturn
from enzymecore import Const


@njit
def _eliminate(lower, diagonal, upper, rhs, out):
    n = len(diagonal)
    scaled = np.empty(n)
    scaled[0] = upper[0] / diagonal[0] if n > 1 else 0.0
    out[0] = rhs[0] / diagonal[0]
    for i in range(1, n):
        pivot = diagonal[i] - lower[i - 1] * scaled[i - 1]
        if i < n - 1:
            scaled[i] = upper[i] / pivot
        out[i] = (rhs[i] - lower[i - 1] * out[i - 1]) / pivot
    for i in range(n - 2, -1, -1):
        out[i] -= scaled[i] * out[i + 1]


@njit
def solve(lower, diagonal, upper, rhs, out):
    """Write the solution of the system to `out`: n diagonal elements, n − 1 beside them."""
    _eliminate(lower, diagonal, upper, rhs, out)


@enzyme_rules.forward(solve)
def _forward(config, func, RT, lower, diagonal, upper, rhs, out):
    n = len(out.val)
    _eliminate(lower.val, diagonal.val, upper.val, rhs.val, out.val)
    x = out.val
    for k in range(config.width):
        change = np.zeros(n)
        if not isinstance(rhs, Const):
            change += rhs.dval if config.width == 1 else rhs.dval[k]
        if not isinstance(diagonal, Const):
            change -= (diagonal.dval if config.width == 1 else diagonal.dval[k]) * x
        if not isinstance(lower, Const):
            change[1:] -= (lower.dval if config.width == 1 else lower.dval[k]) * x[:-1]
        if not isinstance(upper, Const):
            change[:-1] -= (upper.dval if config.width == 1 else upper.dval[k]) * x[1:]
        if not isinstance(out, Const):
            tangent = out.dval if config.width == 1 else out.dval[k]
            _eliminate(lower.val, diagonal.val, upper.val, change, tangent)


@enzyme_rules.augmented_primal(solve)
def _augmented(config, func, RT, lower, diagonal, upper, rhs, out):
    kept = lower.val.copy(), diagonal.val.copy(), upper.val.copy()
    _eliminate(lower.val, diagonal.val, upper.val, rhs.val, out.val)
    return AugmentedReturn(None, None, (kept, out.val.copy()))


@enzyme_rules.reverse(solve)
def _reverse(config, func, dret, tape, lower, diagonal, upper, rhs, out):
    (low, middle, high), x = tape
    if not isinstance(out, Const):
        for k in range(config.width):
            adjoint = out.dval if config.width == 1 else out.dval[k]
            multiplier = np.empty(len(x))
            _eliminate(high, middle, low, adjoint, multiplier)
            adjoint[:] = 0.0  # it was overwritten
            if not isinstance(rhs, Const):
                (rhs.dval if config.width == 1 else rhs.dval[k])[:] += multiplier
            if not isinstance(diagonal, Const):
                (diagonal.dval if config.width == 1 else diagonal.dval[k])[:] -= multiplier * x
            if not isinstance(lower, Const):
                (lower.dval if config.width == 1 else lower.dval[k])[:] -= multiplier[1:] * x[:-1]
            if not isinstance(upper, Const):
                (upper.dval if config.width == 1 else upper.dval[k])[:] -= multiplier[:-1] * x[1:]
    return (None, None, None, None, None)
