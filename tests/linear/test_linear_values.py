"""Derivatives of linear algebra with known values, in functions of their own, and the memory that they leave."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Const, Duplicated, Forward, Reverse, autodiff
from tests.linear.linear_harness import assert_law
from tests.linear.test_linear_products import numbers, state, vector_into
from tests.programs.memory import live_memory

pytestmark = pytest.mark.rotating(18)


def test_vector_product():
    x, y = np.array([2.0, 3.0]), np.array([5.0, 7.0])
    dx, dy = np.array([0.2, 0.3]), np.array([0.5, 0.7])
    autodiff(Reverse, lambda x, y: x @ y, Active, Duplicated(x, dx), Duplicated(y, dy))
    np.testing.assert_allclose(dx, [5.2, 7.3], rtol=1e-15)
    np.testing.assert_allclose(dy, [2.5, 3.7], rtol=1e-15)


def test_square_of_a_matrix():
    x, dx = np.array([[1.0, 3.0], [2.0, 4.0]]), np.zeros((2, 2))
    autodiff(Reverse, lambda x: (x @ x).sum(), Active, Duplicated(x, dx))
    np.testing.assert_array_equal(dx, [[7.0, 9.0], [11.0, 13.0]])


def product_into(r, a, b):
    r[:] = a @ b


def test_product_into_output():
    r, a, b, seed = numbers(np.float64, (2, 4), (2, 3), (3, 4), (2, 4))
    da, db = np.ones_like(a), np.ones_like(b)
    dr = seed.copy()
    given = [Duplicated(r, dr), Duplicated(a, da), Duplicated(b, db)]
    autodiff(Reverse, product_into, Const, *given)
    np.testing.assert_allclose(r, a @ b, rtol=1e-14)
    np.testing.assert_allclose(da, 1 + seed @ b.T, rtol=1e-13)
    np.testing.assert_allclose(db, 1 + a.T @ seed, rtol=1e-13)
    np.testing.assert_array_equal(dr, 0.0)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (
            lambda x: np.corrcoef(np.array([2.0, x, 1.0]), np.array([1.0, 2.0, 3.0]))[0, 1],
            0.1169024412,
        ),
        (lambda x: np.cov(np.array([2.0, x, 1.0]))[()], 5 / 3),
    ],
    ids=["corrcoef", "cov"],
)
def test_statistics(function, expected):
    ((reverse,),) = autodiff(Reverse, function, Active, Active(4.0))
    (forward,) = autodiff(Forward, function, Duplicated(4.0, 1.0))
    assert reverse == pytest.approx(expected, abs=1e-10)
    assert forward == pytest.approx(expected, abs=1e-10)


@njit
def power(a, x, n):
    """Recursion stays a call: its operands change between its two passes."""
    if n == 0:
        return np.dot(x, x)
    for i in range(len(x)):
        x[i] = np.sin(x[i] * n)
    y = a @ x
    s = np.dot(y, x) + power(a, y, n - 1)
    x[0] = y[1] * x[0]
    a[0, 0] *= y[0]
    return s


@njit
def through_recursion(a, x, c):
    c[0] = power(a, x, 3) * x[0]


def test_recursion():
    a, x, c = numbers(np.float64, (3, 3), (3,), (1,))
    assert_law(through_recursion, [0.3 * a, x, c])


@njit
def raises_late(a, x, c):
    for _ in range(3):
        x = a @ x
    if x[0] < 1e9:
        raise ValueError("too small")
    c[0] = x[0]


@njit
def solves(a, x, c):
    for _ in range(3):
        x = np.linalg.solve(a, x) / np.linalg.norm(x)
    vector_into(np.linalg.inv(a) @ x * np.linalg.det(a), c)


@njit
def solves_singular(a, x, c):
    c[0] = np.linalg.solve(a - a, x)[0]


MODES = pytest.mark.parametrize("mode", [Forward, Reverse], ids=["forward", "reverse"])


def runner(mode):
    a, x, c = numbers(np.float64, (4, 4), (4,), (4,))
    given = [Duplicated(v, np.zeros_like(v)) for v in (a, x, c)]
    rest = [Const] if mode is Reverse else []
    return lambda function: autodiff(mode, function, *rest, *given)


@MODES
@pytest.mark.parametrize("function", [state, solves], ids=["products", "solvers"])
def test_a_thousand_calls_leave_nothing(mode, function):
    run = runner(mode)
    run(function)
    before = live_memory()
    for _ in range(1000):
        run(function)
    assert live_memory() == before


@MODES
def test_failures_leave_nothing(mode):
    run = runner(mode)
    with pytest.raises(ValueError, match="too small"):
        run(raises_late)
    before = live_memory()
    for _ in range(10):
        with pytest.raises(ValueError, match="too small"):
            run(raises_late)
    assert live_memory() == before


@MODES
def test_a_singular_matrix_raises(mode):
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        runner(mode)(solves_singular)
