"""Cholesky factors: ``L L^H = H``, where numba reads the lower triangle of its argument only.

So H is that triangle and its mirror image, and the diagonal's real part; derivatives are those of this function.
With ``M = L^-1 dH L^-H`` and P taking the lower triangle and half the diagonal, ``dL = L P(M)``.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-def"

from __future__ import annotations

from enzyme.ruled.apart import inlined
from enzyme.ruled.array_rules import with_rules
from enzyme.ruled.factorisations.matrices import (
    adjoint,
    folded,
    in_c_order,
    lower,
    mirrored,
    times,
)
from enzyme.ruled.factorisations.numbas import original
from enzyme.ruled.factorisations.triangular import (
    lower_adjoint_times,
    solve_lower,
    solve_lower_adjoint,
)

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


def _pull(kept, dl):
    (low,) = kept
    p = _lower_half(lower_adjoint_times(low, in_c_order(dl)))
    left = solve_lower_adjoint(low, p)
    both = solve_lower_adjoint(low, adjoint(left))
    return (folded(both),)


cholesky = with_rules(
    "np.linalg.cholesky", _cholesky, ("a",), factor=_factor, push=_push, pull=_pull
)
