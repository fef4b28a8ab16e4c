"""Solutions of equations of numbers: precisions of start and parameters, and what is refused."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from enzyme import Const, Duplicated, Forward, Reverse, autodiff, fixed_point, grad, gradient, root
from enzyme.errors import ActivityError

pytestmark = pytest.mark.rotating(14)

single, double = np.float32, np.float64
HALF = single(0.5)
SOLVERS = {
    "root": root(lambda x, a: x * x - a),
    "fixed_point": fixed_point(lambda x, a: HALF * (x + a / x)),
    "given": root(lambda x, a: x * x - a, lambda start, a: np.sqrt(a)),
}


@pytest.mark.parametrize("name", SOLVERS)
def test_precisions(name):
    """The square root of 4, and its slope 1/4."""
    solve = SOLVERS[name]
    for of_start, of_parameter in itertools.product((single, double), repeat=2):
        start, a = of_start(1), of_parameter(4)
        assert solve(start, a) == pytest.approx(2.0, rel=1e-7)
        none, slope = gradient(Reverse, solve, Const(start), a)
        assert none is None and slope == pytest.approx(0.25, rel=1e-6)
        assert type(slope) in (of_parameter, float)
        (tangent,) = autodiff(Forward, solve, Const(start), Duplicated(a, of_parameter(1)))
        assert tangent == pytest.approx(0.25, rel=1e-6)


def test_whole_parameters_have_no_derivative():
    solve = root(lambda x, n: x**n - 2.0)
    assert solve(1.0, 3) == pytest.approx(2.0 ** (1 / 3))
    assert gradient(Reverse, solve, 1.0, 3) == (0.0, None)


def test_tuples_are_refused_as_parameters_but_not_as_constants():
    solve = root(lambda x, a: x * x - a[0] * a[1])
    assert gradient(Reverse, solve, Const(1.0), Const((4.0, 2.0))) == (None, None)
    with pytest.raises(ActivityError, match="a parameter of type UniTuple"):
        gradient(Reverse, solve, Const(1.0), (4.0, 2.0))
    parts = root(lambda x, a, b: x * x - a * b)
    found = gradient(Reverse, parts, Const(1.0), 4.0, 2.0)
    assert found[1:] == pytest.approx((8.0**-0.5, 2.0 * 8.0**-0.5))


def test_a_function_that_computes_in_its_argument():
    def g(x, b):
        for i in range(x.size):
            x[i] = 0.5 * np.cos(x[i]) + b[i]
        return x

    b = np.array([0.1, 0.2, 0.3])
    solve, plain = fixed_point(g), fixed_point(lambda x, b: 0.5 * np.cos(x) + b)
    x0 = np.zeros(3)
    np.testing.assert_allclose(solve(x0, b), plain(x0, b), rtol=1e-14)
    assert not x0.any()
    slope = grad(lambda b: solve(np.zeros(3), b).sum())(b)
    np.testing.assert_allclose(slope, 1 / (1 + 0.5 * np.sin(plain(x0, b))), rtol=1e-12)


def test_vectors_only():
    solve = fixed_point(lambda x, b: 0.5 * np.cos(x) + b)
    assert solve(np.zeros(0), np.zeros(0)).shape == (0,)
    with pytest.raises(ActivityError, match=r"2 axes(.|\n)*ravel"):
        solve(np.zeros((2, 2)), np.zeros((2, 2)))
