"""What stands between Python and derivatives is compiled once for each kind of call."""

from __future__ import annotations

import gc
import sys
from collections import namedtuple

import numpy as np
import pytest
from numba import float64, int64, njit, types
from numba.core.errors import TypingError

from enzyme import Active, Const, Duplicated, Forward, Reverse, autodiff
from enzyme.api.reflection import fresh_program
from enzyme.engine.analysis.kinds import Activity, DiffMode
from enzyme.frontend import wrappers
from enzyme.frontend.callplan import make_plan
from enzyme.frontend.target import compile_primal
from enzyme.frontend.visible import ArgumentsOverlap

VECTOR = types.Array(float64, 1, "C")
ACTIVE, CONST, DUPLICATED = Activity.ACTIVE, Activity.CONST, Activity.DUPLICATED


def weigh(x, a):
    return x[0] * a


def lift(values, amount):
    values[0] += amount
    return 2.0 * amount


def plan_of(function, argtypes, activities, mode=DiffMode.REVERSE, **options):
    primal = compile_primal(function, argtypes)
    return make_plan(primal, f"d_{function.__name__}", activities, ACTIVE, mode, **options)


def test_functions_with_the_same_types_share_it():
    plans = [plan_of(f, (VECTOR, float64), (DUPLICATED, ACTIVE)) for f in (weigh, lift)]
    assert plans[0] != plans[1]
    assert wrappers.wrapper_for(plans[0]) is wrappers.wrapper_for(plans[1])


@pytest.mark.parametrize(
    "other",
    [
        {"activities": (DUPLICATED, CONST)},
        {"argtypes": (types.Array(float64, 1, "A"), float64)},
        {"argtypes": (VECTOR, int64), "activities": (DUPLICATED, CONST)},
        {"return_primal": False},
        {"width": 2},
        {"raises_late": True},
        {"mode": DiffMode.SPLIT},
        {"mode": DiffMode.SPLIT, "reverses": True},
    ],
)
def test_calls_of_another_kind_do_not(other):
    usual = {"argtypes": (VECTOR, float64), "activities": (DUPLICATED, ACTIVE)}
    one = wrappers.wrapper_for(plan_of(weigh, **usual))
    assert wrappers.wrapper_for(plan_of(weigh, **{**usual, **other})) is not one


@pytest.mark.parametrize("option", ["nogil", "checked"])
def test_options_have_their_own(option):
    plan = plan_of(weigh, (VECTOR, float64), (DUPLICATED, ACTIVE))
    assert wrappers.wrapper_for(plan, **{option: True}) is not wrappers.wrapper_for(plan)


def test_types_of_the_user_are_not_kept():
    pair = types.NamedTuple([float64, float64], namedtuple("Pair", "first second"))
    plan = plan_of(lambda p: p[0] * p[1], (pair,), (ACTIVE,))
    before = len(wrappers._known)
    assert wrappers.wrapper_for(plan) is not wrappers.wrapper_for(plan)
    assert len(wrappers._known) == before


def test_derivatives_that_share_it_keep_apart():
    def made(k):
        @njit
        def f(x, a):
            if a < 0.0:
                raise ValueError(k)
            x[0] += k * a
            return x[0] * a

        return f

    functions = [made(k) for k in range(5)]
    for _ in range(2):
        for k, f in enumerate(functions):
            x, dx = np.array([2.0]), np.zeros(1)
            ((_, da),) = autodiff(Reverse, f, Active, Duplicated(x, dx), Active(3.0))
            assert (da, dx[0]) == (2.0 + 6.0 * k, 3.0)
            (tangent,) = autodiff(Forward, f, Duplicated(x, np.ones(1)), Const(1.0))
            assert tangent == 1.0
            with pytest.raises(ValueError, match=str(k)):
                autodiff(Reverse, f, Active, Duplicated(x, dx), Active(-1.0))


def in_pair(pair, y):
    return pair[0][0] * pair[1] * y[0]


def test_what_is_taken_out_of_objects_is_let_go_of():
    """Also where an argument behind it is of another type than was compiled for."""
    x, dx, y, dy = np.array([3.0]), np.zeros(1), np.array([5.0]), np.zeros(1)
    annotations = Duplicated((x, 2.0), (dx, 0.0)), Duplicated(y, dy)
    program = fresh_program(in_pair, Forward, (Duplicated, *annotations))
    thunk = program.thunk(distinct=False)
    counted = x, dx, y, dy
    before = [*map(sys.getrefcount, counted)]

    def call(shadow):
        return thunk.entry(thunk.address, (x, 2.0), (dx, 1.0), y, shadow)

    for wrong in ("text", np.zeros(1, np.float32), None):
        for _ in range(3):
            with pytest.raises(
                TypeError, match="can't unbox array from PyObject into native value"
            ):
                call(wrong)
    assert call(dy)[0] == 15.0
    assert [*map(sys.getrefcount, counted)] == before


def test_jitted_code_does_not_call_it():
    """It would be called as numba calls functions, and is none."""
    x, dx = np.array([2.0]), np.zeros(1)
    thunk = fresh_program(weigh, Reverse, (Active, Duplicated(x, dx), Active(1.0))).thunk(True)
    assert thunk.call(x, dx, 3.0, 1.0)[0] == 2.0
    dispatcher, address = thunk.dispatcher, thunk.address

    @njit
    def calling(x, dx):
        return dispatcher(address, x, dx, 3.0, 1.0)

    with pytest.raises(TypingError, match="from Python only"):
        calling(x, dx)


def failing(x, a):
    if a < 0.0:
        raise ValueError("below", x.size)
    return x[0] * a


def test_exceptions_leave_nothing_behind():
    x, dx = np.array([2.0, 1.0]), np.zeros(2)
    thunk = fresh_program(failing, Reverse, (Active, Duplicated(x, dx), Active(1.0))).thunk(True)
    before = sys.getrefcount(x), sys.getrefcount(dx)
    for _ in range(3):
        with pytest.raises(ValueError, match="below") as caught:
            thunk.entry(thunk.address, x, dx, -1.0, 1.0)
        assert caught.value.args == ("below", 2)
        with pytest.raises(ArgumentsOverlap):
            thunk.entry(thunk.address, x, x, 1.0, 1.0)
        del caught
    gc.collect()
    assert (sys.getrefcount(x), sys.getrefcount(dx)) == before
    assert thunk.entry(thunk.address, x, dx, 3.0, 1.0)[0] == 2.0
