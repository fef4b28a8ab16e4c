"""Functions of numba's linear algebra that our target calls and does not look into.

What LAPACK does in them is not code that the engine sees. Each becomes a call of a jitted function with rules
(`enzyme.ruled.factorisations`), which computes what numba computes. The rules are loaded when a program calls one of
them; without rules, as in tests of this layer, the code is numba's.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-def"

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numba.extending import overload, register_jitable
from numba.np import linalg

from enzyme.frontend.numba_compat.code import LAPACK_ILP64
from enzyme.frontend.numba_compat.functions import singular_values, singular_values_impl
from enzyme.frontend.registration import NAME

# Numba's implementations, and the type of the integers that LAPACK leaves.
IMPLEMENTED: dict[str, Any] = {
    "cholesky": linalg.cho_impl,
    "eig": linalg.eig_impl,
    "eigh": linalg.eigh_impl,
    "eigvals": linalg.eigvals_impl,
    "eigvalsh": linalg.eigvalsh_impl,
    "lstsq": linalg.lstsq_impl,
    "pinv": linalg.pinv_impl,
    "qr": linalg.qr_impl,
    "singular_values": singular_values_impl,
    "svd": linalg.svd_impl,
}
LAPACK_INTEGER = np.int64 if LAPACK_ILP64 else np.int32
_load: list[Callable[[], Mapping[str, Any]]] = []


def ruled_by(load: Callable[[], Mapping[str, Any]]) -> None:
    """Say where the functions with rules come from, by the names of the functions below."""
    _load[:] = [load]


def _of_matrix(name: str, theirs: Any) -> None:
    """A function whose only argument is a matrix."""

    @overload(theirs, target=NAME)
    def implementation(a):
        found = IMPLEMENTED[name](a)  # what numba refuses
        if not _load:
            return found
        ruled = _load[0]()[name]
        return lambda a: ruled(a)


_of_matrix("singular_values", singular_values)
for _theirs in (
    np.linalg.cholesky,
    np.linalg.eig,
    np.linalg.eigh,
    np.linalg.eigvals,
    np.linalg.eigvalsh,
):
    _of_matrix(_theirs.__name__, _theirs)


@overload(np.linalg.qr, target=NAME)
def qr(a):
    """``np.linalg.qr``; numba's Q is a part of an array."""
    found = linalg.qr_impl(a)
    if not _load:
        return found
    ruled = _load[0]()["qr"]

    def factors(a):
        q, r = ruled(a)
        return q[:, : r.shape[0]], r

    return factors


@overload(np.linalg.svd, target=NAME)
def svd(a, full_matrices=1):
    """``np.linalg.svd``."""
    found = linalg.svd_impl(a, full_matrices)
    if not _load:
        return found
    ruled = _load[0]()["svd"]
    return lambda a, full_matrices=1: ruled(a, full_matrices)


@overload(np.linalg.pinv, target=NAME)
def pinv(a, rcond=1.0e-15):
    """``np.linalg.pinv``."""
    found = linalg.pinv_impl(a, rcond)
    if not _load:
        return found
    ruled = _load[0]()["pinv"]
    return lambda a, rcond=1.0e-15: ruled(a, rcond)


@overload(np.linalg.lstsq, target=NAME)
def lstsq(a, b, rcond=-1.0):
    """``np.linalg.lstsq``; the derivative of the singular values takes what that of the solution does not need."""
    found = linalg.lstsq_impl(a, b, rcond)
    if not _load:
        return found
    ruled, known_values = _load[0]()["lstsq"], _load[0]()["known_values"]

    def solution(a, b, rcond=-1.0):
        x, residuals, ranks, s = ruled(a, b, rcond)
        return x, residuals, ranks[0], known_values(a, s)

    return solution


@overload(np.linalg.matrix_power, target=NAME)
def matrix_power(a, n):
    """``np.linalg.matrix_power``, of a copy: numba's loop has the argument and what it makes in one variable, memory
    of which some may have no shadow."""
    found = register_jitable(linalg.matrix_power_impl(a, n))
    if a.layout == "C":
        return lambda a, n: found(a.copy(), n)
    if a.layout == "F":
        return lambda a, n: found(a.T.copy().T, n)
    return lambda a, n: found(a, n)
