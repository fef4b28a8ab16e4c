"""What is said about rules that return something else than they must."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

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
)
from enzyme.errors import (
    AugmentedRuleReturnError,
    CustomRuleError,
    ForwardRuleReturnError,
    ReverseRuleReturnError,
    ShadowLayoutError,
)
from enzyme_rules import AugmentedReturn, augmented_primal, forward, reverse

pytestmark = pytest.mark.rotating(3)

ONE, PAIR = Duplicated(2.0, 1.0), BatchDuplicated(2.0, (1.0, 1.0))


def refused(error, run, *words):
    """The hint of an error that tells the rule's place and kind, its configuration and the types."""
    with pytest.raises(error) as caught:
        run()
    found, text = caught.value, str(caught.value)
    assert type(found) is error and isinstance(found, CustomRuleError | TypeError)
    assert found.hint in text and found.config is not None
    assert str(found.expected) in text and str(found.found) in text
    assert f"{__file__}:" in text
    for word in ("rule of", f"width {found.config.width}", *words):
        assert word in text
    return found.hint


# --- forward --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("returned", "mode", "argument", "hint"),
    [
        (lambda x: x.dval, ForwardWithPrimal, ONE,
         "a bare value is returned, but primal and shadow are needed together"),
        (lambda x: Duplicated(x.val, x.dval), Forward, ONE, "Duplicated is returned, though only the shadow is needed"),
        (lambda x: BatchDuplicated(x.val, x.dval), Forward, PAIR,
         "BatchDuplicated is returned, though only the shadow is needed"),
        (lambda x: BatchDuplicated(x.val, (x.dval, x.dval)), ForwardWithPrimal, ONE,
         "BatchDuplicated is returned at width 1, where Duplicated is due"),
        (lambda x: Duplicated(x.val, x.dval[0]), ForwardWithPrimal, PAIR,
         "Duplicated is returned in a batch, where BatchDuplicated is due"),
        (lambda x: BatchDuplicated(x.val, (x.val, x.val, x.val)), ForwardWithPrimal, PAIR,
         "3 shadows are returned, not 2"),
        (lambda x: (x.val, x.val, x.val), Forward, PAIR, "3 shadows are returned, not 2"),
        (lambda x: (x.dval,), Forward, ONE, "a tuple of shadows is returned at width 1"),
        (lambda x: x.val, Forward, PAIR, "a single shadow is returned in a batch"),
        (lambda x: np.float32(x.dval), Forward, ONE, "the type differs"),
        (lambda x: 1, Forward, ONE, "the type differs"),
        (lambda x: Duplicated(np.float32(x.val), np.float32(x.dval)), ForwardWithPrimal, ONE,
         "the type of the primal or of the shadow differs"),
        (lambda x: None, Forward, ONE, "None is returned, but a value is needed"),
    ],
)  # fmt: skip
def test_forward_rules(returned, mode, argument, hint):
    @njit
    def f(x):
        return x * x

    inner = njit(returned)

    @forward(f)
    def rule(config, func, RT, x):
        return inner(x)

    words = ("forward rule of", "shadow only" if mode is Forward else "primal and shadow")
    assert refused(ForwardRuleReturnError, lambda: autodiff(mode, f, argument), *words) == hint


def no_result(returned):
    @njit
    def f(x, n):
        x[0] = x[0] * x[0]

    inner = njit(returned)

    @forward(f)
    def rule(config, func, RT, x, n):
        return inner(x)

    return f


def test_forward_rules_of_functions_without_result():
    array = Duplicated(np.ones(1), np.ones(1))

    def run(f):
        return lambda: autodiff(Forward, f, array, Const(1))

    hint = refused(ForwardRuleReturnError, run(no_result(lambda x: 1.0)), "neither primal nor")
    assert hint == "something is returned, though nothing is needed"
    hint = refused(ForwardRuleReturnError, run(no_result(lambda x: Duplicated(1.0, 1.0))))
    assert hint == "Duplicated is returned, though nothing is needed"


def test_forward_rules_of_functions_without_derivative():
    @njit
    def f(x):
        return int(x[0])

    @forward(f)
    def rule(config, func, RT, x):
        return Duplicated(1, 0)

    def h(x):
        return x[0] * f(x)

    array = Duplicated(np.ones(1), np.ones(1))
    hint = refused(ForwardRuleReturnError, lambda: autodiff(Forward, h, array), "primal only")
    assert hint == "Duplicated is returned, though only the primal is needed"


def test_layouts():
    """The annotation refuses it already, and names the line."""

    @njit
    def f(x):
        return x * 2.0

    @forward(f)
    def rule(config, func, RT, x):
        return Duplicated(func.val(x.val), np.zeros((2, 2)).T)

    x = Duplicated(np.ones((2, 2)), np.ones((2, 2)))
    with pytest.raises(ShadowLayoutError) as caught:
        autodiff(ForwardWithPrimal, f, x)
    assert f"{__file__}:{rule.__code__.co_firstlineno + 2}" in str(caught.value)


# --- augmented primals ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("returned", "mode", "hint"),
    [
        (lambda x: x.val, Reverse, "the result is not an AugmentedReturn"),
        (lambda x: (x.val, None, None), ReverseWithPrimal, "the result is not an AugmentedReturn"),
        (lambda x: AugmentedReturn(None, None, 1), ReverseWithPrimal, "the primal is missing"),
        (lambda x: AugmentedReturn(x.val, None, 1), Reverse, "a primal is returned that was not asked for"),
        (lambda x: AugmentedReturn(np.float32(x.val), None, 1), ReverseWithPrimal, "the primal has another type"),
        (lambda x: AugmentedReturn(x.val, x.val, 1), ReverseWithPrimal,
         "a shadow is returned that was not asked for"),
    ],
)  # fmt: skip
def test_augmented_primals(returned, mode, hint):
    @njit
    def f(x):
        return x * x

    inner = njit(returned)

    @augmented_primal(f)
    def augmented(config, func, RT, x):
        return inner(x)

    @reverse(f)
    def adjoint(config, func, dret, tape, x):
        return (1.0,)

    def run():
        autodiff(mode, f, Active, Active(2.0))

    words = ("augmented_primal rule of", "neither" if mode is Reverse else "primal only")
    assert refused(AugmentedRuleReturnError, run, *words) == hint


@pytest.mark.parametrize(
    ("shadow", "width", "hint"),
    [
        (lambda x: None, 1, "the shadow is missing"),
        (lambda x: np.zeros(len(x), np.float32), 1, "the shadow has another type"),
        (lambda x: (x, x), 1, "a tuple of shadows is returned at width 1"),
        (lambda x: x, 2, "a single shadow is returned in a batch"),
        (lambda x: None, 2, "the shadow is missing"),
        (lambda x: (x, x, x), 2, "the shadow has another type"),
    ],
)
def test_shadows_of_augmented_primals(shadow, width, hint):
    @njit
    def f(x):
        return x * 2.0

    inner = njit(shadow)

    @augmented_primal(f)
    def augmented(config, func, RT, x):
        primal = func.val(x.val) if config.needs_primal else None
        return AugmentedReturn(primal, inner(np.zeros_like(x.val)), None)

    @reverse(f)
    def adjoint(config, func, dret, tape, x):
        return (None,)

    def h(x):
        return f(x)[0] ** 2

    x, zeros = np.ones(2), np.zeros(2)
    argument = Duplicated(x, zeros) if width == 1 else BatchDuplicated(x, (zeros, zeros.copy()))

    def run():
        autodiff(Reverse, h, Active, argument)

    assert refused(AugmentedRuleReturnError, run, "primal and shadow") == hint


# --- reverse --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("returned", "batch", "hint"),
    [
        (lambda x: x.val, False, "the result is not a tuple with one entry per argument"),
        (lambda x: None, False, "the result is not a tuple with one entry per argument"),
        (lambda x: (x.val,), False, "1 entries are returned for 2 arguments"),
        (lambda x: (x.val, None, None), False, "3 entries are returned for 2 arguments"),
        (lambda x: (x.val, x.val), False, "entry 1 (c) must be None, for the argument is Const"),
        (lambda x: (None, None), False, "entry 0 (x) is None, but the argument is Active"),
        (lambda x: ((x.val, x.val), None), False, "entry 0 (x) is a tuple at width 1"),
        (lambda x: (x.val, None), True, "entry 0 (x) is a single value in a batch"),
        (lambda x: ((x.val, x.val, x.val), None), True, "entry 0 (x) has another type"),
        (lambda x: (np.float32(x.val), None), False, "entry 0 (x) has another type"),
    ],
)
def test_reverse_rules(returned, batch, hint):
    @njit
    def f(x, c):
        return x * c

    inner = njit(returned)

    @augmented_primal(f)
    def augmented(config, func, RT, x, c):
        return AugmentedReturn(x.val * c.val if config.needs_primal else None, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, x, c):
        return inner(x)

    def stored(x, c, out):
        out[0] = f(x, c)

    out = np.zeros(1), np.ones(1), np.ones(1)
    target = BatchDuplicated(out[0], out[1:]) if batch else Duplicated(*out[:2])

    def run():
        autodiff(Reverse, stored, Const, Active(2.0), Const(3.0), target)

    assert refused(ReverseRuleReturnError, run, "reverse rule of") == hint


# --- rules that are no code -----------------------------------------------------------------------


def test_rules_that_cannot_be_compiled():
    @njit
    def f(x):
        return x * x

    @forward(f)
    def rule(config, func, RT, x):
        return x.val.missing

    with pytest.raises(CustomRuleError, match="cannot be compiled") as caught:
        autodiff(Forward, f, ONE)
    assert f"{__file__}:{rule.__code__.co_firstlineno}" in str(caught.value)
    assert "missing" in str(caught.value)
