"""What a load in front of a loop finds is not what that loop stores.

It was taken for that where the load stands in the block in front of the loop, so that this runs each day.
"""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Const, Duplicated, Forward, Reverse, autodiff


@njit
def scaled_twice(x, n):
    m = n + 1
    for q in range(n):
        a = x[q]
        for i in range(m):
            x[i] = a * x[i]
        for i in range(m):
            x[i] = x[i] * a
    return (x * x).sum()


@pytest.mark.parametrize("n", [1, 2, 3])
def test_what_is_read_in_front_of_a_loop_is_not_what_that_stores(n):
    x = np.array([0.5, 1.5, 0.7, 1.2, 0.9])
    direction = np.cos(np.arange(x.size))
    given = Duplicated(x.copy(), np.zeros_like(x))
    autodiff(Reverse, scaled_twice, Active, given, Const(n))
    along = Duplicated(x.copy(), direction.copy())
    (slope,) = autodiff(Forward, scaled_twice, along, Const(n))
    np.testing.assert_allclose(given.dval @ direction, slope, rtol=1e-12)
