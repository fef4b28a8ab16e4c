"""Lists of numba's first kind that grow, with items of every width: numbers are what the program computes."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit, typeof

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    Forward,
    ReverseSplitWithPrimal,
    ReverseWithPrimal,
    autodiff,
    autodiff_thunk,
    grad,
)

KINDS = (
    "bool_ int8 uint8 int16 uint16 int32 uint32 int64 float32 float64 complex64 complex128".split()
)
COUNTS = (0, 1, 2, 5, 9, 40)


def growing(kind):
    """A list that begins with two items, grows by one for each number of x, and loses some; what is left weighs x."""
    space = {"np": np, "kind": getattr(np, kind)}
    exec(
        """
def f(x):
    items = [kind(1), kind(1)]
    for i in range(x.size):
        items.append(kind(i % 3 + 1))
        if i % 7 == 6:
            items.pop(0)
    more = items[:2]
    more.extend(items)
    total = 0.0
    for k in range(len(more)):
        total += (more[k] * 1.0).real * (x[k % x.size] ** 2 if x.size else 3.0) * (k + 1)
    return total
""",
        space,
    )
    return space["f"]


def slopes(f, x):
    """Of a sum of squares with weights that do not depend on x."""
    return np.array([f(e) for e in np.eye(x.size)]) * 2 * x


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.rotating(4)
def test_values_and_derivatives(kind):
    plain = growing(kind)
    f = njit(plain)
    for n in COUNTS:
        x, v = np.linspace(0.5, 1.5, n), np.cos(np.arange(n))
        value, wanted = plain(x), slopes(plain, x)
        dx = np.zeros(n)
        _, got = autodiff(ReverseWithPrimal, f, Active, Duplicated(x, dx))
        assert got == pytest.approx(value, rel=1e-14), n
        np.testing.assert_allclose(dx, wanted, rtol=1e-13)
        (along,) = autodiff(Forward, f, Duplicated(x, v))
        assert along == pytest.approx(wanted @ v, rel=1e-13)


@pytest.mark.parametrize("kind", ["bool_", "int16", "float32", "complex64"])
@pytest.mark.rotating(4)
def test_in_batches_and_in_two_halves(kind):
    plain = growing(kind)
    f, x = njit(plain), np.linspace(0.5, 1.5, 9)
    wanted = slopes(plain, x)
    both = autodiff(Forward, f, BatchDuplicated(x, (np.ones(9), 2.0 * np.ones(9))))[0]
    np.testing.assert_allclose(tuple(both), [wanted.sum(), 2 * wanted.sum()], rtol=1e-13)
    dx = np.zeros(9)
    kinds = Active, Duplicated[typeof(x)]
    forward, reverse = autodiff_thunk(ReverseSplitWithPrimal, f, *kinds)
    tape, value, _ = forward(Const(f), Duplicated(x, dx))
    assert value == pytest.approx(plain(x), rel=1e-14)
    reverse(Const(f), Duplicated(x, dx), 1.0, tape)
    np.testing.assert_allclose(dx, wanted, rtol=1e-13)


@njit
def singles(x):
    items = [np.float32(0.5)]
    for k in range(x.size):
        items.append(np.float32(x[k]))
    total = np.float32(0.0)
    for k in range(len(items) - 1):
        total += items[k] * items[k + 1] * items[k + 1]
    return total


def test_numbers_in_single_precision_that_have_derivatives():
    for n in (1, 2, 3, 8, 21):
        x = np.linspace(0.5, 1.5, n)
        items = np.array([0.5, *x])
        wanted = 2 * items[:-1] * items[1:]
        wanted[:-1] += items[2:] ** 2
        np.testing.assert_allclose(grad(singles)(x), wanted, rtol=1e-6)
        dx = np.zeros(n)
        _, value = autodiff(ReverseWithPrimal, singles, Active, Duplicated(x, dx))
        assert value == singles(x)
        (along,) = autodiff(Forward, singles, Duplicated(x, np.ones(n)))
        assert along == pytest.approx(wanted.sum(), rel=1e-6)
