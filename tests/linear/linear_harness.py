"""The law <Jv, w> = <v, J'w> for functions that write an output array, for real and complex numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from enzyme import Const, Duplicated, Forward, Reverse, autodiff

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


def copies(arrays: list[np.ndarray]) -> list[np.ndarray]:
    made = [twin(a) for a in arrays]
    for target, a in zip(made, arrays, strict=True):
        target[...] = a
    return made


def dot(left: list[np.ndarray], right: list[np.ndarray]) -> float:
    return sum(float(np.sum(np.conj(a) * b).real) for a, b in zip(left, right, strict=True))


def assert_law(
    function: Callable[..., None],
    arrays: list[np.ndarray],
    constant: tuple[int, ...] = (),
    *,
    seed: int = 0,
    tolerance: float | None = None,
) -> None:
    """`function(*arrays)` writes some of them; those in `constant` are passed as `Const`."""
    rng = np.random.default_rng(seed)
    dtype = arrays[0].dtype
    single = dtype.itemsize // (2 if dtype.kind == "c" else 1) == 4
    tolerance = tolerance or (1e-4 if single else 1e-12)
    active = [k for k in range(len(arrays)) if k not in constant]
    v = [draw(rng, a, dtype) for a in arrays]
    w = [draw(rng, a, dtype) for a in arrays]

    def run(mode: Any, shadows: list[np.ndarray]) -> tuple[list[np.ndarray], list[np.ndarray]]:
        primal, shadows = copies(arrays), copies(shadows)
        given = [
            Const(p) if k in constant else Duplicated(p, s)
            for k, (p, s) in enumerate(zip(primal, shadows, strict=True))
        ]
        autodiff(mode, function, Const, *given) if mode is Reverse else autodiff(
            mode, function, *given
        )
        return primal, [shadows[k] for k in active]

    def at(step: float) -> list[np.ndarray]:
        moved = [a.astype(np.complex128 if dtype.kind == "c" else np.float64) for a in arrays]
        for k in active:
            moved[k] = moved[k] + step * v[k]
        getattr(function, "py_func", function)(*moved)
        return moved

    plain, forward = run(Forward, v)
    again, reverse = run(Reverse, w)
    expected = at(0.0)
    for got in (plain, again):
        for g, e in zip(got, expected, strict=True):
            np.testing.assert_allclose(g, e, rtol=tolerance, atol=tolerance, err_msg="primal")
    left, right = dot(forward, [w[k] for k in active]), dot([v[k] for k in active], reverse)
    size = sum(float(np.abs(a).sum()) for a in [*forward, *reverse])
    assert abs(left - right) <= tolerance * max(1.0, size), (left, right)
    step = 1e-3
    points = [at(c * step) for c in (-2.0, -1.0, 1.0, 2.0)]
    for position, k in enumerate(active):
        a, b, c, d = (p[k] for p in points)
        quotient = (a - 8 * b + 8 * c - d) / (12 * step)
        np.testing.assert_allclose(
            forward[position],
            quotient,
            rtol=0,
            atol=(2e-3 if single else 1e-7) * max(1.0, np.abs(quotient).max(initial=0.0)),
        )
