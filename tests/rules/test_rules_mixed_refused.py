"""What rules must not do with mixed arguments, and calls that have none to offer."""

import re
from typing import NamedTuple

import numpy as np
import pytest
from numba import njit
from numba.typed import List

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    MixedDuplicated,
    Reverse,
    autodiff,
)
from enzyme.errors import (
    AugmentedRuleReturnError,
    CustomRuleError,
    NoApplicableRuleError,
    NonConstantKeywordArgException,
    ReverseRuleReturnError,
    ShadowLayoutError,
)
from enzyme_rules import CONSTANT, AugmentedReturn, augmented_primal, easy_rule, reverse
from enzymecore import ActivityError

pytestmark = pytest.mark.rotating(21)


class Pair(NamedTuple):
    x: float
    y: np.ndarray


def ruled(tape=lambda t: None, answer=lambda t: (None,)):
    """x * y[0] of (x, y), called with a tuple made of two arguments."""
    tape, answer = njit(tape), njit(answer)

    @njit
    def f(t):
        return t[0] * t[1][0]

    @augmented_primal(f)
    def augmented(config, func, RT, t):
        kept = tape(t)
        return AugmentedReturn(func.val(t.val) if config.needs_primal else None, None, kept)

    @reverse(f)
    def adjoint(config, func, dret, tape, t):
        return answer(t)

    @njit
    def h(x, y):
        return f((x, y))

    return h


def run(h, width=1):
    if width == 1:
        y = Duplicated(np.ones(2), np.zeros(2))
    else:
        y = BatchDuplicated(np.ones(2), tuple(np.zeros(2) for _ in range(width)))
    return autodiff(Reverse, h, Active, Active(2.0), y)


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (lambda t: (1.0,), "entry 0 (t) must be None, for the argument is {}MixedDuplicated"),
        (lambda t: (t.val,), "entry 0 (t) must be None, for the argument is {}MixedDuplicated"),
        (lambda t: None, "the result is not a tuple with one entry per argument"),
        (lambda t: (None, None), "2 entries are returned for 1 arguments"),
    ],
)
@pytest.mark.parametrize("width", [1, 2])
def test_wrong_results(answer, hint, width):
    with pytest.raises(ReverseRuleReturnError) as caught:
        run(ruled(answer=answer), width)
    assert caught.value.hint == hint.format("Batch" if width > 1 else "")
    assert caught.value.expected == "(none,)"


@njit
def counting(ref):
    yield 1
    yield 2


class Kept(NamedTuple):
    n: int
    ref: object


@pytest.mark.parametrize(
    "tape",
    [
        lambda t: t,
        lambda t: t.dval,
        lambda t: (1, (t.dval, 2.0)),
        lambda t: Kept(1, t.dval),
        lambda t: [t.dval],
        lambda t: List([t.dval]),
        lambda t: {1: t.dval},
        lambda t: counting(t.dval),
    ],
    ids="annotation itself tuple named list typed dictionary generator".split(),
)
@pytest.mark.parametrize("width", [1, 2])
def test_refs_on_the_tape(tape, width):
    """A Ref ends with the rule."""
    with pytest.raises(AugmentedRuleReturnError, match="the tape holds a Ref") as caught:
        run(ruled(tape=tape), width)
    assert "keep its content" in caught.value.hint


def test_contents_on_the_tape():
    def kept(t):
        return t.dval[()]

    assert run(ruled(tape=kept)) == ((0.0, None),)


def read_by_number(t):
    return t.dval[0]


def written_by_number(t):
    t.dval[0] = t.dval[()]


def other_type(t):
    t.dval[()] = (1, t.dval[()][1])


def number_alone(t):
    t.dval[()] = 1.0


def other_layout(t):
    t.dval[()] = (1.0, t.dval[()][1][::2])


def named(t):
    t.dval[()] = Pair(1.0, t.dval[()][1])


@pytest.mark.parametrize(
    ("use", "what", "todo"),
    [
        (read_by_number, "a Ref has no element of index", "read it as ref[()]"),
        (written_by_number, "a Ref has no element of index", "write ref[()] = value"),
        (other_type, "a value of type Tuple(int64, array(float64, 1d, C)) is put into a Ref to", "same type"),
        (number_alone, "a value of type float64 is put into a Ref to Tuple(float64, array(", "same type"),
        (other_layout, "a value of type Tuple(float64, array(float64, 1d, A)) is put", "same type"),
        (named, "a value of type Pair(float64, array(float64, 1d, C)) is put", "same type"),
    ],
)  # fmt: skip
def test_misuse_of_refs(use, what, todo):
    use = njit(use)

    def answer(t):
        use(t)
        return (None,)

    with pytest.raises(CustomRuleError) as caught:
        run(ruled(answer=answer))
    line = use.py_func.__code__.co_firstlineno + 1
    assert f"{__file__}:{line}" in str(caught.value)
    assert what in str(caught.value) and todo in str(caught.value)


def test_other_memory_in_a_ref():
    """What is added to it would be lost."""

    def answer(t):
        t.dval[()] = (1.0, np.zeros(2))
        return (None,)

    line = answer.__code__.co_firstlineno + 1
    message = f"{__file__}:{line}: other memory is put into a Ref than the shadow that it holds"
    with pytest.raises(ShadowLayoutError, match=re.escape(message)):
        run(ruled(answer=answer))

    def same_memory(t):
        t.dval[()] = (1.0, t.dval[()][1][:])
        return (None,)

    assert run(ruled(answer=same_memory)) == ((1.0, None),)


def test_fields_of_annotations_are_not_set():
    def answer(t):
        t.val = t.dval[()]
        return (None,)

    with pytest.raises(ActivityError, match="val of MixedDuplicated is set"):
        run(ruled(answer=answer))


def test_annotations_are_not_made_nor_passed_on():
    @njit
    def g(t):
        return t[0] * t[1][0]

    def made(t):
        MixedDuplicated(t.val, t.dval)
        return (None,)

    def passed(t):
        autodiff(Reverse, g, Active, t)
        return (None,)

    with pytest.raises(ActivityError, match="MixedDuplicated cannot be made in compiled code"):
        run(ruled(answer=made))
    with pytest.raises(ActivityError, match="argument 0 is MixedDuplicated, in compiled code"):
        run(ruled(answer=passed))


def test_rules_for_other_activities():
    """No rule accepts the call, which is an error where it runs."""

    @njit
    def f(t):
        return t[0] * t[1][0]

    @augmented_primal(f)
    def augmented(config, func, RT, t: Active | Duplicated):
        return AugmentedReturn(func.val(t.val) if config.needs_primal else None, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, t: Active | Duplicated):
        return (None,)

    def h(x, y):
        return f((x, y)) if x > 1.0 else y[0]

    def at(x):
        return autodiff(Reverse, h, Active, Active(x), Duplicated(np.ones(2), np.zeros(2)))

    assert at(0.5) == ((0.0, None),)
    wanted = re.escape("accepts arguments (MixedDuplicated[(float64, float64[::1])])")
    with pytest.raises(NoApplicableRuleError, match=wanted):
        at(2.0)


def test_constant_memory_beside_derivatives():
    h = ruled()
    with pytest.raises(ActivityError, match="holds constant memory and derivatives"):
        autodiff(Reverse, h, Active, Active(2.0), Const(np.ones(2)))


def test_keywords():
    @njit
    def f(x, t):
        return x * t[0] * t[1][0]

    @augmented_primal(f)
    def augmented(config, func, RT, x, *, t):
        return AugmentedReturn(None, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, x, *, t):
        return (0.0,)

    def h(x, y):
        return f(x, t=(x, y))

    with pytest.raises(NonConstantKeywordArgException):
        run(h)


def test_easy_rules():
    """Partials are taken by numbers and arrays; no partial is asked for where it is constant."""

    @njit
    def f(s, t):
        return s * t[0] * t[1][0]

    def h(x, y):
        return f(x, (x, y))

    def by_s(omega, s, t):
        return t[0] * t[1][0]

    of = re.escape("by an argument of type Tuple(float64, array(float64, 1d, C))")
    for by_t in (lambda omega, s, t: s, lambda omega, s, t: t):
        easy_rule(f, (by_s, by_t))
        with pytest.raises(CustomRuleError, match=f"an easy rule is asked for the derivative {of}"):
            run(h)
    easy_rule(f, (by_s, CONSTANT))
    assert run(h) == ((2.0, None),)
