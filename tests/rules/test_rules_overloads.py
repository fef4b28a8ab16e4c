"""Which of several rules a call gets, and what is said if there is none."""

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    Forward,
    ForwardWithPrimal,
    Reverse,
    autodiff,
)
from enzyme.errors import CustomRuleError, EnzymeRuntimeException, NoApplicableRuleError
from enzyme_rules import (
    AugmentedReturn,
    FwdConfigWidth,
    augmented_primal,
    forward,
    reverse,
)

pytestmark = pytest.mark.rotating(3)


def square():
    @njit
    def f(x):
        return x * x

    return f


# --- overloads ------------------------------------------------------------------------------------


def test_the_most_specific_rule():
    @njit
    def f(x, y):
        return x * y

    def add(first, second, number):
        @forward(f)
        def rule(config, func, RT: DuplicatedNoNeed, x: first, y: second):
            return number

    add(object, object, 1.0)
    add(Duplicated, object, 2.0)
    add(Duplicated | Const, Duplicated, 3.0)
    add(Duplicated, Duplicated, 4.0)
    add(Duplicated[float], Duplicated, 5.0)
    active, constant = Duplicated(2.0, 1.0), Const(3.0)
    assert autodiff(Forward, f, constant, active) == (3.0,)
    assert autodiff(Forward, f, active, constant) == (2.0,)
    assert autodiff(Forward, f, active, active) == (5.0,)
    single = Duplicated(np.float32(2.0), np.float32(1.0))
    with pytest.raises(CustomRuleError):
        autodiff(Forward, f, single, single)  # a double in place of a single


def test_a_rule_for_the_return_activity():
    f = square()

    @forward(f)
    def any_return(config, func, RT, x):
        return Duplicated(func.val(x.val), 1.0)

    @forward(f)
    def no_primal(config, func, RT: DuplicatedNoNeed, x):
        return 2.0

    assert autodiff(Forward, f, Duplicated(2.0, 1.0)) == (2.0,)
    assert autodiff(ForwardWithPrimal, f, Duplicated(2.0, 1.0)) == (1.0, 4.0)


def test_a_width_is_more_specific():
    f = square()

    @forward(f)
    def rule(config, func, RT, x):
        return 1.0 if config.width == 1 else (1.0, 1.0)

    @forward(f, width=2)
    def pair(config, func, RT, x):
        return (2.0, 2.0)

    assert autodiff(Forward, f, Duplicated(2.0, 1.0)) == (1.0,)
    assert autodiff(Forward, f, BatchDuplicated(2.0, (1.0, 1.0))) == ((2.0, 2.0),)


def test_ambiguity():
    @njit
    def f(x, y):
        return x * y

    @forward(f)
    def first(config, func, RT, x: Duplicated, y):
        return 1.0

    @forward(f)
    def second(config, func, RT, x, y: Duplicated):
        return 2.0

    active, constant = Duplicated(2.0, 1.0), Const(3.0)
    assert autodiff(Forward, f, active, constant) == (1.0,)
    assert autodiff(Forward, f, constant, active) == (2.0,)
    with pytest.raises(CustomRuleError, match="several forward rules of") as caught:
        autodiff(Forward, f, active, active)
    for name in ("first", "second", "test_rules_overloads.py"):
        assert name in str(caught.value)


def test_any_number_of_arguments():
    @njit
    def f(x, y, z):
        return x * y * z

    @augmented_primal(f)
    def augmented(config, func, RT, *args):
        return AugmentedReturn(None, None, (args[0].val, args[2].val))

    @reverse(f)
    def adjoint(config, func, dret, tape, x, *args):
        return (tape[1] * dret.val, None, tape[0] * 100.0)

    args = Active(2.0), Const(3.0), Active(4.0)
    assert autodiff(Reverse, f, Active, *args) == ((4.0, None, 200.0),)


def test_annotations_as_text():
    f = square()

    @forward(f)
    def rule(config, func, RT, x: "Const"):
        return 5.0

    with pytest.raises(NoApplicableRuleError):
        autodiff(Forward, f, Duplicated(2.0, 1.0))


def test_text_that_names_nothing():
    f = square()
    local = Const  # unknown to inspect.signature, for it is a local variable of this function
    with pytest.raises((TypeError, NameError, NoApplicableRuleError)):

        @forward(f)
        def rule(config, func, RT: "local", x: "Const"):
            return 5.0

        autodiff(Forward, f, Duplicated(2.0, 1.0))
    assert local is Const


# --- rules that do not apply ----------------------------------------------------------------------


def constant_only():
    g = square()

    @forward(g)
    def tangent(config, func, RT, x: Const):
        return func.val(x.val)

    @augmented_primal(g)
    def augmented(config, func, RT, x: Const):
        return AugmentedReturn(func.val(x.val), None, None)

    @reverse(g)
    def adjoint(config, func, dret, tape, x: Const):
        return (None,)

    @njit
    def rh(cond, x):
        return g(x) if cond else x

    return rh


def test_no_rule_applies_where_it_runs():
    """Other paths keep working."""
    rh = constant_only()
    assert autodiff(Reverse, rh, Active, Const(False), Active(2.0)) == ((None, 1.0),)
    assert autodiff(Forward, rh, Const(False), Duplicated(2.0, 1.0)) == (1.0,)
    for call in (
        lambda: autodiff(Reverse, rh, Active, Const(True), Active(2.0)),
        lambda: autodiff(Forward, rh, Const(True), Duplicated(2.0, 1.0)),
    ):
        with pytest.raises(
            NoApplicableRuleError, match=r"Active\[float64\]|Duplicated\[float64\]"
        ) as caught:
            call()
        text = str(caught.value)
        assert "available: " in text and "Const" in text and "test_rules_overloads.py" in text
        assert isinstance(caught.value, EnzymeRuntimeException)


def test_what_the_error_says():
    with pytest.raises(NoApplicableRuleError) as caught:
        autodiff(Reverse, constant_only(), Active, Const(True), Active(2.0))
    assert "square" in caught.value.function
    assert caught.value.activities == (Active[float], Active[float])
    assert len(caught.value.available) == 1


def test_half_a_pair():
    f = square()

    @reverse(f)
    def adjoint(config, func, dret, tape, x):
        return (1.0,)

    with pytest.raises(NoApplicableRuleError, match="no augmented_primal rule"):
        autodiff(Reverse, f, Active, Active(2.0))


def test_a_width_as_the_annotation_of_the_configuration():
    @njit
    def f(x):
        return x * x

    @forward(f)
    def one(config: FwdConfigWidth[1], func, RT, x):
        return 1.0

    @forward(f)
    def two(config: FwdConfigWidth[2], func, RT, x):
        return (2.0, 2.0)

    @forward(f)
    def more(config, func, RT, x):
        return (3.0, 3.0, 3.0)

    assert autodiff(Forward, f, Duplicated(1.0, 1.0)) == (1.0,)
    for count in (2, 3):
        (found,) = autodiff(Forward, f, BatchDuplicated(1.0, (1.0,) * count))
        assert found == (float(count),) * count
