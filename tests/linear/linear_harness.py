"""Both modes for functions that write an output array, for real and complex numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from enzyme import Const, Duplicated
from enzyme_testutils import check_adjoint, test_forward

KINDS = (np.float32, np.float64, np.complex64, np.complex128)


def draw(rng: np.random.Generator, like: Any, dtype: Any) -> np.ndarray:
    """Random numbers in memory laid out as `like` (a shape, or an array with the layout)."""
    shape = like if isinstance(like, tuple) else like.shape
    numbers = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
    numbers = numbers if np.dtype(dtype).kind == "c" else numbers.real
    made = np.empty(shape, dtype) if isinstance(like, tuple) else twin(like)
    made[...] = numbers
    return made


def twin(a: np.ndarray) -> np.ndarray:
    """New zeros with the layout of `a`, gaps included."""
    base = a if a.base is None else a.base
    if base.ndim == 1 and a.ndim == 1 and not a.flags.c_contiguous:
        return np.zeros_like(base)[:: a.strides[0] // a.itemsize]
    return np.zeros_like(a, order="F" if a.flags.f_contiguous and not a.flags.c_contiguous else "C")


def assert_law(
    function: Callable[..., None],
    arrays: list[np.ndarray],
    constant: tuple[int, ...] = (),
    *,
    seed: int = 0,
) -> None:
    """`function(*arrays)` writes some of them; those in `constant` are passed as `Const`."""
    args = [a if k in constant else (a, Duplicated) for k, a in enumerate(arrays)]
    test_forward(function, Const, *args, rng=seed)
    check_adjoint(function, Const, *args, rng=seed)
