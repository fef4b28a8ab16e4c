"""Finite differences: accuracy, honest estimates, edges of domains, structures."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from enzyme_testutils import backward_fdm, central_fdm, forward_fdm, grad, jvp, vjp
from enzyme_testutils.differences import NotDifferentiableError

METHOD = central_fdm(5, 1)


def estimate(f, x, method=METHOD, **options):
    found = method.estimate(lambda t: np.array([f(x + t)], np.float64), x, **options)
    return found.value[0], found.error[0]


def test_sine():
    assert abs(METHOD(math.sin, 3.0) - math.cos(3.0)) < 1e-11


@pytest.mark.parametrize("points", [3, 4, 5, 7])
@pytest.mark.parametrize("make", [central_fdm, forward_fdm, backward_fdm])
def test_methods(make, points):
    found = make(points, 1)(math.exp, 0.5)
    assert abs(found - math.exp(0.5)) < {3: 1e-7, 4: 1e-8, 5: 1e-9, 7: 1e-10}[points]


def test_higher_orders():
    assert abs(central_fdm(5, 2)(math.sin, 1.0) + math.sin(1.0)) < 1e-7
    assert abs(central_fdm(7, 3)(math.exp, 0.0) - 1.0) < 1e-5
    with pytest.raises(ValueError, match="3 points do not give a derivative of order 3"):
        central_fdm(3, 3)


CASES = [
    (mpmath.sin, 3.0),
    (mpmath.exp, 20.0),
    (mpmath.exp, -30.0),
    (mpmath.log, 1e-3),
    (mpmath.log, 1e-9),
    (mpmath.sqrt, 1e-4),
    (mpmath.asin, 0.9999),
    (mpmath.gamma, 1.3),
    (mpmath.tanh, 0.3),
    (lambda x: mpmath.sin(50 * x), 1.0),
    (lambda x: 1 / x, 0.01),
    (lambda x: mpmath.exp(-x * x), 5.0),
    (lambda x: 1e12 * x * x, 0.5),
    (lambda x: mpmath.mpf("1e-8") * mpmath.sin(x), 3.0),
    (lambda x: x, 1e8),
    (mpmath.erf, 0.1),
]


@pytest.mark.parametrize(("f", "x"), CASES, ids=range(len(CASES)))
def test_the_error_is_estimated(f, x):
    """The estimate bounds the error, but for a small factor, and is not far above it either."""

    def real(t):
        found = f(mpmath.mpf(t))
        return float(found) if isinstance(found, mpmath.mpf) else math.nan

    value, error = estimate(real, x)
    true = float(mpmath.diff(f, x))
    assert abs(value - true) <= 10 * error + 1e-300
    assert error <= 1e-7 * max(abs(true), abs(float(f(x)))) + 1e-300


def test_edges_of_domains():
    def power(x):
        return math.sqrt(x) ** 5

    value, error = estimate(power, 0.0)
    assert abs(value) <= 10 * error and error < 1e-4
    value, error = estimate(lambda x: math.acos(x) * (1 - x) if x <= 1 else math.nan, 1.0)
    assert abs(value) < 1e-2
    near, error = estimate(math.log, 1e-12)
    assert abs(near - 1e12) <= 10 * error


def test_where_there_is_nothing():
    with pytest.raises(NotDifferentiableError, match="at the point itself"):
        estimate(lambda x: math.nan, 1.0)
    with pytest.raises(NotDifferentiableError, match="near the point"):
        estimate(lambda x: 0.0 if x == 1.0 else math.nan, 1.0)
    with pytest.raises(ValueError, match="domain"):
        estimate(math.log, -1.0)


def test_jumps_show_in_the_error():
    _, error = estimate(lambda x: float(x > 0.0), 0.0)
    assert error > 0.1


def test_single_precision():
    eps = float(np.finfo(np.float32).eps)
    value, error = estimate(lambda x: float(np.float32(math.sin(x))), 3.0, eps=eps)
    assert abs(value - math.cos(3.0)) <= error < 1e-3


def test_structures():
    def f(x, pair):
        return {"a": x * pair[0], "b": (pair[1] ** 2, 3)}

    found = jvp(METHOD, f, (2.0, 1.0), ((3.0, np.array([1.0, 2.0])), (0.5, np.array([1.0, -1.0]))))
    assert abs(found["a"] - 4.0) < 1e-10
    np.testing.assert_allclose(found["b"][0], [2.0, -4.0], atol=1e-10)
    assert found["b"][1] == 3


def test_transposed():
    matrix = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    (found,) = vjp(METHOD, lambda x: matrix @ x, np.array([1.0, -1.0]), np.ones(3))
    np.testing.assert_allclose(found, [-3, -3, -3], atol=1e-10)
    dx, dn = grad(METHOD, lambda x, n: (x**n).sum(), np.array([1.0, 2.0]), 3)
    np.testing.assert_allclose(dx, [3, 12], rtol=1e-10)
    assert dn == 3


def test_complex_numbers_are_pairs():
    z = 3.1 + 2.7j
    (found,) = grad(METHOD, lambda z: (z * z).real, z)
    assert abs(found - (6.2 - 5.4j)) < 1e-10
    (found,) = vjp(METHOD, lambda z: z * z, 1j, z)
    assert abs(found - (5.4 + 6.2j)) < 1e-10
    assert abs(jvp(METHOD, lambda z: z * z, (z, 1j)) - (-5.4 + 6.2j)) < 1e-10
