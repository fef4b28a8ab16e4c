"""A plain function follows what it reads from outside, and so does its derivative; a jitted one does not."""

from __future__ import annotations

import types

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    ForwardWithPrimal,
    Reverse,
    ReverseSplitNoPrimal,
    ReverseWithPrimal,
    autodiff,
    autodiff_thunk,
    gradient,
    jacobian,
    typeof,
)
from enzyme.errors import ThunkCallError

settings = types.ModuleType("settings")
settings.inner = types.ModuleType("settings.inner")

FACTOR = 2.0
WEIGHTS = np.array([2.0, 5.0])
PAIR = (2.0, np.array([3.0]))
settings.factor = 2.0
settings.inner.factor = 2.0


@njit
def twice(x):
    return 2.0 * x


@njit
def thrice(x):
    return 3.0 * x


helper = twice


def of_global(x):
    return FACTOR * x


def of_array(x):
    return WEIGHTS[0] * x


def of_pair(x):
    return PAIR[0] * x


def of_module(x):
    return settings.factor * x


def of_inner_module(x):
    return settings.inner.factor * x


def of_helper(x):
    return helper(x)


def of_function_inside(x):
    def inside(y):
        return FACTOR * y

    return inside(x)


def with_default(x, factor=2.0):
    return factor * x


def of_cell():
    factor = 2.0

    def scaled(x):
        return factor * x

    def change(value):
        nonlocal factor
        factor = value

    return scaled, change


cell, change_cell = of_cell()


def set_global(value):
    globals()["FACTOR"] = value


def set_item(value):
    WEIGHTS[0] = value


CASES = {
    "global": (of_global, set_global),
    "content of a global array": (of_array, set_item),
    "item of a global tuple": (of_pair, lambda v: globals().update(PAIR=(v, PAIR[1]))),
    "attribute of a module": (of_module, lambda v: setattr(settings, "factor", v)),
    "attribute of a module in a module": (
        of_inner_module,
        lambda v: setattr(settings.inner, "factor", v),
    ),
    "jitted helper": (of_helper, lambda v: globals().update(helper=thrice if v == 3.0 else twice)),
    "function inside": (of_function_inside, set_global),
    "default": (with_default, lambda v: setattr(with_default, "__defaults__", (v,))),
    "cell": (cell, change_cell),
}


@pytest.mark.parametrize("name", CASES)
def test_value_and_gradient_of_a_plain_function_agree_after_a_change(name):
    f, change = CASES[name]
    try:
        for value in (2.0, 3.0):
            change(value)
            for _ in range(2):
                assert gradient(ReverseWithPrimal, f, 5.0) == (f(1.0), f(5.0)) == (value, 5 * value)
    finally:
        change(2.0)


def test_every_entry_point_follows():
    x = np.array([1.0, 2.0])

    def scaled(x):
        return FACTOR * x

    def total(x):
        return FACTOR * x.sum()

    def applied(g, t):
        return g(t)

    try:
        for value in (2.0, 3.0):
            set_global(value)
            dx = np.zeros(2)
            autodiff(Reverse, total, Active, Duplicated(x, dx))
            assert autodiff(ForwardWithPrimal, total, Duplicated(x, np.ones(2)))[0] == 2 * value
            np.testing.assert_array_equal(dx, [value, value])
            np.testing.assert_array_equal(jacobian(Reverse, scaled, x), value * np.eye(2))
            assert gradient(Forward, of_global, 1.0) == value
            assert autodiff(Reverse, applied, Active, Const(of_global), Active(1.0))[0][1] == value
    finally:
        set_global(2.0)


def test_a_thunk_of_a_plain_function_says_that_it_is_out_of_date():
    types = Const[typeof(of_global)], Active, Active[float]
    ahead, back = autodiff_thunk(ReverseSplitNoPrimal, *types)
    tape, _, _ = ahead(Const(of_global), Active(1.0))
    assert back(Const(of_global), Active(1.0), 1.0, tape) == ((2.0,),)
    try:
        set_global(3.0)
        with pytest.raises(ThunkCallError, match="make the thunk again"):
            ahead(Const(of_global), Active(1.0))
        ahead, back = autodiff_thunk(ReverseSplitNoPrimal, *types)
        tape, _, _ = ahead(Const(of_global), Active(1.0))
        assert back(Const(of_global), Active(1.0), 1.0, tape) == ((3.0,),)
    finally:
        set_global(2.0)


def test_a_jitted_function_goes_on_with_its_first_values_as_numba_does():
    @njit
    def frozen(x):
        return FACTOR * x

    try:
        for value in (2.0, 3.0):
            set_global(value)
            assert gradient(ReverseWithPrimal, frozen, 5.0) == (2.0, 10.0) == (2.0, frozen(5.0))
    finally:
        set_global(2.0)


def test_equal_values_are_not_compiled_again():
    def scaled(x):
        return FACTOR * x

    gradient(Reverse, scaled, 5.0)
    before = scaled.__dict__["__enzyme_derivatives__"]
    set_global(float("2.0"))
    gradient(Reverse, scaled, 6.0)
    assert scaled.__dict__["__enzyme_derivatives__"] is before
    set_global(-0.0)
    try:
        assert np.signbit(gradient(Reverse, scaled, 5.0))
    finally:
        set_global(2.0)
