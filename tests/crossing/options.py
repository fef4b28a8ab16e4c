"""How the function and its kernel are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import cfunc, guvectorize, njit, stencil, types, vectorize

Decorate = Callable[[Any, Any], Any]
_TYPES = {float: types.float64, complex: types.complex128}


def _vectorized(kernel: Any, dtype: Any) -> Any:
    return vectorize(kernel)


def _generalised(kernel: Any, dtype: Any) -> Any:
    scalar = _TYPES[dtype]
    inner = njit(kernel)

    @guvectorize([types.void(scalar[:], scalar[:])], "(n)->()", nopython=True)
    def generalised(z, out):
        out[0] = inner(z[0], z[1], z[2])

    @njit
    def call(a, b, c):
        out = np.zeros_like(np.array([a]))
        generalised(np.array([a, b, c]), out)
        return out[0]

    return call


def _stencilled(kernel: Any, dtype: Any) -> Any:
    inner = njit(kernel)

    @stencil
    def around(z):
        return inner(z[-1], z[0], z[1])

    @njit
    def call(a, b, c):
        return around(np.array([a, b, c]))[1]

    return call


def _signed(kernel: Any, dtype: Any) -> Any:
    scalar = _TYPES[dtype]
    return njit(scalar(scalar, scalar, scalar))(kernel)


def _called_by_c(kernel: Any, dtype: Any) -> Any:
    scalar = _TYPES[dtype]
    return cfunc(scalar(scalar, scalar, scalar))(kernel)


# Options of the function and of its kernel, or how the kernel is made.
OPTIONS: dict[str, dict[str, Any] | Decorate] = {
    "plain": {},
    "fastmath": {"fastmath": True},
    "boundscheck": {"boundscheck": True},
    "error_model": {"error_model": "numpy"},
    "inline": {"inline": "always"},
    "nogil": {"nogil": True},
    "parallel": {"parallel": True},
    "signature": _signed,
    "vectorize": _vectorized,
    "guvectorize": _generalised,
    "stencil": _stencilled,
    "cfunc": _called_by_c,
}


def compiled(option: str, kernel: Any, dtype: Any) -> tuple[Any, dict[str, Any]]:
    """The kernel as compiled function, and the options for the function that calls it."""
    made = OPTIONS[option]
    if isinstance(made, dict):
        return njit(**made)(kernel), made
    return made(kernel, dtype), {}
