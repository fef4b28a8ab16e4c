"""The phases of complex eigenvectors and singular vectors: LAPACK makes the first component of each real.

That holds for what it computes from a tridiagonal or bidiagonal matrix, whose vectors are real: reflections leave the
first component alone. Without a first component nothing is said of the phase, and its derivative is taken as zero.
Vectors stand in the columns. Signs of real vectors have no derivative.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-def"

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.extending import overload

from enzyme.ruled.factorisations.quotients import precision


def turns(dv: Any, v: Any) -> Any:
    """In compiled code: what the phases of vectors change by, so that first components stay real."""
    raise NotImplementedError


@overload(turns)
def _turns_of(dv, v):
    if not isinstance(v.dtype, types.Complex):
        return lambda dv, v: None

    def complex_turns(dv, v):
        found = v[0].real.copy()
        for k in range(v.shape[1]):
            first = v[0, k].real
            tiny = abs(first) <= v.shape[0] * precision(v)
            found[k] = 0.0 if tiny else -dv[0, k].imag / first
        return found

    return complex_turns


def turn(dv: Any, v: Any, by: Any) -> Any:
    """In compiled code: the derivatives of vectors `v`, as many as there are phases, turned with them."""
    raise NotImplementedError


@overload(turn)
def _turn_by(dv, v, by):
    if not isinstance(v.dtype, types.Complex):
        return lambda dv, v, by: None

    def complex_turn(dv, v, by):
        for i in range(v.shape[0]):
            for k in range(len(by)):
                dv[i, k] += 1j * by[k] * v[i, k]

    return complex_turn


def turns_back(v_adjoint: Any, v: Any, adjoints: Any) -> Any:
    """In compiled code: the adjoint of `turns`, added to that of the vectors, for adjoints of the phases."""
    raise NotImplementedError


@overload(turns_back)
def _turns_back_by(v_adjoint, v, adjoints):
    if not isinstance(v.dtype, types.Complex):
        return lambda v_adjoint, v, adjoints: None

    def complex_turns_back(v_adjoint, v, adjoints):
        for k in range(len(adjoints)):
            first = v[0, k].real
            if not abs(first) <= v.shape[0] * precision(v):
                v_adjoint[0, k] -= 1j * (adjoints[k] / first)

    return complex_turns_back
