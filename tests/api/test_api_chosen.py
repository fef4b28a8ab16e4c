"""Numbers that branches read from constants or from differentiable arrays: LLVM chooses the address, not the user."""

from __future__ import annotations

import numpy as np
import pytest
from numba import float64, njit
from numba.experimental import jitclass

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    Forward,
    Reverse,
    autodiff,
    make_zero,
)


@jitclass([("c", float64), ("w", float64[::1])])
class Box:
    """A number and an array beside it."""

    def __init__(self, c):
        self.c = c
        self.w = np.array([0.3, 0.9, 1.7, 0.1])


@njit
def of_four_branches(x, k):
    t = 0.0
    for i in range(len(x)):
        if x[i] > 1.0:
            v = k[i]
            if v > 2.0:
                v = x[i - 1]
        elif i % 2 == 0:
            v = x[i]
        else:
            v = k[i - 1]
        t += v * v * x[i]
    return t


@njit
def of_an_object(x, box):
    t = 0.0
    for i in range(len(x)):
        if x[i] > 1.2:
            v = box.c
        elif x[i] > 0.8:
            v = x[i - 1]
        else:
            v = box.w[i]
        t += v * v * x[i]
    return t


@njit
def of_a_tuple(x, pair):
    first, second = pair
    t = 0.0
    for i in range(len(x)):
        v = first[i]
        if x[i] > 1.2:
            v = second[i - 1]
        elif x[i] > 0.6:
            v = x[i - 1]
        t += v * x[i]
    return t


POINT = np.array([0.5, 0.95, 1.4, 1.1])
CASES = [
    (of_four_branches, np.array([1.0, 3.0, 2.5, 0.3])),
    (of_an_object, Box(0.7)),
    (of_a_tuple, (np.arange(4.0), np.full(4, 0.4))),
]


@pytest.mark.parametrize(("f", "constant"), CASES, ids=lambda v: getattr(v, "__name__", None))
def test_choices_among_constants_and_others(f, constant):
    expected = np.zeros(4)
    autodiff(
        Reverse, f, Active, Duplicated(POINT, expected), Duplicated(constant, make_zero(constant))
    )
    for k in range(4):
        step = np.eye(4)[k] * 1e-6
        quotient = (f(POINT + step, constant) - f(POINT - step, constant)) / 2e-6
        assert quotient == pytest.approx(expected[k], abs=1e-8)

    dx = np.zeros(4)
    autodiff(Reverse, f, Active, Duplicated(POINT, dx), Const(constant))
    np.testing.assert_array_equal(dx, expected)

    tangents = np.eye(4)[:3]
    _, lanes = autodiff(
        Forward, f, BatchDuplicated, BatchDuplicated(POINT, tuple(tangents)), Const(constant)
    )
    np.testing.assert_allclose(lanes, expected[:3], rtol=1e-14, atol=0.0)
