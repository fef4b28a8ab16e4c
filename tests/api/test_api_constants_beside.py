"""Constants in one place with differentiable data: proven, or given shadows of zeros by `gradient` and `jacobian`."""

from __future__ import annotations

import numpy as np
import pytest
from numba import float64, njit, typed
from numba.experimental import jitclass

from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    Reverse,
    ReverseWithPrimal,
    autodiff,
    gradient,
    jacobian,
    set_runtime_activity,
)
from enzyme.errors import EnzymeRuntimeActivityError

pytestmark = pytest.mark.rotating(21)

RATES = np.array([1.0, 2.0, 3.0])


@jitclass([("rates", float64[::1]), ("state", float64[::1])])
class Integrator:
    def __init__(self, rates, state):
        self.rates = rates
        self.state = state

    def step(self):
        self.state = 0.5 * self.rates * self.state


@njit
def integrated(x, rates):
    o = Integrator(rates, x.copy())
    for _ in range(3):
        o.step()
    return o.state


@njit
def integrated_with_global(x):
    return integrated(x, np.asarray(RATES)).sum()


@njit
def simplex(x, corner):
    points = [corner, x * 1.0, x * 2.0]
    for _ in range(2):
        points[0], points[1] = points[1], points[0]
        points[2] = 0.5 * (points[0] + points[1])
    return points[0] * points[1] * points[2]


@njit
def simplex_with_global(x):
    points = [RATES, x * 1.0, x * 2.0]
    for _ in range(2):
        points[0], points[1] = points[1], points[0]
        points[2] = 0.5 * (points[0] + points[1])
    return (points[0] * points[1] * points[2]).sum()


@njit
def best(x, first):
    found = first
    for _ in range(2):
        if x[0] > 0.5:
            found = x * found
    return found


@njit
def layers(weights, inputs):
    h = inputs
    for w in weights:
        h = np.tanh(h @ w)
    return h.sum()


@njit
def chosen(x, c, first):
    return x if first else c


X = np.array([2.0, 1.0, 4.0])
PROGRAMS = {
    "jitclass": (integrated, np.diag(RATES**3 / 8)),
    "list": (simplex, np.diag(0.5 * RATES * (RATES + X) + 0.5 * RATES * X)),
    "loop": (best, np.diag(2 * X * RATES)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_constants_of_the_sugar_functions_may_meet_differentiable_data(name):
    f, expected = PROGRAMS[name]
    total = njit(lambda x, c: f(x, c).sum())
    for _ in range(2):
        derivs, value = gradient(ReverseWithPrimal, total, X, Const(RATES))
        np.testing.assert_allclose(derivs[0], expected.sum(axis=0), rtol=1e-14)
        assert derivs[1] is None
        np.testing.assert_allclose(value, f(X, RATES).sum(), rtol=1e-14)
    np.testing.assert_allclose(gradient(Forward, total, X, Const(RATES))[0], derivs[0], rtol=1e-14)
    for mode in (Forward, Reverse):
        J, nothing = jacobian(mode, f, X, Const(RATES))
        np.testing.assert_allclose(J, expected, rtol=1e-14)
        assert nothing is None
    np.testing.assert_array_equal(RATES, [1.0, 2.0, 3.0])


@pytest.mark.parametrize("mode", [Forward, Reverse])
def test_a_constant_that_is_returned_has_zeros_for_derivatives(mode):
    for first in (True, False):
        J = jacobian(mode, chosen, X, Const(RATES), first)[0]
        np.testing.assert_array_equal(J, first * np.eye(3))


@pytest.mark.parametrize("f", [integrated_with_global, simplex_with_global])
def test_global_arrays_beside_differentiable_data_need_nothing(f):
    dx = np.zeros(3)
    autodiff(Reverse, f, Active, Duplicated(X, dx))
    program = integrated if f is integrated_with_global else simplex
    expected = PROGRAMS["jitclass" if program is integrated else "list"][1].sum(axis=0)
    np.testing.assert_allclose(dx, expected, rtol=1e-14)
    v = np.array([1.0, -2.0, 0.5])
    for _ in range(
        2
    ):  # what the first call leaves in shadows of constants must not be seen by the second
        np.testing.assert_allclose(
            autodiff(Forward, f, Duplicated(X, v))[0], expected @ v, rtol=1e-14
        )
    np.testing.assert_array_equal(RATES, [1.0, 2.0, 3.0])


def test_layers_in_a_list_or_tuple():
    inputs, weights = np.ones((3, 2)), (0.3 * np.eye(2), 0.5 * np.ones((2, 2)))
    first, second = gradient(Reverse, layers, weights, Const(inputs))[0]
    forward = gradient(Forward, lambda a, b, x: layers((a, b), x), *weights, Const(inputs))
    np.testing.assert_allclose(first, forward[0], rtol=1e-13)
    np.testing.assert_allclose(second, forward[1], rtol=1e-13)
    in_list = gradient(Reverse, layers, typed.List(weights), Const(inputs))[0]
    np.testing.assert_allclose(in_list[0], first, rtol=1e-15)


def test_autodiff_names_the_variable_and_both_ways_out():
    dx = np.zeros(3)
    total = njit(lambda x, first: best(x, first).sum())
    with pytest.raises(EnzymeRuntimeActivityError) as caught:
        autodiff(Reverse, total, Active, Duplicated(X, dx), Const(RATES))
    message = str(caught.value)
    assert "_ZN" not in message and "'first'" in message
    assert "Duplicated(first, make_zero(first))" in message
    expected = PROGRAMS["loop"][1].sum(axis=0)
    autodiff(Reverse, total, Active, Duplicated(X, dx), Duplicated(RATES, np.zeros(3)))
    np.testing.assert_allclose(dx, expected, rtol=1e-14)
    dx[...] = 0
    mode = set_runtime_activity(Reverse)
    autodiff(mode, total, Active, Duplicated(X, dx), Const(RATES))
    np.testing.assert_allclose(dx, expected, rtol=1e-14)
