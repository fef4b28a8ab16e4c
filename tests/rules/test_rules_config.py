"""What rules are told of the call: configurations, their getters, and types that follow from them."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from numba import njit

import enzyme_rules
from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    Forward,
    ForwardWithPrimal,
    Reverse,
    ReverseWithPrimal,
    autodiff,
    set_runtime_activity,
    set_strong_zero,
    typeof,
)
from enzyme_rules import (
    AugmentedReturn,
    FwdConfig,
    FwdConfigWidth,
    RevConfig,
    RevConfigWidth,
    augmented_primal,
    augmented_rule_return_type,
    easy_rule,
    forward,
    forward_rule_return_type,
    needs_primal,
    needs_shadow,
    overwritten,
    primal_type,
    reverse,
    runtime_activity,
    shadow_type,
    strong_zero,
    width,
)

pytestmark = pytest.mark.rotating(3)

# --- in Python ------------------------------------------------------------------------------------


def test_getters_and_attributes():
    config = RevConfig(True, False, 3, (False, True), runtime_activity=True, strong_zero=True)
    assert (needs_primal(config), needs_shadow(config), width(config)) == (True, False, 3)
    assert (overwritten(config), runtime_activity(config)) == ((False, True), True)
    assert strong_zero(config) and config.strong_zero and config.width == 3
    assert enzyme_rules.Config is RevConfig
    assert not hasattr(FwdConfig(True, True), "overwritten")
    with pytest.raises(FrozenInstanceError):
        config.width = 2


def test_patterns_of_widths():
    assert RevConfigWidth[2].matches(RevConfig(True, True, 2))
    assert not RevConfigWidth[2].matches(RevConfig(True, True, 1))
    assert not RevConfigWidth[2].matches(FwdConfig(True, True, 2))
    assert FwdConfigWidth[1].matches(FwdConfig(True, True))


def test_the_short_name_of_the_pattern():
    assert enzyme_rules.ConfigWidth[2].matches(RevConfig(True, True, 2))


def test_types_of_primals_and_shadows():
    array = Duplicated[float].eltype
    assert primal_type(RevConfig(True, False), Active[float]) == array
    assert primal_type(RevConfig(False, False), Active[float]) is type(None)
    assert shadow_type(RevConfig(True, False), Active[float]) is type(None)
    assert shadow_type(FwdConfig(True, True), Duplicated[float]) == array
    pair = shadow_type(FwdConfig(True, True, 2), BatchDuplicated[float, 2])
    assert pair.types == (array, array)


def test_types_of_tapes():
    assert enzyme_rules.tape_type(AugmentedReturn(2.0, None, 1)) == typeof(1)


def test_required_types():
    assert forward_rule_return_type(FwdConfig(True, True), Duplicated[float]) == Duplicated[float]
    assert forward_rule_return_type(FwdConfig(False, False), Const[float]) is type(None)
    both = forward_rule_return_type(FwdConfig(True, True, 2), BatchDuplicated[float, 2])
    assert both == BatchDuplicated[float, 2]
    due = augmented_rule_return_type(RevConfig(True, False), Active[float], int)
    assert due == (Active[float].eltype, type(None), int)


def test_types_of_an_augmented_return():
    assert primal_type(AugmentedReturn(2.0, None, 1)) == typeof(1.0)
    assert shadow_type(AugmentedReturn(2.0, None, 1)) is type(None)


# --- in rules -------------------------------------------------------------------------------------


def telling(getter):
    """A function whose rule writes what the getter says into its array, forward first, then both of reverse."""

    @njit
    def f(x, told):
        return x * x

    @forward(f)
    def tangent(config, func, RT, x, told):
        told.val[0] = getter(config)
        return Duplicated(func.val(x.val, told.val), x.dval) if config.needs_primal else x.dval

    @augmented_primal(f)
    def augmented(config, func, RT, x, told):
        told.val[1] = getter(config)
        primal = func.val(x.val, told.val) if config.needs_primal else None
        return AugmentedReturn(primal, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, x, told):
        told.val[2] = getter(config)
        return (dret.val, None)

    return f


def told_by(f, ahead=Forward, back=Reverse):
    told = np.full(3, -1.0)
    autodiff(ahead, f, Duplicated(2.0, 1.0), Const(told))
    autodiff(back, f, Active, Active(2.0), Const(told))
    return list(told)


def test_the_primal_that_is_needed():
    f = telling(needs_primal)
    assert told_by(f) == [0, 0, 0]
    assert told_by(f, ForwardWithPrimal, ReverseWithPrimal) == [1, 1, 1]

    def squared(x, told):
        return f(x, told) ** 2

    def scaled(x, told):
        return 3.0 * f(x, told)

    assert told_by(squared) == [1, 1, 1]
    assert told_by(scaled) == [0, 0, 0]


def test_the_primal_that_the_derivative_of_what_follows_is_made_of():
    """The derivative of `exp` takes its own result, that of `sin` the result of the `cos` beside it."""

    @njit
    def f(x):
        return x * x + 0.25

    easy_rule(f, lambda omega, x: 2.0 * x)

    def h(x):
        a, b, c, d = f(x), f(x + 1.0), f(x + 2.0), f(x + 3.0)
        return math.exp(0.5 * a) + math.tanh(b) + np.expm1(c) + math.sin(d) - math.cos(d)

    step = 1e-5
    slope = (h(0.3 + step) - h(0.3 - step)) / (2.0 * step)
    assert autodiff(Forward, h, Duplicated(0.3, 1.0))[0] == pytest.approx(slope, rel=1e-7)
    assert autodiff(Reverse, h, Active, Active(0.3))[0][0] == pytest.approx(slope, rel=1e-7)


def test_the_shadow_that_is_needed():
    """Never that of an active result."""
    assert told_by(telling(needs_shadow)) == [1, 0, 0]


def test_strong_zeros():
    f = telling(strong_zero)
    assert told_by(f) == [0, 0, 0]
    assert told_by(f, set_strong_zero(Forward), set_strong_zero(Reverse)) == [1, 1, 1]


def test_runtime_activity():
    """Constants have been told apart when a rule is compiled: for the rule it is as if it were off."""
    f = telling(runtime_activity)
    assert told_by(f, set_runtime_activity(Forward), set_runtime_activity(Reverse)) == [0, 0, 0]


@njit
def asked(config):
    return 10.0 * width(config) + config.needs_primal


def test_configurations_in_other_functions():
    assert told_by(telling(asked)) == [10, 10, 10]


def test_what_is_not_asked_for_is_not_compiled():
    """Code that numba cannot compile, in branches that the configuration excludes."""

    @njit
    def f(x):
        return x * x

    @forward(f)
    def tangent(config, func, RT, x):
        if needs_primal(config):
            return x.val.no_such_attribute
        if not config.needs_shadow or width(config) != 1:
            return "text" + 1
        if isinstance(x, Const):
            return x.no_such_attribute
        return 5.0 * x.dval

    @augmented_primal(f)
    def augmented(config, func, RT, x):
        if config.strong_zero or len(overwritten(config)) != 2:
            return x.val.no_such_attribute
        if not isinstance(x, Active) and config.width == 1:
            return "text" + 1
        if not needs_primal(config):
            return AugmentedReturn(None, None, None)
        return x.val.no_such_attribute

    @reverse(f)
    def adjoint(config, func, dret, tape, x):
        if config.width > 1:
            return x.val.no_such_attribute
        if isinstance(x, (Duplicated, BatchDuplicated)):
            return x.dval
        return (8.0,)

    assert autodiff(Forward, f, Duplicated(2.0, 1.0)) == (5.0,)
    assert autodiff(Reverse, f, Active, Active(2.0)) == ((8.0,),)


@pytest.mark.parametrize("getter", [True, False])
def test_what_is_overwritten_selects_code(getter):
    @njit
    def f(x):
        return x * x

    if getter:

        @augmented_primal(f)
        def augmented(config, func, RT, x):
            if overwritten(config)[1]:
                return x.val.no_such_attribute
            return AugmentedReturn(None, None, None)

    else:

        @augmented_primal(f)
        def augmented(config, func, RT, x):
            if config.overwritten[-1] or config.overwritten[0]:
                return x.val.no_such_attribute
            return AugmentedReturn(None, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, x):
        return (8.0,)

    assert autodiff(Reverse, f, Active, Active(2.0)) == ((8.0,),)


def test_one_of_several_widths():
    @njit
    def f(x):
        return x * x

    @forward(f)
    def tangent(config, func, RT, x):
        if config.width in (2, 3):
            return x.val.no_such_attribute
        return 8.0

    assert autodiff(Forward, f, Duplicated(2.0, 1.0)) == (8.0,)


def by_return_activity():
    @njit
    def f(x):
        return x * x

    @augmented_primal(f)
    def augmented(config, func, RT, x):
        if issubclass(RT, Active):
            return AugmentedReturn(func.val(x.val) if config.needs_primal else None, None, None)
        return AugmentedReturn(func.val(x.val), func.val(x.val), None)

    @reverse(f)
    def adjoint(config, func, dret, tape, x):
        return (8.0,)

    return f


def test_return_activity_by_issubclass():
    assert autodiff(Reverse, by_return_activity(), Active, Active(2.0)) == ((8.0,),)
