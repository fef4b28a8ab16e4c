"""Lanes of a batch are computed in packs, whatever the loops and branches between them."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import BatchDuplicated, Forward, autodiff


@njit
def square(v):
    return v * v


@njit
def cubic(v):
    return v * v * v + 1.0


BOTH = square, cubic


@njit
def by_a_function_that_is_chosen(x):
    s = 1.0
    for i in range(6):
        g = BOTH[0] if x[i] > 1.0 else BOTH[1]
        s = g(s * 0.5) * x[i] + g(x[i])
    return s


@pytest.mark.parametrize("width", [4, 6])
def test_lanes_are_those_of_calls_of_width_one(width):
    """LLVM 22 ended the process: it took lanes that are copies into packs, and found no order for them."""
    x = np.array([1.3, 0.7, 2.1, 0.4, 1.9, 0.9])
    units = tuple(np.eye(6)[:width])
    f = by_a_function_that_is_chosen
    _, found = autodiff(Forward, f, BatchDuplicated, BatchDuplicated(x, units))
    alone = [autodiff(Forward, f, BatchDuplicated, BatchDuplicated(x, (u,)))[1][0] for u in units]
    np.testing.assert_allclose(found, alone, rtol=1e-14)
