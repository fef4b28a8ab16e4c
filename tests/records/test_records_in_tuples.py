"""Results that hold numbers, arrays and constants in tuples in tuples: LLVM moves them as one, with the gaps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit

from enzyme import Duplicated, ForwardWithPrimal, autodiff, hessian, jacfwd, jacrev, jvp

pytestmark = pytest.mark.rotating(14)


@njit
def gaps(x):
    return x * x, (np.arange(3), x, np.full(3, x)), x > 1.0


@njit
def texts(x):
    return x * x, int(x), x > 1.0, None, "s", (True, x)


@njit
def chosen(x):
    a = (x, np.full(2, x), 1) if x > 1.0 else (2.0 * x, np.full(3, x * x), 2)
    return a, (x, False)


@njit
def kept(x):
    """Tuples of these kinds go through a list."""
    items = [(x, np.full(2, x), True)]
    for k in range(3):
        items.append((items[-1][0] * x, items[-1][1] * k, k > 1))
    s = 0.0
    for number, array, flag in items:
        s += number * array.sum() * (2.0 if flag else 1.0)
    return s


def _floats(x: Any) -> list[Any]:
    if isinstance(x, tuple):
        return [part for member in x for part in _floats(member)]
    if isinstance(x, np.ndarray):
        return x.tolist() if x.dtype.kind == "f" else []
    return [x] if isinstance(x, float) else []


@pytest.mark.parametrize("f", [gaps, texts, chosen], ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", [0.7, 2.5])
def test_results(f: Any, x: float) -> None:
    value = f(x)
    ahead, behind = (np.array(_floats(f(x + s))) for s in (1e-6, -1e-6))
    expected = (ahead - behind) / 2e-6
    primal, tangent = jvp(f, (x,), (1.0,))
    np.testing.assert_allclose(_floats(tangent), expected, rtol=1e-8)
    np.testing.assert_equal(primal, value)
    again, same = autodiff(ForwardWithPrimal, f, Duplicated, Duplicated(x, 1.0))
    np.testing.assert_allclose(_floats(again), expected, rtol=1e-8)
    np.testing.assert_equal(same, value)
    for jacobian_of in (jacfwd(f), jacrev(f)):
        np.testing.assert_allclose(_floats(jacobian_of(x)), expected, rtol=1e-8)


def test_in_lists() -> None:
    x = 1.3
    slope = (kept(x + 1e-6) - kept(x - 1e-6)) / 2e-6
    np.testing.assert_allclose(jacfwd(kept)(x), slope, rtol=1e-8)
    np.testing.assert_allclose(jacrev(kept)(x), slope, rtol=1e-8)
    curve = (jacfwd(kept)(x + 1e-6) - jacfwd(kept)(x - 1e-6)) / 2e-6
    np.testing.assert_allclose(hessian(kept)(x), curve, rtol=1e-7)
