"""Parameters that rules take by keyword only: constant, and without a place in what rules return."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Const, Duplicated, Forward, Reverse, autodiff
from enzyme.errors import NoApplicableRuleError, NonConstantKeywordArgException
from enzyme_rules import AugmentedReturn, augmented_primal, forward, inactive_kwarg, reverse

pytestmark = pytest.mark.rotating(3)


def square(forward_keyword="val"):
    @njit
    def f(x, val):
        return x * x

    if forward_keyword == "val":

        @forward(f)
        def tangent(config, func, RT, x, *, val):
            d = 10.0 + 2.0 * x.val * x.dval
            return Duplicated(x.val * x.val, d) if config.needs_primal else d

    else:

        @forward(f)
        def tangent_with_another(config, func, RT, x, *, other):
            return x.dval

    return f


def with_reverse():
    f = square()

    @augmented_primal(f)
    def augmented(config, func, RT, x, *, val):
        primal = x.val * x.val if config.needs_primal else None
        return AugmentedReturn(primal, None, (x.val, len(config.overwritten)))

    @reverse(f)
    def adjoint(config, func, dret, tape, x, *, val):
        if tape[1] != 2:
            return (-1.0,)
        return (100.0 + 2.0 * tape[0] * dret.val,)

    return f


def test_constant_keywords_in_forward_mode():
    f = square()

    def h(x, y):
        return f(x, val=y)

    assert autodiff(Forward, h, Duplicated(2.0, 1.0), Const(42.0)) == (14.0,)


def test_constant_keywords_in_reverse_mode():
    """Keywords have no slot in `overwritten` and no entry in what the rule returns."""
    f = with_reverse()

    def h(x, y):
        return f(x, y)

    assert autodiff(Reverse, h, Active, Active(2.0), Const(42.0)) == ((104.0, None),)


def using_the_keyword():
    @njit
    def f(x, y):
        return x * x

    @augmented_primal(f)
    def augmented(config, func, RT, x, *, y):
        primal = x.val * x.val if config.needs_primal else None
        return AugmentedReturn(primal, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, x, *, y):
        return (1000.0 * y.val + 2.0 * x.val * dret.val / 2.0,)

    return f


def test_the_value_of_a_keyword():
    f = using_the_keyword()

    def h(x, y):
        return f(x, y)

    assert autodiff(Reverse, h, Active, Active(2.0), Const(42.0)) == ((42002.0, None),)


def test_active_keywords():
    f = using_the_keyword()

    def h(x, y):
        return f(x, y)

    with pytest.raises(NonConstantKeywordArgException, match="keyword argument y of") as caught:
        autodiff(Reverse, h, Active, Active(2.0), Active(42.0))
    assert caught.value.keyword == "y"
    assert "inactive_kwarg" in str(caught.value) and "test_rules_keywords.py" in str(caught.value)


def scratch_function():
    @njit
    def f(x, scratch):
        scratch[0] = x
        return x * scratch[0]

    @augmented_primal(f)
    def augmented(config, func, RT, x, *, scratch):
        return AugmentedReturn(x.val * x.val if config.needs_primal else None, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, x, *, scratch):
        return (100.0 * dret.val,)

    def h(x):
        return f(x, scratch=np.zeros(1))

    return f, h


def test_scratch_arrays_are_active():
    _, h = scratch_function()
    with pytest.raises(NonConstantKeywordArgException):
        autodiff(Reverse, h, Active, Active(2.0))


def test_scratch_arrays_that_are_declared_constant():
    f, h = scratch_function()
    inactive_kwarg(f, "scratch")
    assert autodiff(Reverse, h, Active, Active(2.0)) == ((100.0,),)


def without_the_keyword():
    @njit
    def f(x, val):
        return x * x

    @forward(f)
    def tangent(config, func, RT, x):
        return x.dval

    return f


@pytest.mark.parametrize("make", [without_the_keyword, lambda: square("other")])
def test_rules_without_that_keyword(make):
    f = make()

    def h(x, y):
        return f(x, y)

    with pytest.raises(NoApplicableRuleError, match="available: forward tangent"):
        autodiff(Forward, h, Duplicated(2.0, 1.0), Const(42.0))


def test_keywords_that_are_left_out():
    """The rule does not get them."""

    @njit
    def f(x, scale=3.0):
        return x * scale

    @forward(f)
    def tangent(config, func, RT, x):
        return 7.0 * x.dval

    @forward(f)
    def tangent_with_scale(config, func, RT, x, *, scale):
        return scale.val * x.dval

    def without(x):
        return f(x)

    def given(x):
        return f(x, scale=5.0)

    assert autodiff(Forward, given, Duplicated(2.0, 1.0)) == (5.0,)
    assert autodiff(Forward, without, Duplicated(2.0, 1.0)) == (7.0,)


def test_keyword_only_parameters_of_the_function():
    """Numba takes them by position where compiled code calls the function, and in no other way."""

    @njit
    def f(x, *, val):
        return x * val

    @forward(f)
    def tangent(config, func, RT, x, *, val):
        return 7.0 * val.val * x.dval

    def h(x, y):
        return f(x, y)

    assert autodiff(Forward, h, Duplicated(2.0, 1.0), Const(3.0)) == (21.0,)


def test_names_of_positional_parameters():
    """Arguments that are passed by name to ordinary parameters are positional for the rule."""

    @njit
    def f(x, y=3.0):
        return x * y

    @augmented_primal(f)
    def augmented(config, func, RT, x, y):
        primal = func.val(x.val, y.val) if config.needs_primal else None
        return AugmentedReturn(primal, None, len(config.overwritten))

    @reverse(f)
    def adjoint(config, func, dret, tape, x: Active, y: Active):
        return (10.0 * tape, 20.0)

    @reverse(f)
    def adjoint_of_one(config, func, dret, tape, x: Active, y: Const):
        return (y.val, None)

    def h(x, y):
        return f(y=y, x=x)

    assert autodiff(Reverse, h, Active, Active(2.0), Active(5.0)) == ((30.0, 20.0),)
    assert autodiff(Reverse, h, Active, Active(2.0), Const(5.0)) == ((5.0, None),)
    assert autodiff(Reverse, f, Active, Active(2.0), Const(9.0)) == ((9.0, None),)


def test_defaults_of_positional_parameters():
    @njit
    def f(x, y=3.0):
        return x * y

    @augmented_primal(f)
    def augmented(config, func, RT, x, y: Const):
        primal = func.val(x.val, y.val) if config.needs_primal else None
        return AugmentedReturn(primal, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, x: Active, y: Const):
        return (100.0 * y.val, None)

    def h(x):
        return f(x)

    assert autodiff(Reverse, h, Active, Active(2.0)) == ((300.0,),)
