"""What users give to solvers may compute in the arrays that it is given: nobody else sees that."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import conjugate_gradients, grad, least_squares, linear_solve, root

pytestmark = pytest.mark.rotating(4)

K = np.array([2.0, 3.0, 5.0])
B = np.array([1.0, 0.5, 0.25])


@njit
def gauss(a, b):
    n = len(b)
    for k in range(n):
        for i in range(k + 1, n):
            b[i] -= a[i, k] / a[k, k] * b[k]
            a[i] -= a[i, k] / a[k, k] * a[k]
    for k in range(n - 1, -1, -1):
        b[k] = (b[k] - a[k, k + 1 :] @ b[k + 1 :]) / a[k, k]
    return b


def scaled(x, k):
    x *= k
    return x


def halved(r, k):
    r /= k + 1.0
    return r


def residuals(x, y):
    r = x[0] * K + x[1] - y
    x[0] = 0.0
    return r


def equation(x, y):
    x *= x
    x -= y
    return x


SOLVERS = {
    "conjugate gradients": (conjugate_gradients(scaled, halved), lambda b: (b, K), lambda b: b / K),
    "linear_solve": (linear_solve(gauss), lambda b: (np.diag(K) + 0.5, b), None),
    "least_squares": (least_squares(residuals), lambda y: (np.ones(2), y), None),
    "root": (root(equation), lambda y: (np.ones(3), y), np.sqrt),
}
RIGHT = {
    "linear_solve": lambda b: np.linalg.solve(np.diag(K) + 0.5, b),
    "least_squares": lambda y: np.linalg.lstsq(np.stack([K, np.ones(3)], 1), y)[0],
}


@pytest.mark.parametrize("name", SOLVERS)
def test_in_place(name):
    solve, given, right = SOLVERS[name]
    right = right or RIGHT[name]
    arguments = given(B.copy())
    before = [a.copy() for a in arguments]
    np.testing.assert_allclose(solve(*arguments), right(B), rtol=1e-9)
    for a, b in zip(arguments, before, strict=True):
        np.testing.assert_array_equal(a, b)
    at = next(k for k, a in enumerate(arguments) if a.shape == B.shape and (a == B).all())
    slope = grad(
        lambda *args: (solve(*args) * np.arange(1.0, 1.0 + len(solve(*args)))).sum(), argnums=at
    )
    weights = np.arange(1.0, 1.0 + len(right(B)))
    h = 1e-6
    expected = [(weights @ (right(B + e) - right(B - e))) / (2 * h) for e in np.eye(3) * h]
    np.testing.assert_allclose(slope(*arguments), expected, rtol=1e-6)
