"""Every modifier of a mode, in every way to run it: its effect is the same, or it is refused."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    InlineABI,
    ModeError,
    NonGenABI,
    Reverse,
    Split,
    autodiff,
    autodiff_thunk,
    clear_err_if_const_written,
    gradient,
    set_abi,
    set_runtime_activity,
    set_strong_zero,
    typeof,
)
from enzyme.errors import EnzymeConstStorageError

X = 2.0


@njit
def kept(x, store):
    """Through constant memory: its derivative is lost, so that only the factor x counts, or refused."""
    for k in range(store.size):
        store[k] = x
    return x * store.sum()


@njit(error_model="numpy")
def guarded(x, store):
    return min(1.0, store[0] / x) + x


def by_forward(change, f, x):
    return autodiff(change(Forward), f, Duplicated(x, 1.0), Const(np.ones(2)))[0]


def by_reverse(change, f, x):
    return autodiff(change(Reverse), f, Active(x), Const(np.ones(2)))[0][0]


def by_forward_thunk(change, f, x):
    store = np.ones(2)
    types = Duplicated[float], Const[typeof(store)]
    thunk = autodiff_thunk(change(Forward), Const[typeof(f)], Duplicated, *types)
    return thunk(Const(f), Duplicated(x, 1.0), Const(store))[1]


def by_split(change, f, x):
    store = np.ones(2)
    types = Active[float], Const[typeof(store)]
    forward, reverse = autodiff_thunk(Split(change(Reverse)), Const[typeof(f)], Active, *types)
    given = Const(f), Active(x), Const(store)
    tape, _, _ = forward(*given)
    return reverse(*given, 1.0, tape)[0][0]


def by_gradient(change, f, x):
    return gradient(change(Reverse), f, x, Const(np.ones(2)))[0]


def by_jitted_code(change, f, x):
    mode = change(Reverse)

    @njit
    def inside(x):
        return autodiff(mode, f, Active, Active(x), Const(np.ones(2)))[0][0]

    return inside(x)


WAYS = [by_forward, by_reverse, by_forward_thunk, by_split, by_gradient, by_jitted_code]


def unchanged(mode):
    return mode


@pytest.mark.parametrize("way", WAYS)
def test_constant_memory_that_is_written(way):
    if way is by_gradient:  # gives constants a shadow where they need one
        assert way(unchanged, kept, X) == 4.0 * X
    else:
        with pytest.raises(EnzymeConstStorageError):
            way(unchanged, kept, X)
    assert way(clear_err_if_const_written, kept, X) == 2.0 * X


@pytest.mark.parametrize("way", WAYS)
def test_strong_zero(way):
    """At 0 the quotient is infinite and not chosen, so its derivative counts nothing."""
    assert way(set_strong_zero, guarded, 0.0) == 1.0
    assert way(unchanged, guarded, 1e3) == 1.0 - 1e-6


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("abi", [InlineABI, NonGenABI])
def test_how_code_is_linked_changes_no_value(way, abi):
    assert way(lambda mode: set_abi(mode, abi), guarded, 1e3) == way(unchanged, guarded, 1e3)


@pytest.mark.parametrize("way", WAYS)
def test_runtime_activity(way):
    """It is a matter of calls from Python."""
    if way is by_jitted_code:
        with pytest.raises(ModeError, match="no runtime activity in compiled code"):
            way(set_runtime_activity, guarded, 1e3)
    else:
        assert way(set_runtime_activity, guarded, 1e3) == way(unchanged, guarded, 1e3)
