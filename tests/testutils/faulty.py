"""Functions whose derivatives are right, or wrong in one way: a table of faults that testers must find.

Each fault is made by a function that takes whether to plant it, so that the same rule without it
can be tested too.  Rules belong to their function, so every call makes a new one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    ignore_derivatives,
)
from enzyme_rules import (
    CONSTANT,
    AugmentedReturn,
    augmented_primal,
    easy_rule,
    forward,
    inactive,
    inactive_arg,
    reverse,
)
from enzyme_testutils import check_adjoint, test_forward, test_reverse

X = np.array([1.0, 2.0, 3.0])
Y = np.array([0.5, -1.5, 2.5])
DISAGREES = "disagrees with finite differences"


@dataclass(frozen=True)
class Fault:
    """A fault, the test that must find it, and a piece of every line that the report must begin with."""

    make: Callable[[bool], Any]
    check: Callable[[Any], None]
    says: tuple[str, ...]


FAULTS: dict[str, Fault] = {}


def planted(check: Callable[[Any], None], *says: str, name: str = "") -> Any:
    """Enter a function that makes the function under test into the table."""

    def enter(make: Callable[[bool], Any]) -> Callable[[bool], Any]:
        FAULTS[name or make.__name__] = Fault(make, check, says)
        return make

    return enter


def ahead(ret: Any, *args: Any, **options: Any) -> Callable[[Any], None]:
    return lambda f: test_forward(f, ret, *args, **options)


def back(ret: Any, *args: Any, **options: Any) -> Callable[[Any], None]:
    return lambda f: test_reverse(f, ret, *args, **options)


def both(ret: Any, *args: Any) -> Callable[[Any], None]:
    return lambda f: check_adjoint(f, ret, *args)


# --- numbers: what is wrong is a factor ----------------------------------------------------------


def square(tangent=1.0, adjoint=1.0, value=1.0, taped_value=1.0):
    """x * x; each number multiplies a part of what its rules return."""

    @njit
    def f(x):
        return x * x

    @forward(f)
    def ahead_rule(config, func, RT, x):
        d = type_as(x.val, 2.0 * tangent * x.val * x.dval)
        if config.needs_primal:
            return Duplicated(type_as(x.val, value * func.val(x.val)), d)
        return d

    @augmented_primal(f)
    def augmented(config, func, RT, x):
        primal = type_as(x.val, taped_value * func.val(x.val)) if config.needs_primal else None
        return AugmentedReturn(primal, None, x.val)

    @reverse(f)
    def back_rule(config, func, dret, tape, x):
        return (type_as(x.val, 2.0 * adjoint * tape * dret.val),)

    return f


@njit
def type_as(x, new):
    """`new` as a number of the type of `x`."""
    kept = np.full(1, x)
    kept[0] = new
    return kept[0]


SINGLE = np.float32(1.5)
AHEAD = ahead(Duplicated, (1.5, Duplicated))
BACK = back(Active, (1.5, Active))
BOTH = both(Active, (1.5, Active))
IN_X = f"the active derivative of argument 0 (x) {DISAGREES}"
IN_RESULT = f"the derivative of the result {DISAGREES}"
VALUE = "the value of the result is not that of the function"

for title, part, factor, check, said in (
    ("sign of a tangent", "tangent", -1.0, AHEAD, IN_RESULT),
    ("sign of an adjoint", "adjoint", -1.0, BACK, IN_X),
    ("scale of a tangent", "tangent", 2.0, AHEAD, IN_RESULT),
    ("scale of an adjoint", "adjoint", 0.5, BACK, IN_X),
    ("a tangent off by a ten millionth", "tangent", 1.0 + 1e-7, AHEAD, IN_RESULT),
    ("an adjoint off by a ten millionth", "adjoint", 1.0 + 1e-7, BACK, IN_X),
    ("a tangent of nan", "tangent", math.nan, AHEAD, IN_RESULT),
    ("an infinite adjoint", "adjoint", math.inf, BACK, IN_X),
    ("value of a forward rule", "value", 1.01, AHEAD, VALUE),
    ("value of an augmented primal", "taped_value", 1.01, BACK, VALUE),
    ("right ahead, wrong back", "adjoint", 1.0 + 1e-9, BOTH, "forward and reverse mode disagree"),
    ("right back, wrong ahead", "tangent", 1.0 + 1e-9, BOTH, "forward and reverse mode disagree"),
    (
        "single precision ahead, one percent",
        "tangent",
        1.01,
        ahead(Duplicated, (SINGLE, Duplicated)),
        IN_RESULT,
    ),
    (
        "single precision back, one percent",
        "adjoint",
        1.01,
        back(Active, (SINGLE, Active)),
        IN_X,
    ),
    (
        "single precision, both modes",
        "adjoint",
        1.01,
        both(Active, (SINGLE, Active)),
        "forward and reverse mode disagree",
    ),
):

    def make_square(wrong, part=part, factor=factor):
        return square(**({part: factor} if wrong else {}))

    planted(check, said, name=title)(make_square)


# --- numbers: seeds, tapes, arguments that are forgotten ------------------------------------------


@planted(BACK, IN_X)
def seed_is_forgotten(wrong):
    @njit
    def f(x):
        return x * x

    @augmented_primal(f)
    def augmented(config, func, RT, x):
        return AugmentedReturn(func.val(x.val) if config.needs_primal else None, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, x):
        return (2.0 * x.val * (1.0 if wrong else dret.val),)

    return f


@planted(AHEAD, IN_RESULT)
def tangent_is_forgotten(wrong):
    @njit
    def f(x):
        return x * x

    @forward(f)
    def tangent(config, func, RT, x):
        d = 2.0 * x.val * (1.0 if wrong else x.dval)
        return Duplicated(func.val(x.val), d) if config.needs_primal else d

    return f


@planted(BACK, IN_X)
def tape_of_the_result(wrong):
    @njit
    def f(x):
        return x * x

    @augmented_primal(f)
    def augmented(config, func, RT, x):
        y = func.val(x.val)
        return AugmentedReturn(y if config.needs_primal else None, None, y if wrong else x.val)

    @reverse(f)
    def adjoint(config, func, dret, tape, x):
        return (2.0 * tape * dret.val,)

    return f


@planted(
    back(Active, (1.5, Active), (2.5, Active)),
    f"the active derivative of argument 1 (y) {DISAGREES}",
)
def one_argument_is_ignored(wrong):
    @njit
    def f(x, y):
        return x * y

    @augmented_primal(f)
    def augmented(config, func, RT, x, y):
        primal = func.val(x.val, y.val) if config.needs_primal else None
        return AugmentedReturn(primal, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, x, y):
        return (y.val * dret.val, 0.0 if wrong else x.val * dret.val)

    return f


@planted(ahead(DuplicatedNoNeed, (1.5, Duplicated)), IN_RESULT)
def only_without_the_value(wrong):
    """The branch of a forward rule for calls that need no primal."""

    @njit
    def f(x):
        return x * x

    @forward(f)
    def tangent(config, func, RT, x):
        if config.needs_primal:
            return Duplicated(func.val(x.val), 2.0 * x.val * x.dval)
        return (1.0 if wrong else 2.0) * x.val * x.dval

    return f


@planted(
    back(Active, (1.5 + 0.5j, Active)),
    f"the active derivative of argument 0 (z) {DISAGREES}",
)
def adjoint_is_not_conjugated(wrong):
    @njit
    def f(z):
        return z * z

    @augmented_primal(f)
    def augmented(config, func, RT, z):
        return AugmentedReturn(func.val(z.val) if config.needs_primal else None, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, z):
        return (2.0 * (z.val if wrong else np.conj(z.val)) * dret.val,)

    return f


@planted(ahead(Duplicated, (1.5 + 0.5j, Duplicated)), IN_RESULT)
def tangent_is_conjugated(wrong):
    @njit
    def f(z):
        return z * z

    @forward(f)
    def tangent(config, func, RT, z):
        d = 2.0 * (np.conj(z.val) if wrong else z.val) * z.dval
        return Duplicated(func.val(z.val), d) if config.needs_primal else d

    return f


@planted(
    ahead(Duplicated, (1.5, Duplicated)),
    f"the derivative of the result, element 1, {DISAGREES}",
)
def second_output_ahead(wrong):
    @njit
    def f(x):
        return x * x, 3.0 * x

    @forward(f)
    def tangent(config, func, RT, x):
        d = (2.0 * x.val * x.dval, x.dval if wrong else 3.0 * x.dval)
        return Duplicated(func.val(x.val), d) if config.needs_primal else d

    return f


@planted(BACK, IN_X)
def second_output_back(wrong):
    @njit
    def f(x):
        return x * x, 3.0 * x

    @augmented_primal(f)
    def augmented(config, func, RT, x):
        return AugmentedReturn(func.val(x.val) if config.needs_primal else None, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, x):
        other = 0.0 if wrong else 3.0 * dret.val[1]
        return (2.0 * x.val * dret.val[0] + other,)

    return f


@planted(
    back(Active, ((1.5, 2.5), Active)),
    f"the active derivative of argument 0 (t) {DISAGREES}",
)
def elements_of_a_tuple_are_swapped(wrong):
    @njit
    def f(t):
        return t[0] * t[0] + t[1]

    @augmented_primal(f)
    def augmented(config, func, RT, t):
        return AugmentedReturn(func.val(t.val) if config.needs_primal else None, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, t):
        first, second = 2.0 * t.val[0] * dret.val, dret.val
        return ((second, first) if wrong else (first, second),)

    return f


# --- batches ------------------------------------------------------------------------------------


def product_ahead(lanes):
    """2 * x with a forward rule for batches of two."""

    @njit
    def f(x):
        return 2.0 * x

    @forward(f)
    def tangent(config, func, RT, x):
        d = lanes(x.dval)
        return BatchDuplicated(func.val(x.val), d) if config.needs_primal else d

    return f


BATCH = ahead(BatchDuplicated, (1.5, BatchDuplicated))
IN_LANE = f"the derivative of the result, lane {{}} {DISAGREES}"


@planted(BATCH, IN_LANE.format(0), IN_LANE.format(1))
def lanes_are_swapped(wrong):
    return product_ahead(
        njit(lambda d: (2.0 * d[1], 2.0 * d[0]))
        if wrong
        else njit(lambda d: (2.0 * d[0], 2.0 * d[1]))
    )


@planted(BATCH, IN_LANE.format(1))
def right_in_lane_0_only(wrong):
    return product_ahead(
        njit(lambda d: (2.0 * d[0], 2.0 * d[0]))
        if wrong
        else njit(lambda d: (2.0 * d[0], 2.0 * d[1]))
    )


SHADOW = f"the shadow of argument {{}} {DISAGREES}"


@planted(
    back(Active, (X, BatchDuplicated), (2.0, Active)),
    SHADOW.format("0 (x), lane 1,"),
)
def a_lane_gets_nothing(wrong):
    @njit
    def f(x, a):
        return a * x.sum()

    @augmented_primal(f)
    def augmented(config, func, RT, x, a):
        primal = func.val(x.val, a.val) if config.needs_primal else None
        return AugmentedReturn(primal, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, x, a):
        for k in range(1 if wrong else 2):
            x.dval[k][:] += a.val * dret[k].val
        total = x.val.sum()
        return (None, (total * dret[0].val, total * dret[1].val))

    return f


@planted(
    back(Active, (X, BatchDuplicated), (2.0, Active)),
    f"the active derivative of argument 1 (a), lane 0, {DISAGREES}",
    f"the active derivative of argument 1 (a), lane 1, {DISAGREES}",
)
def adjoints_of_lanes_are_swapped(wrong):
    @njit
    def f(x, a):
        return a * x.sum()

    @augmented_primal(f)
    def augmented(config, func, RT, x, a):
        primal = func.val(x.val, a.val) if config.needs_primal else None
        return AugmentedReturn(primal, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, x, a):
        for k in range(2):
            x.dval[k][:] += a.val * dret[k].val
        one, two = x.val.sum() * dret[0].val, x.val.sum() * dret[1].val
        return (None, (two, one) if wrong else (one, two))

    return f


@planted(back(Active, (X, BatchDuplicated)), SHADOW.format("0 (x), lane 1,"))
def tape_is_overwritten(wrong):
    """In the first lane, which still gets what is right."""

    @njit
    def f(x):
        return (x * x).sum()

    @augmented_primal(f)
    def augmented(config, func, RT, x):
        primal = func.val(x.val) if config.needs_primal else None
        return AugmentedReturn(primal, None, 2.0 * x.val)

    @reverse(f)
    def adjoint(config, func, dret, tape, x):
        for k in range(2):
            if wrong:
                tape *= dret[k].val
                x.dval[k][:] += tape
            else:
                x.dval[k][:] += tape * dret[k].val
        return (None,)

    return f


# --- arrays that are read -------------------------------------------------------------------------

SUM = back(Active, (X, Duplicated))
SHADOW_X = SHADOW.format("0 (x)")


def sum_of_squares(add):
    """A reverse rule that does `add(dx, x, seed)`."""

    @njit
    def f(x):
        return (x * x).sum()

    @augmented_primal(f)
    def augmented(config, func, RT, x):
        return AugmentedReturn(func.val(x.val) if config.needs_primal else None, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, x):
        add(x.dval, x.val, dret.val)
        return (None,)

    return f


@njit
def add_right(dx, x, seed):
    dx += 2.0 * x * seed


@planted(SUM, SHADOW_X)
def sets_instead_of_adding(wrong):
    @njit
    def add(dx, x, seed):
        dx[:] = 2.0 * x * seed

    return sum_of_squares(add if wrong else add_right)


@planted(SUM, SHADOW_X)
def last_element_is_missed(wrong):
    @njit
    def add(dx, x, seed):
        for i in range(x.size - 1):
            dx[i] += 2.0 * x[i] * seed

    return sum_of_squares(add if wrong else add_right)


@planted(SUM, SHADOW_X)
def one_small_element_is_wrong(wrong):
    """The array's other elements are a thousand times as large."""

    @njit
    def add(dx, x, seed):
        dx += 2.0 * x * seed
        dx[0] += 1e-3

    return sum_of_squares(add if wrong else add_right)


@planted(
    back(Active, (X, Duplicated), (Y, Duplicated)),
    SHADOW.format("1 (unused)"),
)
def unused_argument_gets_something(wrong):
    @njit
    def f(x, unused):
        return x.sum()

    @augmented_primal(f)
    def augmented(config, func, RT, x, unused):
        primal = func.val(x.val, unused.val) if config.needs_primal else None
        return AugmentedReturn(primal, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, x, unused):
        x.dval[:] += dret.val
        if wrong and not isinstance(unused, Const):
            unused.dval[:] += dret.val
        return (None, None)

    return f


# --- arrays that are written ----------------------------------------------------------------------

WRITES = back(Active, (Y, Duplicated), (X, Duplicated))


def square_into(*, doubled=False, zeroed=True, early=False, filled=1.0, touched=0.0):
    """y = x * x, whose sum is returned."""

    @njit
    def f(y, x):
        for i in range(x.size):
            y[i] = x[i] * x[i]
        return y.sum()

    @augmented_primal(f)
    def augmented(config, func, RT, y, x):
        total = func.val(y.val, x.val)
        y.val[0] *= filled
        x.val[0] += touched
        return AugmentedReturn(total if config.needs_primal else None, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, y, x):
        if early:
            y.dval[:] = 0.0
        x.dval[:] += 2.0 * x.val * (dret.val + y.dval)
        if doubled:
            y.dval[:] *= 2.0
        elif zeroed:
            y.dval[:] = 0.0
        return (None, None)

    return f


@planted(WRITES, SHADOW.format("0 (y)"))
def shadow_of_what_is_overwritten_stays(wrong):
    return square_into(zeroed=not wrong)


@planted(WRITES, SHADOW.format("1 (x)"))
def shadow_is_zeroed_before_it_is_read(wrong):
    return square_into(early=wrong)


@planted(WRITES, "argument 0 (y) after the call is not as the function leaves it")
def augmented_primal_writes_something_else(wrong):
    return square_into(filled=1.1 if wrong else 1.0)


@planted(
    WRITES,
    "argument 1 (x) after the call is not as the function leaves it",
    SHADOW.format("1 (x)"),
)
def augmented_primal_writes_somewhere_else(wrong):
    return square_into(touched=0.5 if wrong else 0.0)


@planted(
    back(Const, (X, Duplicated)),
    SHADOW_X,
)
def tape_is_made_after_overwriting(wrong):
    @njit
    def f(x):
        for i in range(x.size):
            x[i] = x[i] * x[i]

    @augmented_primal(f)
    def augmented(config, func, RT, x):
        before = x.val.copy()
        func.val(x.val)
        return AugmentedReturn(None, None, x.val.copy() if wrong else before)

    @reverse(f)
    def adjoint(config, func, dret, tape, x):
        x.dval[:] *= 2.0 * tape
        return (None,)

    return f


@planted(
    back(Const, (X, Duplicated)),
    SHADOW_X,
)
def tape_is_the_overwritten_array(wrong):
    @njit
    def f(x):
        for i in range(x.size):
            x[i] = x[i] * x[i]

    @augmented_primal(f)
    def augmented(config, func, RT, x):
        tape = x.val if wrong else x.val.copy()
        func.val(x.val)
        return AugmentedReturn(None, None, tape)

    @reverse(f)
    def adjoint(config, func, dret, tape, x):
        x.dval[:] *= 2.0 * tape
        return (None,)

    return f


@planted(
    back(Const, (Y, Duplicated), (X, Duplicated)),
    SHADOW.format("0 (y)"),
)
def accumulation_is_taken_for_overwriting(wrong):
    @njit
    def f(y, x):
        for i in range(x.size):
            y[i] += 3.0 * x[i]

    @augmented_primal(f)
    def augmented(config, func, RT, y, x):
        func.val(y.val, x.val)
        return AugmentedReturn(None, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, y, x):
        x.dval[:] += 3.0 * y.dval
        if wrong:
            y.dval[:] = 0.0
        return (None, None)

    return f


def doubled_in_place(*, moved=2.0, filled=1.0, size=1.0):
    """x *= 2, whose sum is returned, with a forward rule."""

    @njit
    def f(x):
        for i in range(x.size):
            x[i] *= 2.0
        return x.sum()

    @forward(f)
    def tangent(config, func, RT, x):
        total = func.val(x.val)
        d = 2.0 * x.dval.sum()
        x.dval[:] *= moved
        x.val[:] *= filled
        return Duplicated(total, d) if config.needs_primal else d

    return f


@planted(ahead(Duplicated, (X, Duplicated)), f"the tangent of argument 0 (x) {DISAGREES}")
def tangent_of_what_is_written_is_missing(wrong):
    return doubled_in_place(moved=1.0 if wrong else 2.0)


@planted(
    ahead(Duplicated, (X, Duplicated)),
    "argument 0 (x) after the call is not as the function leaves it",
)
def forward_rule_writes_something_else(wrong):
    return doubled_in_place(filled=0.5 if wrong else 1.0)


@planted(
    ahead(Duplicated, (2.0, Duplicated), np.zeros(2, np.int64)),
    "argument 1 (count) after the call is not as the function leaves it",
)
def counter_is_not_counted(wrong):
    """Integers that the function writes and the rule does not."""

    @njit
    def f(x, count):
        count[0] += 1
        return 2.0 * x

    @forward(f)
    def tangent(config, func, RT, x, count):
        if not wrong:
            func.val(x.val, count.val)
        return Duplicated(2.0 * x.val, 2.0 * x.dval) if config.needs_primal else 2.0 * x.dval

    return f


# --- arrays that are returned ---------------------------------------------------------------------

ARRAY = back(Duplicated, (X, Duplicated))


def doubled(*, times=2.0, taped=True):
    """2 * x in a new array."""

    @njit
    def f(x):
        return 2.0 * x

    @augmented_primal(f)
    def augmented(config, func, RT, x):
        y = func.val(x.val)
        shadow = np.zeros_like(y) if config.needs_shadow else None
        tape = shadow if taped else np.zeros_like(y)
        return AugmentedReturn(y if config.needs_primal else None, shadow, tape)

    @reverse(f)
    def adjoint(config, func, dret, tape, x):
        if config.needs_shadow:
            x.dval[:] += times * tape
            tape[:] = 0.0
        return (None,)

    return f


@planted(ARRAY, SHADOW_X)
def shadow_of_the_result_counts_twice(wrong):
    return doubled(times=4.0 if wrong else 2.0)


@planted(ARRAY, SHADOW_X)
def another_shadow_is_on_the_tape(wrong):
    return doubled(taped=not wrong)


@planted(
    ahead(Duplicated, (X, Duplicated)),
    f"the tangent of argument 0 (x) {DISAGREES}",
)
def tangent_of_the_result_is_the_one_of_the_argument(wrong):
    @njit
    def f(x):
        return 2.0 * x

    @forward(f)
    def tangent(config, func, RT, x):
        d = x.dval if wrong else x.dval.copy()
        d *= 2.0
        return Duplicated(func.val(x.val), d) if config.needs_primal else d

    return f


@planted(ahead(Duplicated, (X, Duplicated)), f"the derivative of the result {DISAGREES}")
def tangent_has_another_shape(wrong):
    @njit
    def f(x):
        return x[:2].copy()

    @forward(f)
    def tangent(config, func, RT, x):
        d = x.dval[: 3 if wrong else 2].copy()
        return Duplicated(func.val(x.val), d) if config.needs_primal else d

    return f


# --- partials that are stated -----------------------------------------------------------------


@planted(
    back(Active, (1.5, Active), (2.5, Active)),
    f"the active derivative of argument 0 (x) {DISAGREES}",
    f"the active derivative of argument 1 (y) {DISAGREES}",
)
def partials_are_swapped(wrong):
    @njit
    def f(x, y):
        return x * y

    by_x, by_y = (lambda omega, x, y: y), (lambda omega, x, y: x)
    easy_rule(f, (by_y, by_x) if wrong else (by_x, by_y))
    return f


@planted(ahead(Duplicated, (1.5, Duplicated), (2.5, Duplicated)), IN_RESULT)
def partial_is_no_constant(wrong):
    @njit
    def f(x, y):
        return x * y

    easy_rule(f, ((lambda omega, x, y: y), CONSTANT if wrong else (lambda omega, x, y: x)))
    return f


@planted(back(Duplicated, (X[:2], Duplicated)), SHADOW.format("0 (v)"))
def jacobian_is_transposed(wrong):
    @njit
    def f(v):
        return np.array([0.6 * v[0] - 0.8 * v[1], 0.8 * v[0] + 0.6 * v[1]])

    sign = -1.0 if wrong else 1.0
    easy_rule(f, (lambda omega, v: np.array([[0.6, -0.8 * sign], [0.8 * sign, 0.6]]),))
    return f


# --- keyword arguments, callable objects -------------------------------------------------------


@planted(
    back(Active, (1.5, Active), fkwargs={"by": 5.0}),
    f"the active derivative of argument 0 (x) {DISAGREES}",
)
def keyword_is_ignored(wrong):
    @njit
    def f(x, by=1.0):
        return x * by

    @augmented_primal(f)
    def augmented(config, func, RT, x, *, by):
        return AugmentedReturn(x.val * by.val if config.needs_primal else None, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, x, *, by):
        return ((1.0 if wrong else by.val) * dret.val,)

    return f


class Weighted(NamedTuple):
    """The dot product with an array of its own, by a function that has a rule."""

    weights: Any
    dot: Any

    def __call__(self, x):
        return self.dot(self.weights, x)


OBJECT_IS_WRONG = f"the shadow of the callable {DISAGREES}"


@planted(
    lambda f: test_reverse((f, Duplicated), Active, (X, Duplicated)),
    OBJECT_IS_WRONG,
)
def data_of_a_callable_object(wrong):
    @njit
    def dot(a, b):
        return (a * b).sum()

    @augmented_primal(dot)
    def augmented(config, func, RT, a, b):
        primal = func.val(a.val, b.val) if config.needs_primal else None
        return AugmentedReturn(primal, None, None)

    @reverse(dot)
    def adjoint(config, func, dret, tape, a, b):
        a.dval[:] += (2.0 if wrong else 1.0) * b.val * dret.val
        b.dval[:] += a.val * dret.val
        return (None, None)

    return Weighted(Y, dot)


# --- marks that do not belong there ---------------------------------------------------------------


@planted(
    lambda f: test_reverse((f, BatchDuplicated), Active, (1.5, Active)),
    "the shadow of the callable, lane 0,",
    "the shadow of the callable, lane 1,",
)
def data_that_is_marked_inactive(wrong):
    @njit
    def dot(a, b):
        return a[0] * b

    if wrong:
        inactive_arg(dot, 0)
    return Weighted(Y, dot)


@planted(BACK, IN_X)
def function_is_not_inactive(wrong):
    @njit
    def factor(x):
        return 3.0 * x

    if wrong:
        inactive(factor)
    return lambda x: x * factor(x)


@planted(AHEAD, IN_RESULT)
def derivative_is_ignored(wrong):
    return (lambda x: x * ignore_derivatives(x)) if wrong else (lambda x: x * x)


@planted(
    back(Const, (X, Duplicated)),
    SHADOW_X,
)
def derivative_of_an_element_is_ignored(wrong):
    @njit
    def f(x):
        for i in range(x.size):
            x[i] = x[i] * (ignore_derivatives(x[0]) if wrong and i == 2 else x[0])

    return f


@planted(
    both(Duplicated, (X, Duplicated)),
    "forward and reverse mode disagree",
)
def modes_disagree_about_an_array(wrong):
    f = doubled(times=2.0)

    @forward(f)
    def tangent(config, func, RT, x):
        d = 2.0 * x.dval
        if wrong:
            d[2] += 1e-9
        return Duplicated(func.val(x.val), d) if config.needs_primal else d

    return f


@planted(
    both(Const, (X, BatchDuplicated), (2.0, Active)),
    "forward and reverse mode disagree in lane 1",
)
def modes_disagree_in_one_lane(wrong):
    @njit
    def f(x, a):
        for i in range(x.size):
            x[i] *= a

    @augmented_primal(f)
    def augmented(config, func, RT, x, a):
        before = x.val.copy()
        func.val(x.val, a.val)
        return AugmentedReturn(None, None, before)

    @reverse(f)
    def adjoint(config, func, dret, tape, x, a):
        da, db = (x.dval[0] * tape).sum(), (x.dval[1] * tape).sum()
        x.dval[0][:] *= a.val
        x.dval[1][:] *= a.val
        return (None, (da, 0.0 if wrong else db))

    return f
