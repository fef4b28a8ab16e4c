"""Determinants, inverses and solutions for two and three rows, and for others: numba's values, errors, derivatives."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Duplicated, ForwardWithPrimal, Reverse, autodiff, gradient, hvp
from tests.arrays.law import assert_law, branches

pytestmark = pytest.mark.rotating(3)

# From a matrix `a` and a vector `b`.
PROGRAMS = [
    "s = np.linalg.det(a) ** 2",
    "s = np.sum(np.sin(np.linalg.inv(a)))",
    "s = np.sum(np.sin(np.linalg.inv(a.T)) @ b)",
    "s = np.sum(np.sin(np.linalg.solve(a, b)))",
    "s = np.sum(np.sin(np.linalg.solve(np.asfortranarray(a), b[::-1])))",
    "x = np.linalg.solve(a, b)\nfor k in range(3):\n    x = np.linalg.solve(a * x[0], b + x)\ns = x @ x",
    "c = np.linalg.inv(a)\nc[0, 0] += b[0]\na[1] = b\ns = np.linalg.det(c @ a) + np.sum(c * a)",
    "s = np.sum(np.linalg.solve(a, np.stack((b, b * b))[:, :].T.copy()))",
    "s = np.linalg.det(np.array([[b[0], 2.0], [a[0, 0], b[1]]])) * b[0]",
    "m = np.array([[b[0] + 3.0, b[1]], [a[0, 1], 4.0]])\ns = np.sum(np.linalg.inv(m) @ b[:2])",
]


def test_derivatives():
    """Of matrices of two to four rows; determinants also where they vanish but for so much."""
    f = branches("small systems", PROGRAMS, ("a", "b"))
    for n, far in product((2, 3, 4), (1.0, 1e-3, 1e-7)):
        draw = np.random.default_rng(n)
        a, b = draw.normal(size=(n, n)), draw.normal(size=n)
        a[-1] = a[0] * 0.5 + a[1] * (n > 2) + far * a[-1]
        for which, text in enumerate(PROGRAMS[: None if far == 1.0 else 1]):
            assert_law(f, which, [a, b], f"{text}, {n}")


@njit
def inverse(a, b):
    return np.sum(np.linalg.inv(a))


@njit
def solution(a, b):
    return np.sum(np.linalg.solve(a, b))


@njit
def determinant(a, b):
    return np.linalg.det(a)


MATRICES = {
    "singular": np.array([[1.0, 2.0], [2.0, 4.0]]),
    "zero": np.zeros((3, 3)),
    "almost": np.array([[1.0, 2.0], [2.0, 4.0 + 1e-12]]),
    "nan": np.array([[1.0, np.nan], [0.0, 1.0]]),
    "infinite": np.diag([1.0, np.inf, 2.0]),
    "not square": np.ones((2, 3)),
    "neither": np.ones((3, 2)),
    "empty": np.ones((0, 0)),
    "tiny": np.diag([1e-200, 1e-150, 1e-100]) + 1e-210,
    "huge": np.diag([1e130, 1e140]),
    "uneven": np.array([[1e-180, 0.0], [0.0, 1e180]]),
    "a small row": np.diag([1e-308, 1e160, 1e150]),
    "a large row": np.diag([1e250, 1e-160, 1.2345e-160]),
    "small rows": np.diag([1e250, 1.3e-160, 1.2345e-161]),
}


def outcome(call):
    try:
        return call()
    except (ValueError, np.linalg.LinAlgError) as error:
        return type(error), str(error)


@pytest.mark.parametrize("rest", [0.5, np.nan, np.inf])
@pytest.mark.parametrize("f", [inverse, solution, determinant])
def test_values_and_errors_are_numbas(f, rest):
    for name, a in MATRICES.items():
        b = np.linspace(1.0, 2.0, len(a))
        if len(b):
            b[-1] = rest
        expected = outcome(lambda a=a, b=b: f(a, b))
        given = [Duplicated(a, np.zeros_like(a)), Duplicated(b, np.zeros_like(b))]
        found = outcome(lambda given=given: autodiff(ForwardWithPrimal, f, *given)[1])
        if isinstance(expected, tuple):
            assert found == expected, name
        else:
            np.testing.assert_allclose(found, expected, rtol=1e-11, err_msg=name)


def test_lengths_that_differ():
    a, b = np.eye(3) + 0.1, np.ones(2)
    with pytest.raises(np.linalg.LinAlgError) as expected:
        solution(a, b)
    with pytest.raises(np.linalg.LinAlgError) as found:
        autodiff(Reverse, solution, Active, Duplicated(a, a * 0), Duplicated(b, b * 0))
    assert str(found.value) == str(expected.value)


@njit
def strains(x):
    s = 0.0
    for i in range(len(x) - 2):
        m = np.array(
            [[x[i, 0] + 3.0, x[i, 1]], [x[i + 1, 0] * x[i + 2, 1], x[i + 1, 1] + 2.0]],
        )
        g = np.linalg.inv(m)
        s += np.linalg.det(m) * (g[0, 0] * g[1, 1] + g[0, 1] ** 2)
    return s


def test_second_derivatives():
    x, v = np.random.default_rng(5).uniform(0.1, 1.0, (2, 6, 2))
    found, step = hvp(strains, x, v), 1e-5
    up, down = (gradient(Reverse, strains, x + sign * step * v) for sign in (1.0, -1.0))
    np.testing.assert_allclose(found, (up - down) / (2 * step), rtol=1e-7, atol=1e-8)


@njit
def areas(x):
    s = 0.0
    for i in range(len(x) - 1):
        s += np.linalg.det(np.array([[x[i, 0], x[i, 1]], [x[i + 1, 0], x[i + 1, 1]]])) ** 2
    return s


def test_a_small_determinant_may_be_read_as_its_formula():
    x = np.random.default_rng(6).normal(size=(9, 2))
    shadow = np.zeros_like(x)
    autodiff(Reverse, areas, Active, Duplicated(x, shadow))
    d = x[:-1, 0] * x[1:, 1] - x[:-1, 1] * x[1:, 0]
    expected = np.zeros_like(x)
    expected[:-1] += 2.0 * d[:, None] * np.stack((x[1:, 1], -x[1:, 0]), axis=1)
    expected[1:] += 2.0 * d[:, None] * np.stack((-x[:-1, 1], x[:-1, 0]), axis=1)
    np.testing.assert_allclose(shadow, expected, rtol=1e-12)
