"""Large derivatives run with a stack of their own, and are calls like others."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    Const,
    Duplicated,
    Reverse,
    ReverseSplitWithPrimal,
    autodiff,
    autodiff_thunk,
    gradient,
    jacobian,
    typeof,
)
from enzyme.contract.derivatives import width_of_group
from enzyme.frontend import intrinsic, roomy


@pytest.fixture
def all_are_large(monkeypatch):
    """How often code ran in a thread of its own."""
    calls = []
    monkeypatch.setattr(roomy, "LARGE", 0)
    call = roomy._Roomy.__call__
    monkeypatch.setattr(
        roomy._Roomy, "__call__", lambda self, *a: (calls.append(1), call(self, *a))[1]
    )
    assert intrinsic.roomy is roomy.roomy
    return calls


def test_results_and_exceptions(all_are_large):
    @njit
    def f(x, n):
        if n < 0:
            raise ValueError("below zero")
        return (x * x).sum() * n

    x, size = np.array([1.0, 2.0]), threading.stack_size()
    np.testing.assert_array_equal(gradient(Reverse, f, x, 3.0)[0], [6.0, 12.0])
    np.testing.assert_array_equal(gradient(Reverse, f, x, 3.0)[0], [6.0, 12.0])
    with pytest.raises(ValueError, match="below zero"):
        autodiff(Reverse, f, Active, Const(x), Active(-1.0))
    np.testing.assert_array_equal(jacobian(Reverse, lambda x: x * x, x), [[2.0, 0.0], [0.0, 4.0]])
    dx = np.zeros(2)
    annotated = Duplicated(x, dx), Active(3.0)
    forward, reverse = autodiff_thunk(
        ReverseSplitWithPrimal, typeof(Const(f)), Active, *map(typeof, annotated)
    )
    tape, primal, _ = forward(Const(f), *annotated)
    assert (primal, reverse(Const(f), *annotated, 1.0, tape)) == (15.0, ((None, 5.0),))
    assert list(dx) == [6.0, 12.0]
    assert len(all_are_large) >= 6
    assert threading.stack_size() == size


def test_one_large_derivative_needs_a_large_stack():
    """A thread with little of it: what runs in another thread does not need it."""
    made = roomy.roomy(lambda depth: _deep(depth), roomy.LARGE + 1)
    assert made(10) == 10
    assert roomy.roomy(_deep, roomy.LARGE) is _deep


def _deep(depth):
    return depth


def test_fewer_lanes_of_large_programs():
    assert [width_of_group(None, 100, size) for size in (0, 10_000, 2_000_000, 50_000_000)] == [
        8,
        8,
        4,
        1,
    ]
    assert width_of_group(6, 100, 50_000_000) == 6
