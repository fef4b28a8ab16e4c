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
from numba.extending import overload
from numba.np import linalg

from enzyme.frontend.numba_compat.functions import singular_values as numbas_singular_values
from enzyme.frontend.numba_compat.functions import singular_values_impl
from enzyme.frontend.registration import NAME

_load: list[Callable[[], Mapping[str, Any]]] = []


def ruled_by(load: Callable[[], Mapping[str, Any]]) -> None:
    """Say where the functions with rules come from, by the names of the functions below."""
    _load[:] = [load]


def _of_matrix(theirs: Any, numbas: Any, name: str = "") -> Any:
    """A function whose only argument is a matrix."""
    name = name or theirs.__name__

    @overload(theirs, target=NAME)
    def implementation(a):
        found = numbas(a)  # what numba refuses
        if not _load:
            return found
        ruled = _load[0]()[name]
        return lambda a: ruled(a)

    return implementation


cholesky = _of_matrix(np.linalg.cholesky, linalg.cho_impl)
eigh = _of_matrix(np.linalg.eigh, linalg.eigh_impl)
eigvalsh = _of_matrix(np.linalg.eigvalsh, linalg.eigvalsh_impl)
singular_values = _of_matrix(numbas_singular_values, singular_values_impl, "singular_values")


@overload(np.linalg.svd, target=NAME)
def svd(a, full_matrices=1):
    """``np.linalg.svd``."""
    found = linalg.svd_impl(a, full_matrices)
    if not _load:
        return found
    ruled = _load[0]()["svd"]
    return lambda a, full_matrices=1: ruled(a, full_matrices)


qr = _of_matrix(np.linalg.qr, linalg.qr_impl)
