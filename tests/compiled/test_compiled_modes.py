"""Modes and annotation classes that are made in jitted code."""

from __future__ import annotations

import math

import numba
import numpy as np
import pytest
from numba import float64, njit, types

import enzymecore
from enzyme import (
    Active,
    BatchDuplicated,
    Combined,
    Const,
    Duplicated,
    Forward,
    NoPrimal,
    Reverse,
    ReverseSplitModified,
    ReverseSplitNoPrimal,
    ReverseSplitWidth,
    ReverseSplitWithPrimal,
    ReverseWithPrimal,
    Split,
    WithPrimal,
    autodiff,
    autodiff_thunk,
    clear_strong_zero,
    set_runtime_activity,
    set_strong_zero,
    typeof,
)
from enzyme.compiled import modes
from enzyme.errors import ActivityError, ModeError
from enzyme.typed.annotations import ModeType


@njit
def cube(x):
    return x * x * x


@njit
def kept_out(x):
    return math.log(x) * 0.0 + x


@njit
def scaled(a, x):
    return a[0] * x


VECTOR = float64[::1]


def test_with_and_without_primal():
    @njit
    def derivatives(x):
        return (
            autodiff(WithPrimal(Reverse), cube, Active, Active(x)),
            autodiff(NoPrimal(ReverseWithPrimal), cube, Active, Active(x)),
            autodiff(WithPrimal(Forward), cube, Duplicated(x, 1.0)),
            autodiff(WithPrimal(Combined(ReverseSplitNoPrimal)), cube, Active, Active(x)),
        )

    assert derivatives(2.0) == (((12.0,), 8.0), ((12.0,),), (12.0, 8.0), ((12.0,), 8.0))


def test_strong_zeros():
    @njit
    def plain(x):
        return autodiff(clear_strong_zero(Reverse), kept_out, Active, Active(x))

    @njit
    def strong(x):
        return autodiff(set_strong_zero(Reverse, True), kept_out, Active, Active(x))

    assert math.isnan(plain(0.0)[0][0])
    assert strong(0.0) == ((1.0,),)


def test_split_modes():
    @njit
    def derivative(a, x):
        mode = ReverseSplitWidth(Split(ReverseWithPrimal), 2)
        forward, reverse = autodiff_thunk(
            mode, Const[typeof(scaled)], Active, BatchDuplicated[typeof(a), 2], Active[float64]
        )
        shadows = np.zeros_like(a), np.zeros_like(a)
        tape, primal, _ = forward(Const(scaled), BatchDuplicated(a, shadows), Active(x))
        found = reverse(Const(scaled), BatchDuplicated(a, shadows), Active(x), (1.0, 10.0), tape)
        return primal, found[0][1], shadows[0][0], shadows[1][0]

    assert derivative(np.array([3.0, 0.0]), 2.0) == (6.0, (3.0, 30.0), 2.0, 20.0)


@pytest.mark.parametrize(
    "mode",
    [
        ReverseSplitModified(ReverseSplitWithPrimal, (False, False, False)),
        ReverseSplitModified(ReverseSplitWithPrimal, (True, True, True)),
    ],
)
def test_thunks_without_and_with_a_tape(mode):
    @njit
    def derivative(a, x):
        forward, reverse = autodiff_thunk(
            ReverseSplitWidth(mode, 1), Const[typeof(scaled)], Active, Duplicated[VECTOR], Active[F]
        )
        shadow = np.zeros_like(a)
        tape, primal, _ = forward(Const(scaled), Duplicated(a, shadow), Active(x))
        found = reverse(Const(scaled), Duplicated(a, shadow), Active(x), 1.0, tape)
        return primal, found[0][1], shadow[0]

    F = types.double
    assert derivative(np.array([3.0, 0.0]), 2.0) == (6.0, 3.0, 2.0)


def test_parameters_are_types_of_numba_or_numpy():
    @njit
    def derivative(x):
        sides = (
            autodiff_thunk(ReverseSplitNoPrimal, Const[typeof(cube)], Active, Active[float64]),
            autodiff_thunk(
                ReverseSplitNoPrimal, Const[typeof(cube)], Active, Active[types.float64]
            ),
            autodiff_thunk(ReverseSplitNoPrimal, Const[typeof(cube)], Active, Active[numba.double]),
            autodiff_thunk(ReverseSplitNoPrimal, Const[typeof(cube)], Active, Active[np.float64]),
        )
        found = 0.0
        for forward, reverse in numba.literal_unroll(sides):
            tape, _, _ = forward(Const(cube), Active(x))
            found += reverse(Const(cube), Active(x), 1.0, tape)[0][0]
        return found

    assert derivative(2.0) == 48.0


def test_classes_are_values():
    @njit
    def first_parameter(cls, x):
        forward, reverse = autodiff_thunk(
            ReverseSplitNoPrimal, Const[typeof(cube)], Active, cls[float64]
        )
        tape, _, _ = forward(Const(cube), cls(x))
        return reverse(Const(cube), cls(x), 1.0, tape)[0][0]

    assert first_parameter(Active, 2.0) == 12.0
    assert first_parameter(Const, 2.0) is None


def test_indices_that_are_types_elsewhere():
    """Numba's own error, as without the library."""

    @njit
    def wrong(x):
        return x[float64]

    with pytest.raises(AssertionError, match="float64"):
        wrong(np.zeros(3))


def test_every_function_that_makes_modes_can_be_called():
    """Those of the package that take a mode and give one; `set_abi` takes a class instead."""
    found = {
        name
        for name in enzymecore.__all__
        if name.startswith(("set_", "clear_"))
        or name in ("Combined", "NoPrimal", "Split", "WithPrimal")
        or (name.startswith("ReverseSplit") and callable(getattr(enzymecore, name)))
    }
    made = {function.__name__ for function in modes._MAKERS}
    assert found - made == {"set_abi"}
    assert made <= found


@pytest.mark.parametrize("maker", modes._MAKERS, ids=lambda maker: maker.__name__)
def test_the_mode_is_that_of_python(maker):
    mode = Reverse if maker is Split else ReverseSplitWithPrimal
    rest = {ReverseSplitWidth: (2,), ReverseSplitModified: ((False, True),)}.get(maker, ())
    types_ = [
        types.Tuple([types.literal(flag) for flag in value])
        if isinstance(value, tuple)
        else types.literal(value)
        for value in rest
    ]
    called = modes.ModeMaker(maker, maker.__name__).get_call_type(
        None, (ModeType(mode), *types_), {}
    )
    assert called.return_type == ModeType(maker(mode, *rest))


def test_errors_name_the_line():
    @njit
    def of_a_value(x):
        return autodiff(set_strong_zero(Reverse, x > 0.0), cube, Active, Active(x))

    @njit
    def with_keywords(x):
        return autodiff(set_strong_zero(Reverse, source=True), cube, Active, Active(x))

    @njit
    def not_split(x):
        return autodiff(ReverseSplitWidth(Reverse, 2), cube, Active, Active(x))

    @njit
    def too_many(x):
        return autodiff(set_strong_zero(Reverse, True, 3), cube, Active, Active(x))

    @njit
    def at_run_time(x):
        return autodiff(set_runtime_activity(Reverse), cube, Active, Active(x))

    for function, error, text in (
        (of_a_value, ActivityError, "constants that stand in the code"),
        (with_keywords, ActivityError, "by position"),
        (too_many, ActivityError, "3 were given"),
        (not_split, ModeError, "needs a split reverse mode"),
        (at_run_time, ModeError, "no runtime activity"),
    ):
        with pytest.raises(error, match=text) as caught:
            function(2.0)
        line = function.py_func.__code__.co_firstlineno + 2
        assert f"test_compiled_modes.py:{line}" in str(caught.value)
