"""Buffers that are no arrays of NumPy have no shadows: one could not be compared with them."""

from __future__ import annotations

import array

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    Reverse,
    autodiff,
    gradient,
    jacobian,
    make_zero,
)
from enzyme.errors import ActivityError


@njit
def product(x):
    return x[0] * x[1]


BUFFERS = {
    "array.array": lambda values: array.array("d", values),
    "memoryview": lambda values: memoryview(np.array(values)),
    "single precision": lambda values: array.array("f", values),
}


@pytest.mark.parametrize("kind", BUFFERS)
@pytest.mark.parametrize("mode", [Forward, Reverse])
def test_a_buffer_with_a_shadow_is_refused_and_an_array_of_it_is_not(kind, mode):
    make = BUFFERS[kind]
    x = make([2.0, 3.0])
    wanted = () if mode is Forward else (Active,)
    for shadow in (make([1.0, 0.0]), make([0.0])):  # the second is too short
        with pytest.raises(ActivityError, match=r"np\.asarray"):
            autodiff(mode, product, *wanted, Duplicated(x, shadow))
    for call in (gradient, jacobian):
        with pytest.raises(ActivityError, match=r"np\.asarray"):
            call(mode, product, x)
    with pytest.raises(ActivityError, match=r"np\.asarray"):
        make_zero(x)
    shadow = make([1.0, 0.0])
    found = autodiff(mode, product, *wanted, Duplicated(np.asarray(x), np.asarray(shadow)))
    assert found == (3.0,) if mode is Forward else list(shadow) == [4.0, 2.0]


def test_constant_buffers_are_read():
    @njit
    def scaled(x, y):
        return x[0] * y

    for make in BUFFERS.values():
        result = autodiff(Reverse, scaled, Active, Const(make([2.0, 3.0])), Active(5.0))
        assert result == ((None, 2.0),)
    assert gradient(Reverse, scaled, Const(array.array("d", [2.0])), 5.0) == (None, 2.0)
