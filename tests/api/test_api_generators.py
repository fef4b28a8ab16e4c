"""`numpy.random.Generator` as an argument: inactive, and its numbers are drawn once."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    Reverse,
    ReverseSplitNoPrimal,
    autodiff,
    autodiff_thunk,
    gradient,
    jacobian,
    typeof,
)


@njit
def noisy(x, rng):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * x[i] * rng.normal() + rng.uniform(0.0, x[i])
    return total


X = np.array([1.0, 2.0, 3.0])


def expected(seed):
    rng = np.random.default_rng(seed)
    return np.array([2 * x * rng.normal() + rng.uniform() for x in X]), rng.normal()


def test_a_generator_is_inactive_and_goes_on_where_the_function_left_it():
    dx, rng = np.zeros(3), np.random.default_rng(5)
    autodiff(Reverse, noisy, Active, Duplicated(X, dx), Const(rng))
    wanted, following = expected(5)
    np.testing.assert_allclose(dx, wanted, rtol=1e-14)
    assert rng.normal() == following
    found = autodiff(Forward, noisy, Duplicated(X, np.ones(3)), Const(np.random.default_rng(5)))
    np.testing.assert_allclose(found[0], wanted.sum(), rtol=1e-14)
    found, nothing = gradient(Reverse, noisy, X, np.random.default_rng(5))
    np.testing.assert_allclose(found, wanted, rtol=1e-14)
    assert nothing is None


def test_a_generator_in_split_mode_and_in_jitted_code():
    rng, dx = np.random.default_rng(5), np.zeros(3)
    kinds = Duplicated[typeof(X)], Const[typeof(rng)]
    ahead, back = autodiff_thunk(ReverseSplitNoPrimal, Const[typeof(noisy)], Active, *kinds)
    args = Const(noisy), Duplicated(X, dx), Const(rng)
    tape, _, _ = ahead(*args)
    rng.normal()
    back(*args, 1.0, tape)
    np.testing.assert_allclose(dx, expected(5)[0], rtol=1e-14)

    @njit
    def inside(x, rng):
        return gradient(Reverse, noisy, x, Const(rng))[0]

    np.testing.assert_allclose(inside(X, np.random.default_rng(5)), expected(5)[0], rtol=1e-14)


@pytest.mark.parametrize("mode", [Forward, Reverse])
def test_numbers_of_an_array(mode):
    @njit
    def scattered(x, rng):
        return x * rng.normal(size=3)

    J = jacobian(mode, scattered, X, np.random.default_rng(7), chunk=3)[0]
    # Every run of the function draws anew: the first call of reverse mode only asks for the shape.
    rng = np.random.default_rng(7)
    if mode is Reverse:
        rng.normal(size=3)
    np.testing.assert_allclose(J, np.diag(rng.normal(size=3)), rtol=1e-14)
