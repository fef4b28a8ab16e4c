"""Behind a test for equality a number is still a variable: LLVM does not put the constant in its place."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Const, Duplicated, Forward, Reverse, autodiff


def branches(k, x):
    if k == 0:
        return 3.0 * x if x == 2.0 else x * x
    elif k == 1:
        return x * x if x != 2.0 else 3.0 * x
    elif k == 2:
        return 3.0 * x if x == 2 else 0.0
    elif k == 3:
        return x if x == 2.0 else 2.0
    elif k == 4:
        return 3.0 * x if x in (1.0, 2.0) else 0.0
    elif k == 5:
        return -x if x < 2.0 else (x * x if x > 2.0 else 5.0 * x)
    elif k == 6:
        return min(x, 7.0) * x if min(x, 7.0) == 2.0 else 0.0
    elif k == 7:
        return (x * (1.0 + 2.0j) * x).imag if x + 0.0j == 2.0 + 0.0j else 0.0
    elif k == 8:
        return 3.0 * x if x == 0.0 else x
    elif k == 9:
        return x if x != 0 else 3.0 * x
    elif k == 10:
        return x if x else x * x + 5.0 * x
    return -x if x == 0.0 else x * x


EXPECTED = [(2.0, slope) for slope in (3.0, 3.0, 3.0, 1.0, 3.0, 5.0, 4.0, 8.0)]
EXPECTED += [(0.0, slope) for slope in (3.0, 3.0, 5.0, -1.0)]


@pytest.mark.parametrize("fastmath", [False, True])
def test_branch_for_one_value_has_its_own_derivative(fastmath):
    function = njit(fastmath=fastmath)(branches)
    for k, (x, expected) in enumerate(EXPECTED):
        assert autodiff(Reverse, function, Active, Const(k), Active(x))[0][1] == expected, k
        assert autodiff(Forward, function, Const(k), Duplicated(x, 1.0))[0] == expected, k


@njit
def scaled_where_one(x):
    total = 0.0
    for i in range(x.size):
        total += x[i] if x[i] != np.float32(1.0) else x[i] * x[i] * np.float32(5.0)
    return total


def test_equality_in_a_loop_in_single_precision():
    x, dx = np.array([1.0, 2.0, -1.0], np.float32), np.zeros(3, np.float32)
    autodiff(Reverse, scaled_where_one, Active, Duplicated(x, dx))
    assert dx.tolist() == [10.0, 1.0, 1.0]


@njit
def equal(x, y):
    return (x == y) + 2 * (x != y)


def test_equality_is_that_of_floats():
    values = [0.0, -0.0, 1.0, np.inf, -np.inf, np.nan, 5e-324]

    @njit
    def weighted(x, y, z):
        return z * equal(x, y)

    for x in values:
        for y in values:
            slope = autodiff(Reverse, weighted, Active, Const(x), Const(y), Active(1.0))[0][2]
            assert slope == equal(x, y)
