"""Functions that give a list or a dictionary other entries: derivatives have those that the argument had."""

from __future__ import annotations

import numpy as np
import pytest
from numba import float64, int64, njit, typed

from enzyme import Reverse, grad, gradient, hvp, value_and_grad
from enzyme.errors import ShadowLayoutError

pytestmark = pytest.mark.rotating(41)

Y = 1.5


def a_list():
    return typed.List([1.2, 0.7, 0.9])


def a_dict():
    made = typed.Dict.empty(int64, float64)
    made[0], made[1], made[2] = 1.2, 0.7, 0.9
    return made


@njit
def grows(x, y):
    x.append(x[0] * y)
    return x[0] * x[3] * x[1] + x[2] ** 2


@njit
def adds(x, y):
    x[7] = x[0] * y
    return x[0] * x[7] * x[1] + x[2] ** 2


@njit
def shrinks(x, y):
    a = x.pop()
    return a * a * x[0] * y


@njit
def enters_again(x, y):
    a = x[1]
    del x[1]
    x[1] = y * a
    return a * x[1] * x[0]


@pytest.mark.parametrize(("f", "make"), [(grows, a_list), (adds, a_dict)])
def test_new_entries_are_left_out(f, make):
    a, b, c = 1.2, 0.7, 0.9
    wanted = [2 * a * b * Y, a * a * Y, 2 * c]
    calls = (
        grad(f),
        njit(lambda x, y: grad(f)(x, y)),
        njit(lambda x, y: value_and_grad(f)(x, y)[1]),
        njit(lambda x, y: gradient(Reverse, f, x, y)[0]),
    )
    for call in calls:
        found = call(make(), Y)
        assert len(found) == 3
        np.testing.assert_allclose([found[k] for k in range(3)], wanted, rtol=1e-14)
    direction = make()
    for k in range(3):
        direction[k] = k + 1.0
    found = hvp(f, make(), direction, Y)
    second = [2 * b * Y * 1 + 2 * a * Y * 2, 2 * a * Y * 1, 2.0 * 3]
    np.testing.assert_allclose([found[k] for k in range(3)], second, rtol=1e-13)

    @njit
    def total(x, y):
        found = grad(f)(x, y)
        return found[0] + found[1] + found[2]

    np.testing.assert_allclose(grad(total, argnums=1)(make(), Y), 2 * a * b + a * a, rtol=1e-13)


@pytest.mark.parametrize(("f", "make"), [(shrinks, a_list), (enters_again, a_dict)])
def test_entries_that_are_gone(f, make):
    for call in grad(f), njit(lambda x, y: grad(f)(x, y)), lambda x, y: hvp(f, x, make(), y):
        with pytest.raises((ShadowLayoutError, ValueError), match="takes entries out of"):
            call(make(), Y)


def test_two_views_of_one_array_in_a_list():
    @njit
    def f(x, y):
        x[0][0] *= y
        return x[0][0] * y

    x = np.array([1.2, 0.7])
    found = grad(f)(typed.List([x, x[:]]), Y)
    np.testing.assert_allclose(found[0], [Y * Y, 0.0])
    np.testing.assert_array_equal(x, [1.2, 0.7])


def test_entries_in_tuples():
    @njit
    def f(pair, x, y):
        x.append(y)
        pair[1].append(y)
        return pair[0] * x[0] * x[3] * pair[1][0] * pair[1][2]

    @njit
    def slopes(pair, x, y):
        return grad(f, argnums=(0, 1, 2))(pair, x, y)

    (slope, list_in_pair), of_list, of_y = slopes((2.0, typed.List([3.0, 4.0])), a_list(), Y)
    np.testing.assert_allclose([slope, of_y], [1.2 * Y * 3.0 * Y, 2.0 * 2.0 * 1.2 * 3.0 * Y])
    np.testing.assert_allclose(list_in_pair, [2.0 * 1.2 * Y * Y, 0.0])
    np.testing.assert_allclose(of_list, [2.0 * 3.0 * Y * Y, 0.0, 0.0])
