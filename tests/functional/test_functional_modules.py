"""Functions that use what a module holds: arrays of any size, numbers, functions, and modules in modules."""

from __future__ import annotations

import types

import numpy as np
import pytest
from numba import njit

from enzyme import autodiff, grad, hessian, jvp
from enzymecore import Active, Duplicated, Reverse

inner = types.ModuleType("inner")
outer = types.ModuleType("outer")
inner.ROWS = np.array([[1.0, 2.0], [3.0, 4.0]])
inner.cube = njit(lambda x: x * x * x)
inner.plain_sum = njit(lambda x, y: x + y, inline="always")
outer.inner = inner
outer.W = np.array([1.0, 2.0, 3.0])
outer.NONE = np.zeros(0)
outer.ONE = np.array([2.0])
outer.FLAGS = np.array([True, False])
outer.K = 5.0

# Expressions with the second derivative at x = 1.5 in front.
USES = {
    "outer.W[1] * x * x": 4.0,
    "len(outer.W) * x * x": 6.0,
    "(outer.W * x * x).sum()": 12.0,
    "np.dot(outer.W, outer.W) * x * x": 28.0,
    "(outer.NONE.size + outer.ONE[0]) * x * x": 4.0,
    "x * x if outer.FLAGS[0] else x": 2.0,
    "outer.K * x * x": 10.0,
    "outer.inner.ROWS[1, 0] * x * x": 6.0,
    "outer.inner.cube(x)": 9.0,
    "outer.inner.plain_sum(x * x, x)": 2.0,
}


@pytest.mark.parametrize("decorate", [njit, lambda f: f], ids=["njit", "plain"])
@pytest.mark.parametrize("use", USES)
def test_second_derivative(use, decorate):
    scope = {"np": np, "outer": outer}
    exec(f"def f(x):\n    return {use}\n", scope)
    f, step = decorate(scope["f"]), 1e-6
    slope = (f(1.5 + step) - f(1.5 - step)) / (2 * step)
    assert grad(f)(1.5) == pytest.approx(slope, rel=1e-8)
    assert jvp(f, (1.5,), (1.0,))[1] == pytest.approx(slope, rel=1e-8)
    ((found,),) = autodiff(Reverse, f, Active, Active(1.5))
    assert found == pytest.approx(slope, rel=1e-8)
    assert hessian(f)(1.5) == pytest.approx(USES[use], rel=1e-12)


def test_an_array_of_a_module_beside_an_argument():
    def f(x):
        return (outer.W * x).sum() * outer.W[2]

    x, dx = np.ones(3), np.zeros(3)
    autodiff(Reverse, f, Active, Duplicated(x, dx))
    np.testing.assert_array_equal(dx, [3.0, 6.0, 9.0])
