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
from enzyme.frontend import roomy, thunks


@pytest.fixture
def all_are_large(monkeypatch):
    """How often code ran in a thread of its own."""
    calls = []
    monkeypatch.setattr(roomy, "LARGE", 0)
    call = roomy._Roomy.__call__
    monkeypatch.setattr(
        roomy._Roomy, "__call__", lambda self, *a: (calls.append(1), call(self, *a))[1]
    )
    assert thunks.roomy is roomy.roomy
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


@njit("float64(int64)")
def deep(n):
    """A frame for each number; the sum of floats keeps LLVM from making a loop of it."""
    return 0.0 if n == 0 else 1.0 + deep(n - 1) * 1.0000001


def test_the_stack_is_larger_than_that_of_a_thread():
    """Millions of frames, which would end the process, and from a thread that has little itself."""
    call, found = roomy.roomy(deep, roomy.LARGE + 1), []
    before = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=lambda: found.append(call(1_000_000)))
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    assert found[0] > 1e6
    assert roomy.roomy(deep, roomy.LARGE) is deep


def test_fewer_lanes_of_large_programs():
    assert [width_of_group(None, 100, size) for size in (0, 10_000, 2_000_000, 50_000_000)] == [
        8,
        8,
        4,
        1,
    ]
    assert width_of_group(6, 100, 50_000_000) == 6
