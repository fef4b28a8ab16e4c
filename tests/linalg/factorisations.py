"""Programs with one factorisation each, and matrices to call them with.

A program takes a matrix and gives one number, in which each element of each result counts with a weight of its own.
Its results for single precision are those for double precision, rounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

KINDS = (np.float32, np.float64, np.complex64, np.complex128)


@njit
def weight(i, j):
    return complex(math.cos(1.0 + 3.0 * i + 7.0 * j), math.sin(2.0 + 5.0 * i + 3.0 * j))


@njit
def weighed(x):
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            total += (x[i, j] * weight(i, j)).real
    return total


@njit
def cubes(s):
    total = 0.0
    for i in range(len(s)):
        total += (s[i] * s[i] * s[i] * weight(i, 9)).real
    return total


@njit
def factor(a):
    return weighed(np.linalg.cholesky(a))


@njit
def reflections(a):
    q, r = np.linalg.qr(a)
    return weighed(q) + weighed(r)


@njit
def thin(a):
    u, s, vh = np.linalg.svd(a, False)
    return weighed(u) + cubes(s) + weighed(vh)


@njit
def full(a):
    """Of the vectors behind the last singular value, only how long projections onto them are."""
    u, s, vh = np.linalg.svd(a)
    total = cubes(s)
    for k in range(u.shape[1]):
        along = 0.0 * u[0, 0]
        for i in range(u.shape[0]):
            along += u[i, k] * weight(i, 4).real
        total += along.real if k < len(s) else along.real**2 + along.imag**2
    for k in range(vh.shape[0]):
        along = 0.0 * vh[0, 0]
        for j in range(vh.shape[1]):
            along += vh[k, j] * weight(5, j).real
        total += along.real if k < len(s) else along.real**2 + along.imag**2
    return total


@njit
def hermitian(a):
    w, v = np.linalg.eigh(a)
    return cubes(w) + weighed(v)


@njit
def hermitian_values(a):
    return cubes(np.linalg.eigvalsh(a))


@njit
def general(a):
    w, v = np.linalg.eig(a)
    return cubes(w) + weighed(v)


@njit
def general_values(a):
    return cubes(np.linalg.eigvals(a))


@njit
def least_squares(a):
    """Right-hand sides that depend on the matrix, too."""
    x, residuals, rank, s = np.linalg.lstsq(a, a[:, :2].copy() ** 2)
    return weighed(x) + cubes(residuals) + cubes(s) + rank


@njit
def pseudo_inverse(a):
    return weighed(np.linalg.pinv(a))


@njit
def least_squares_cut(a):
    """With a singular value left out that is not zero."""
    x, _, rank, _ = np.linalg.lstsq(a, a[:, :2].copy() ** 2, 0.25)
    return weighed(x) + rank


@njit
def pseudo_inverse_cut(a):
    return weighed(np.linalg.pinv(a, 0.25))


@njit
def norms(a):
    return np.linalg.norm(a, 2) * np.linalg.norm(a, -2) + np.linalg.norm(a, 1)


@njit
def conditions(a):
    return np.linalg.cond(a) + np.linalg.cond(a, 1) * np.linalg.matrix_rank(a)


@njit
def powers(a):
    return weighed(np.linalg.matrix_power(a, 5)) + weighed(np.linalg.matrix_power(a, -2))


@njit
def products(a):
    return (
        weighed(np.kron(np.ascontiguousarray(a), np.ascontiguousarray(a[:2])))
        + (np.trace(a, 1) ** 2).real
    )


@dataclass(frozen=True)
class Row:
    program: Callable[..., Any]
    shapes: tuple[tuple[int, int], ...]
    positive: bool = False
    real_spectrum: bool = False
    one_small: bool = False

    def matrix(self, shape: tuple[int, int], dtype: Any, layout: str = "C") -> np.ndarray:
        """A well-conditioned matrix; what numba does not read of it is anything."""
        rng = np.random.default_rng(sum(shape))
        made = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
        made = made if np.dtype(dtype).kind == "c" else made.real
        if self.positive:
            lower = made @ made.conj().T + shape[0] * np.eye(shape[0])
            made = np.tril(lower) + np.triu(made, 1)
        if self.real_spectrum and np.dtype(dtype).kind != "c":
            made = made @ np.diag(1.0 + 2.0 * np.arange(len(made))) @ np.linalg.inv(made)
        if self.one_small:
            u, s, vh = np.linalg.svd(made, False)
            s[:-1], s[-1] = 3.0 - np.arange(len(s) - 1), 0.4
            made = u * s @ vh
        return laid_out(made.astype(dtype), layout)


def laid_out(x: np.ndarray, layout: str) -> np.ndarray:
    """The same numbers in C order, in Fortran order, or with gaps in both directions."""
    if layout != "A":
        return np.array(x, order=layout)  # type: ignore[call-overload,no-any-return]
    room = np.zeros((2 * x.shape[0], 3 * x.shape[1]), x.dtype)
    room[::2, ::3] = x
    return room[::2, ::3]


SQUARE = ((3, 3), (1, 1))
ALL = ((4, 3), (2, 4), (3, 3))
ROWS = {
    "cholesky": Row(factor, SQUARE, positive=True),
    "qr": Row(reflections, ALL),
    "svd": Row(thin, ALL),
    "svd full": Row(full, ALL),
    "eigh": Row(hermitian, SQUARE, positive=True),
    "eigvalsh": Row(hermitian_values, SQUARE, positive=True),
    "eig": Row(general, SQUARE, real_spectrum=True),
    "eigvals": Row(general_values, SQUARE, real_spectrum=True),
    "lstsq": Row(least_squares, ALL),
    "pinv": Row(pseudo_inverse, ALL),
    "lstsq, cut": Row(least_squares_cut, ALL, one_small=True),
    "pinv, cut": Row(pseudo_inverse_cut, ALL, one_small=True),
    "norm": Row(norms, ALL),
    "cond": Row(conditions, ((3, 3),)),
    "matrix_power": Row(powers, SQUARE),
    "kron, trace": Row(products, ALL),
}
