"""The derivatives of numba's factorisations, written in numba: what `frontend.factorisations` calls."""

from __future__ import annotations

from enzyme.ruled.factorisations.cholesky import cholesky
from enzyme.ruled.factorisations.general import eig, eigvals
from enzyme.ruled.factorisations.hermitian import eigh, eigvalsh
from enzyme.ruled.factorisations.inverses import lstsq, pinv
from enzyme.ruled.factorisations.orthogonal import qr
from enzyme.ruled.factorisations.singular import known_values, singular_values, svd

RULED = {
    "cholesky": cholesky,
    "eig": eig,
    "eigh": eigh,
    "eigvals": eigvals,
    "eigvalsh": eigvalsh,
    "known_values": known_values,
    "lstsq": lstsq,
    "pinv": pinv,
    "qr": qr,
    "singular_values": singular_values,
    "svd": svd,
}
