"""Marks: functions, arguments and types without derivatives, and questions about rules."""

from __future__ import annotations

import sys

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
    Reverse,
    autodiff,
    gradient,
    ignore_derivatives,
)
from enzyme.errors import EnzymeConstStorageError
from enzyme_rules import (
    AugmentedReturn,
    augmented_primal,
    easy_rule,
    forward,
    has_easy_rule_from_sig,
    has_frule_from_sig,
    has_rrule_from_sig,
    inactive,
    inactive_arg,
    inactive_noinl,
    inactive_type,
    is_inactive_from_sig,
    is_inactive_noinl_from_sig,
    noalias,
    remove_rules,
    reverse,
)

pytestmark = pytest.mark.rotating(3)


def doubling():
    @njit
    def double(x):
        return 2.0 * x

    return double


@pytest.mark.parametrize("mark", [inactive, inactive_noinl])
def test_results_are_constant(mark):
    double = doubling()
    mark(double)

    def h(x):
        return x + double(x)

    assert autodiff(Reverse, h, Active, Active(3.0)) == ((1.0,),)
    assert autodiff(Forward, h, Duplicated(3.0, 1.0)) == (1.0,)
    assert autodiff(Forward, h, BatchDuplicated(3.0, (1.0, 2.0))) == ((1.0, 2.0),)
    assert gradient(Reverse, h, 3.0) == 1.0


def test_for_some_types_only():
    double = doubling()
    inactive(double, (np.float32,))

    def h(x):
        return x + double(x)

    assert autodiff(Reverse, h, Active, Active(3.0)) == ((3.0,),)
    assert autodiff(Reverse, h, Active, Active(np.float32(3.0))) == ((1.0,),)
    inactive(double, (float,))
    assert autodiff(Reverse, h, Active, Active(3.0)) == ((1.0,),)


def test_side_effects_happen_once():
    @njit
    def count(x, calls):
        calls[0] += 1
        return x

    inactive(count)

    def h(x, calls):
        s = 0.0
        for _ in range(5):
            s += x * count(x, calls)
        return s

    for run in (
        lambda calls: autodiff(Reverse, h, Active, Active(3.0), Const(calls))[0][0],
        lambda calls: autodiff(Forward, h, Duplicated(3.0, 1.0), Const(calls))[0],
    ):
        calls = np.zeros(1, np.int64)
        assert run(calls) == 15.0
        assert calls[0] == 5


@pytest.mark.parametrize("ahead", [True, False])
def test_what_is_stored_is_constant(ahead):
    """An inactive function that writes its float into active memory writes constants."""

    @njit
    def store(x, out):
        out[0] = x
        out[1] = 2.0 * x

    inactive(store)

    def h(x, out):
        store(x, out)
        return out[0] * out[1] + x * out[2]

    out, d = np.array([0.0, 0.0, 5.0]), np.zeros(3)
    if ahead:
        assert autodiff(Forward, h, Duplicated(3.0, 1.0), Duplicated(out, d)) == (5.0,)
    else:
        found = autodiff(Reverse, h, Active, Active(3.0), Duplicated(out, d))
        assert found == ((5.0, None),)
        np.testing.assert_array_equal(d, [0.0, 0.0, 3.0])
    np.testing.assert_array_equal(out, [3.0, 6.0, 5.0])


def test_arguments_without_derivative():
    @njit
    def f(x, scratch):
        scratch[0] = x
        return x * scratch[0]

    @augmented_primal(f)
    def augmented(config, func, RT, x: Active, scratch: Const):
        primal = func.val(x.val, scratch.val) if config.needs_primal else None
        return AugmentedReturn(primal, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, x: Active, scratch: Const):
        return (100.0 * dret.val, None)

    def h(x):
        return f(x, np.zeros(1))

    inactive_arg(f, "scratch")
    assert autodiff(Reverse, h, Active, Active(3.0)) == ((100.0,),)
    with pytest.raises(ValueError, match="no parameter 'missing'"):
        inactive_arg(f, "missing")


def test_active_numbers_as_inactive_arguments():
    @njit
    def f(x, y):
        return x * y

    @augmented_primal(f)
    def augmented(config, func, RT, x: Active, y: Const):
        primal = func.val(x.val, y.val) if config.needs_primal else None
        return AugmentedReturn(primal, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, x: Active, y: Const):
        return (y.val * dret.val, None)

    @forward(f)
    def tangent(config, func, RT, x, y: Const):
        d = y.val * x.dval
        return Duplicated(func.val(x.val, y.val), d) if config.needs_primal else d

    inactive_arg(f, "y")

    def h(x, y):
        return f(x, y) + y

    assert autodiff(Reverse, h, Active, Active(3.0), Active(5.0)) == ((5.0, 1.0),)
    assert autodiff(Forward, h, Duplicated(3.0, 1.0), Duplicated(5.0, 10.0)) == (15.0,)


def test_types_without_derivatives():
    from typing import NamedTuple

    from enzyme import AnyState, active_register_state, typeof

    @inactive_type
    class Settings:
        tolerance: float

    @inactive_type
    class Limits(NamedTuple):
        low: float

    assert active_register_state(Settings) == AnyState
    assert active_register_state(Limits(1.0)) == AnyState
    assert active_register_state(typeof((Limits(1.0), 2))) == AnyState
    assert not hasattr(Settings, "__enzyme_rules__")


def test_results_that_share_nothing():
    """The mark changes no value."""

    @njit
    def copied(x):
        return 2.0 * x.copy()

    def h(x):
        y = copied(x)
        x[0] = 0.0
        return (y * y).sum()

    for _ in range(2):
        x = Duplicated(np.ones(2), np.zeros(2))
        autodiff(Reverse, h, Active, x)
        np.testing.assert_array_equal(x.dval, [8.0, 8.0])
        noalias(copied)


def test_a_mark_before_rules():
    """Inactive wins over rules; taking the marks away takes the rules away too."""
    double = doubling()

    @forward(double)
    def tangent(config, func, RT, x):
        return 5.0

    assert autodiff(Forward, double, Duplicated(1.0, 1.0)) == (5.0,)
    inactive(double)
    assert autodiff(Forward, double, Duplicated(1.0, 1.0)) == (0.0,)
    remove_rules(double)
    assert autodiff(Forward, double, Duplicated(1.0, 1.0)) == (2.0,)


# --- questions ------------------------------------------------------------------------------------


def test_questions_about_forward_rules():
    f = doubling()
    assert not has_frule_from_sig(f, (float,))

    @forward(f)
    def tangent(config, func, RT, x: Duplicated):
        return x.dval

    assert has_frule_from_sig(f, (float,))
    assert has_frule_from_sig(f.py_func, (float,))
    assert not has_frule_from_sig(f, (float, float))
    assert has_frule_from_sig(f, (Duplicated,), Duplicated)
    assert not has_frule_from_sig(f, (BatchDuplicated,), Duplicated)
    assert not has_rrule_from_sig(f, (float,))


def test_questions_about_types():
    f = doubling()

    @forward(f)
    def tangent(config, func, RT, x: Duplicated[float]):
        return x.dval

    assert has_frule_from_sig(f, (float,))
    assert not has_frule_from_sig(f, (np.float32,))
    assert has_frule_from_sig(f, (Duplicated[float],))
    assert not has_frule_from_sig(f, (Duplicated[np.float32],))


def test_questions_about_reverse_rules():
    """Both halves are needed."""
    f = doubling()

    @augmented_primal(f)
    def augmented(config, func, RT, x):
        return AugmentedReturn(None, None, None)

    assert not has_rrule_from_sig(f, (float,))

    @reverse(f)
    def adjoint(config, func, dret, tape, x):
        return (1.0,)

    assert has_rrule_from_sig(f, (float,)) and not has_frule_from_sig(f, (float,))
    remove_rules(f, adjoint)
    assert not has_rrule_from_sig(f, (float,))


def test_questions_about_marks():
    f = doubling()
    assert not is_inactive_from_sig(f, (float,))
    inactive(f, (float,))
    assert is_inactive_from_sig(f, (float,)) and not is_inactive_from_sig(f, (np.float32,))
    assert not is_inactive_noinl_from_sig(f, (float,))
    inactive_noinl(f)
    assert is_inactive_noinl_from_sig(f, (np.float32,))


def test_questions_about_easy_rules():
    f = doubling()
    easy_rule(f, (lambda omega, x: 1.0,), types=(float,))
    assert has_easy_rule_from_sig(f, (float,)) and not has_easy_rule_from_sig(f, (np.float32,))
    assert has_frule_from_sig(f, (float,)) and has_rrule_from_sig(f, (float,))
    assert "has_easy_rule_from_sig" in enzyme_rules.__all__


@pytest.mark.parametrize("change", ["y[0] = 5.0", "y.sort()"])
@pytest.mark.parametrize("ahead", [True, False])
def test_writing_through_an_ignored_array(ahead, change):
    """It is the memory of the argument, whose derivative would stay what it was."""
    scope = {"ignore_derivatives": ignore_derivatives}
    exec(
        f"def h(x):\n    y = ignore_derivatives(x)\n    {change}\n    return (x * x).sum()\n", scope
    )
    x, d = np.array([2.0, 1.0]), np.ones(2)
    mode = (Forward, scope["h"]) if ahead else (Reverse, scope["h"], Active)
    before = sys.getrefcount(x), sys.getrefcount(d)
    for _ in range(3):
        with pytest.raises(EnzymeConstStorageError, match="is written to through"):
            autodiff(*mode, Duplicated(x, d))
    assert (sys.getrefcount(x), sys.getrefcount(d)) >= before


@pytest.mark.parametrize("ahead", [True, False])
def test_references_behind_an_exception(ahead):
    """What is ignored has a reference of its own, and its shadow none: both were given back."""

    @njit
    def h(x):
        y = ignore_derivatives(x)
        total = 0.0
        for i in range(3):
            if y[i] > 2.0:
                raise ValueError("too much")
            total += x[i] * x[i] * y[i]
        return total

    x, d = np.array([1.0, 3.0, 1.0]), np.ones(3)
    mode = (Forward, h) if ahead else (Reverse, h, Active)
    before = sys.getrefcount(x), sys.getrefcount(d)
    for _ in range(5):
        with pytest.raises(ValueError, match="too much"):
            autodiff(*mode, Duplicated(x, d))
    assert (sys.getrefcount(x), sys.getrefcount(d)) == before


@pytest.mark.parametrize("ahead", [True, False])
def test_writing_to_what_an_inactive_function_made(ahead):
    @njit
    def positive(x):
        found = np.zeros_like(x)
        for i in range(len(x)):
            if x[i] > 0.0:
                found[i] = 1.0
        return found

    inactive(positive)

    @njit
    def h(x):
        mask = positive(x)
        mask[0] = 2.0
        copy = ignore_derivatives(x).copy()
        copy[1] = 3.0
        return (mask * copy * x).sum()

    x = np.array([-1.0, 2.0, 3.0])
    if ahead:
        assert autodiff(Forward, h, Duplicated(x, np.ones(3))) == (-2.0 + 3.0 + 3.0,)
    else:
        d = np.zeros(3)
        autodiff(Reverse, h, Active, Duplicated(x, d))
        np.testing.assert_array_equal(d, [-2.0, 3.0, 3.0])
