"""The derivatives of numba's factorisations, written in numba: what `frontend.factorisations` calls."""

from __future__ import annotations

from enzyme.ruled.factorisations import cholesky, hermitian, orthogonal, singular

RULED = {
    "cholesky": cholesky.cholesky,
    "eigh": hermitian.eigh,
    "eigvalsh": hermitian.eigvalsh,
    "qr": orthogonal.qr,
    "singular_values": singular.singular_values,
    "svd": singular.svd,
}
