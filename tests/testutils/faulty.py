"""Functions whose derivatives are right, or wrong in one way: a table of faults that testers must find.

Most functions take as their last argument, a constant, what is wrong with their rules, so that the
rule with a fault is the very code that passes without it.
"""

from __future__ import annotations

import functools
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
    reverse,
)
from enzyme_testutils import check_adjoint, test_forward, test_reverse

Check = Callable[..., None]


@dataclass(frozen=True)
class Fault:
    """A test without and with the fault, and a piece of each line that the report must consist of."""

    run: Callable[[Any], None]
    right: Any
    wrong: Any
    says: tuple[str, ...]


CLEAN = "the shadow of the result must be zero"
SHARED = "the memory of the shadows is not shared as that of their primals is"
FAULTS: dict[str, Fault] = {}


def planted(name: str, check: Check, *says: str, wrong: Any = 1, right: Any = 0) -> Any:
    """Enter a function, made by a function without parameters, whose last argument is the fault."""

    def enter(make: Callable[[], Any]) -> Callable[[], Any]:
        assert name not in FAULTS
        FAULTS[name] = Fault(lambda how: check(make(), how), right, wrong, says)
        return make

    return enter


def made_twice(name: str, check: Check, *says: str) -> Any:
    """Enter a function that is made without and with the fault."""

    def enter(make: Callable[[bool], Any]) -> Callable[[bool], Any]:
        assert name not in FAULTS
        FAULTS[name] = Fault(lambda wrong: check(make(wrong)), False, True, says)
        return make

    return enter


def ahead(ret: Any, *args: Any, **options: Any) -> Check:
    return lambda f, *how: test_forward(f, ret, *args, *how, **options)


def back(ret: Any, *args: Any, **options: Any) -> Check:
    return lambda f, *how: test_reverse(f, ret, *args, *how, **options)


def both(ret: Any, *args: Any) -> Check:
    return lambda f, *how: check_adjoint(f, ret, *args, *how)


X = np.array([1.0, 2.0, 3.0])
Y = np.array([0.5, -1.5, 2.5])
SINGLE = np.float32(1.5)

AHEAD = ahead(Duplicated, (1.5, Duplicated))
BACK = back(Active, (1.5, Active))
BOTH = both(Active, (1.5, Active))
ARRAY_AHEAD = ahead(Duplicated, (X, Duplicated))
ARRAY_BACK = back(Active, (X, Duplicated))

DISAGREES = "disagrees with finite differences"
RESULT = f"the derivative of the result {DISAGREES}"
ADJOINT = f"the active derivative of argument 0 (x) {DISAGREES}"
SECOND = f"the active derivative of argument 1 (y) {DISAGREES}"
SHADOW_X = f"the shadow of argument 0 (x) {DISAGREES}"
VALUE = "the value of the result is not that of the function"
MODES = "forward and reverse mode disagree"


# --- numbers ------------------------------------------------------------------------------------


@njit
def like(x, new):
    """`new` in the type of `x`."""
    kept = np.full(1, x)
    kept[0] = new
    return kept[0]


def factors(*, tangent=1.0, adjoint=1.0, value=1.0, taped_value=1.0):
    return {"wrong": (tangent, adjoint, value, taped_value), "right": (1.0, 1.0, 1.0, 1.0)}


@planted("the sign of a tangent", AHEAD, RESULT, **factors(tangent=-1.0))
@planted("the scale of a tangent", AHEAD, RESULT, **factors(tangent=2.0))
@planted("a tangent that is off by 1e-7", AHEAD, RESULT, **factors(tangent=1.0 + 1e-7))
@planted("the value of a forward rule", AHEAD, VALUE, **factors(value=1.01))
@planted("the sign of an adjoint", BACK, ADJOINT, **factors(adjoint=-1.0))
@planted("the scale of an adjoint", BACK, ADJOINT, **factors(adjoint=0.5))
@planted("an adjoint that is off by 1e-7", BACK, ADJOINT, **factors(adjoint=1.0 + 1e-7))
@planted("an adjoint that is infinite", BACK, ADJOINT, **factors(adjoint=math.inf))
@planted("the value of an augmented primal", BACK, VALUE, **factors(taped_value=1.01))
@planted("right ahead, wrong back", BOTH, MODES, **factors(adjoint=1.0 + 1e-9))
@planted("right back, wrong ahead", BOTH, MODES, **factors(tangent=1.0 + 1e-9))
@planted(
    "a percent of a tangent in single precision",
    ahead(Duplicated, (SINGLE, Duplicated)),
    RESULT,
    **factors(tangent=1.01),
)
@planted(
    "a percent of an adjoint in single precision",
    back(Active, (SINGLE, Active)),
    ADJOINT,
    **factors(adjoint=1.01),
)
@planted(
    "a percent between the modes in single precision",
    both(Active, (SINGLE, Active)),
    MODES,
    **factors(adjoint=1.01),
)
@functools.cache
def square():
    """x * x; each number of `how` multiplies a part of what the rules return."""

    @njit
    def f(x, how):
        return x * x

    @forward(f)
    def tangent(config, func, RT, x, how):
        d = like(x.val, 2.0 * how.val[0] * x.val * x.dval)
        if config.needs_primal:
            return Duplicated(like(x.val, how.val[2] * x.val * x.val), d)
        return d

    @augmented_primal(f)
    def augmented(config, func, RT, x, how):
        primal = like(x.val, how.val[3] * x.val * x.val) if config.needs_primal else None
        return AugmentedReturn(primal, None, x.val)

    @reverse(f)
    def adjoint(config, func, dret, tape, x, how):
        return (like(x.val, 2.0 * how.val[1] * tape * dret.val), None)

    return f


@planted("the tangent is forgotten", AHEAD, RESULT, wrong=1)
@planted(
    "only where the value is not needed",
    ahead(DuplicatedNoNeed, (1.5, Duplicated)),
    RESULT,
    wrong=2,
)
@planted("a tangent that is no number", AHEAD, RESULT, wrong=3)
@functools.cache
def cube_ahead():
    @njit
    def f(x, how):
        return x * x * x

    @forward(f)
    def tangent(config, func, RT, x, how):
        d = 3.0 * x.val * x.val * (1.0 if how.val == 1 else x.dval)
        if how.val == 3:
            d = math.nan
        if config.needs_primal:
            return Duplicated(func.val(x.val, how.val), d)
        return 2.0 * d if how.val == 2 else d

    return f


PAIR = back(Active, (1.5, Active), (2.5, Active))


@planted("the seed is forgotten", PAIR, ADJOINT, SECOND, wrong=1)
@planted("the tape has the result", PAIR, SECOND, wrong=2)
@planted("one of two arguments is ignored", PAIR, SECOND, wrong=3)
@planted("adjoints are swapped", PAIR, ADJOINT, SECOND, wrong=4)
@functools.cache
def product_back():
    @njit
    def f(x, y, how):
        return x * y

    @augmented_primal(f)
    def augmented(config, func, RT, x, y, how):
        z = x.val * y.val
        primal = z if config.needs_primal else None
        return AugmentedReturn(primal, None, z if how.val == 2 else x.val)

    @reverse(f)
    def adjoint(config, func, dret, tape, x, y, how):
        seed = 1.0 if how.val == 1 else dret.val
        dx, dy = y.val * seed, tape * seed
        if how.val == 3:
            dy = 0.0
        if how.val == 4:
            return (dy, dx, None)
        return (dx, dy, None)

    return f


@planted("a conjugated tangent", ahead(Duplicated, (1.5 + 0.5j, Duplicated)), RESULT)
@planted("an adjoint that is not conjugated", back(Active, (1.5 + 0.5j, Active)), ADJOINT)
@functools.cache
def complex_square():
    @njit
    def f(x, how):
        return x * x

    @forward(f)
    def tangent(config, func, RT, x, how):
        slope = 2.0 * x.val if how.val == 0 else 2.0 * np.conj(x.val)
        return Duplicated(x.val * x.val, slope * x.dval) if config.needs_primal else slope * x.dval

    @augmented_primal(f)
    def augmented(config, func, RT, x, how):
        return AugmentedReturn(x.val * x.val if config.needs_primal else None, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, x, how):
        slope = 2.0 * np.conj(x.val) if how.val == 0 else 2.0 * x.val
        return (slope * dret.val, None)

    return f


@planted("the second output ahead", AHEAD, f"the derivative of the result, element 1, {DISAGREES}")
@planted("the second output back", BACK, ADJOINT)
@functools.cache
def two_outputs():
    @njit
    def f(x, how):
        return x * x, 3.0 * x

    @forward(f)
    def tangent(config, func, RT, x, how):
        d = (2.0 * x.val * x.dval, x.dval if how.val == 1 else 3.0 * x.dval)
        return Duplicated(func.val(x.val, how.val), d) if config.needs_primal else d

    @augmented_primal(f)
    def augmented(config, func, RT, x, how):
        primal = func.val(x.val, how.val) if config.needs_primal else None
        return AugmentedReturn(primal, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, x, how):
        other = 0.0 if how.val == 1 else 3.0 * dret.val[1]
        return (2.0 * x.val * dret.val[0] + other, None)

    return f


@planted("swapped elements of a tuple", back(Active, ((1.5, 2.5), Active)), ADJOINT)
@functools.cache
def of_a_tuple():
    @njit
    def f(x, how):
        return x[0] * x[0] + x[1]

    @augmented_primal(f)
    def augmented(config, func, RT, x, how):
        primal = func.val(x.val, how.val) if config.needs_primal else None
        return AugmentedReturn(primal, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, x, how):
        first, second = 2.0 * x.val[0] * dret.val, dret.val
        return ((second, first) if how.val == 1 else (first, second), None)

    return f


# --- batches ------------------------------------------------------------------------------------

BATCH = ahead(BatchDuplicated, (1.5, BatchDuplicated))
IN_LANE = [f"the derivative of the result, lane {k} {DISAGREES}" for k in range(2)]


@planted("swapped lanes ahead", BATCH, *IN_LANE, wrong=1)
@planted("right in lane 0 only", BATCH, IN_LANE[1], wrong=2)
@functools.cache
def doubled_in_batches():
    @njit
    def f(x, how):
        return 2.0 * x

    @forward(f)
    def tangent(config, func, RT, x, how):
        one, two = 2.0 * x.dval[0], 2.0 * x.dval[1]
        if how.val == 1:
            one, two = two, one
        if how.val == 2:
            two = one
        return BatchDuplicated(2.0 * x.val, (one, two)) if config.needs_primal else (one, two)

    return f


BATCH_BACK = back(Active, (X, BatchDuplicated), (2.0, Active))
SHADOW_LANE = f"the shadow of argument 0 (x), lane 1, {DISAGREES}"


@planted("a lane gets nothing", BATCH_BACK, SHADOW_LANE, wrong=1)
@planted("the rule overwrites its tape", BATCH_BACK, SHADOW_LANE, wrong=2)
@planted(
    "swapped lanes back",
    BATCH_BACK,
    f"the active derivative of argument 1 (a), lane 0, {DISAGREES}",
    f"the active derivative of argument 1 (a), lane 1, {DISAGREES}",
    wrong=3,
)
@functools.cache
def weighted_sum_in_batches():
    @njit
    def f(x, a, how):
        return a * x.sum()

    @augmented_primal(f)
    def augmented(config, func, RT, x, a, how):
        primal = a.val * x.val.sum() if config.needs_primal else None
        return AugmentedReturn(primal, None, np.full(1, a.val))

    @reverse(f)
    def adjoint(config, func, dret, tape, x, a, how):
        for k in range(2 if how.val != 1 else 1):
            for i in range(x.val.size):
                x.dval[k][i] += tape[0] * dret[k].val
            if how.val == 2:
                tape[0] *= dret[k].val
        one, two = x.val.sum() * dret[0].val, x.val.sum() * dret[1].val
        if how.val == 3:
            one, two = two, one
        return (None, (one, two), None)

    return f


# --- arrays that are read -------------------------------------------------------------------------


@planted("= in place of +=", ARRAY_BACK, SHADOW_X, wrong=1)
@planted("the last element is missed", ARRAY_BACK, SHADOW_X, wrong=2)
@planted("one element is off by 1e-6", ARRAY_BACK, SHADOW_X, wrong=3)
@planted("the derivative of one element is no number", ARRAY_BACK, SHADOW_X, wrong=4)
@functools.cache
def sum_of_squares():
    @njit
    def f(x, how):
        return (x * x).sum()

    @augmented_primal(f)
    def augmented(config, func, RT, x, how):
        primal = func.val(x.val, how.val) if config.needs_primal else None
        return AugmentedReturn(primal, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, x, how):
        n = x.val.size
        for i in range(n if how.val != 2 else n - 1):
            if how.val == 1:
                x.dval[i] = 0.0
            x.dval[i] += 2.0 * x.val[i] * dret.val
        if how.val == 3:
            x.dval[0] += 1e-6
        if how.val == 4:
            x.dval[0] = math.nan
        return (None, None)

    return f


@planted(
    "an unused argument gets something",
    back(Active, (X, Duplicated), (Y, Duplicated)),
    f"the shadow of argument 1 (y) {DISAGREES}",
)
@functools.cache
def sum_of_the_first():
    @njit
    def f(x, y, how):
        return x.sum()

    @augmented_primal(f)
    def augmented(config, func, RT, x, y, how):
        return AugmentedReturn(x.val.sum() if config.needs_primal else None, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, x, y, how):
        for i in range(x.val.size):
            x.dval[i] += dret.val
            y.dval[i] += how.val * dret.val
        return (None, None, None)

    return f


# --- arrays that are written ----------------------------------------------------------------------

WRITES = back(Active, (X, Duplicated), (Y, Duplicated))
ADDS = back(Const, (X, Duplicated), (Y, Duplicated))
NOT_LEFT = "argument {} after the call is not as the function leaves it"


@planted("the shadow of what is overwritten stays", WRITES, SHADOW_X, wrong=1)
@planted(
    "a shadow is zeroed before it is read",
    WRITES,
    f"the shadow of argument 1 (y) {DISAGREES}",
    wrong=2,
)
@planted(
    "an augmented primal that writes another number", WRITES, NOT_LEFT.format("0 (x)"), wrong=3
)
@planted(
    "an augmented primal that writes elsewhere",
    WRITES,
    NOT_LEFT.format("1 (y)"),
    f"the shadow of argument 1 (y) {DISAGREES}",
    wrong=4,
)
@planted("an augmented primal that writes nothing", WRITES, NOT_LEFT.format("0 (x)"), wrong=5)
@functools.cache
def square_into():
    """x = y * y, whose sum is returned."""

    @njit
    def f(x, y, how):
        total = 0.0
        for i in range(x.size):
            x[i] = y[i] * y[i]
            total += x[i]
        return total

    @augmented_primal(f)
    def augmented(config, func, RT, x, y, how):
        total = func.val(x.val if how.val != 5 else x.val.copy(), y.val, how.val)
        if how.val == 3:
            x.val[0] += 0.5
        if how.val == 4:
            y.val[0] += 0.5
        return AugmentedReturn(total if config.needs_primal else None, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, x, y, how):
        for i in range(x.val.size):
            if how.val == 2:
                x.dval[i] = 0.0
            y.dval[i] += 2.0 * y.val[i] * (dret.val + x.dval[i])
            if how.val != 1:
                x.dval[i] = 0.0
        return (None, None, None)

    return f


@planted("the tape is filled after overwriting", back(Const, (X, Duplicated)), SHADOW_X, wrong=1)
@planted("the tape is the overwritten array", back(Const, (X, Duplicated)), SHADOW_X, wrong=2)
@functools.cache
def squared_in_place():
    @njit
    def f(x, how):
        for i in range(x.size):
            x[i] = x[i] * x[i]

    @augmented_primal(f)
    def augmented(config, func, RT, x, how):
        tape = x.val if how.val == 2 else x.val.copy()
        func.val(x.val, how.val)
        return AugmentedReturn(None, None, x.val.copy() if how.val == 1 else tape)

    @reverse(f)
    def adjoint(config, func, dret, tape, x, how):
        for i in range(x.val.size):
            x.dval[i] *= 2.0 * tape[i]
        return (None, None)

    return f


@planted("accumulation is taken for overwriting", ADDS, SHADOW_X, wrong=1)
@functools.cache
def added_in_place():
    """x += 3 * y."""

    @njit
    def f(x, y, how):
        for i in range(x.size):
            x[i] += 3.0 * y[i]

    @augmented_primal(f)
    def augmented(config, func, RT, x, y, how):
        func.val(x.val, y.val, how.val)
        return AugmentedReturn(None, None, None)

    @reverse(f)
    def adjoint(config, func, dret, tape, x, y, how):
        for i in range(x.val.size):
            y.dval[i] += 3.0 * x.dval[i]
            if how.val == 1:
                x.dval[i] = 0.0
        return (None, None, None)

    return f


@planted(
    "the tangent of what is written is missing",
    ARRAY_AHEAD,
    f"the tangent of argument 0 (x) {DISAGREES}",
    wrong=1,
)
@planted(
    "a forward rule that writes another number", ARRAY_AHEAD, NOT_LEFT.format("0 (x)"), wrong=2
)
@functools.cache
def doubled_in_place():
    @njit
    def f(x, how):
        total = 0.0
        for i in range(x.size):
            x[i] *= 2.0
            total += x[i]
        return total

    @forward(f)
    def tangent(config, func, RT, x, how):
        total = func.val(x.val, how.val)
        d = 2.0 * x.dval.sum()
        for i in range(x.val.size):
            x.dval[i] *= 2.0 if how.val != 1 else 1.0
        if how.val == 2:
            x.val[0] += 0.5
        return Duplicated(total, d) if config.needs_primal else d

    return f


@planted(
    "integers that a rule does not count",
    ahead(Duplicated, (1.5, Duplicated), np.zeros(2, np.int64)),
    NOT_LEFT.format("1 (count)"),
)
@functools.cache
def counting():
    @njit
    def f(x, count, how):
        count[0] += 1
        return 2.0 * x

    @forward(f)
    def tangent(config, func, RT, x, count, how):
        if how.val == 0:
            count.val[0] += 1
        return Duplicated(2.0 * x.val, 2.0 * x.dval) if config.needs_primal else 2.0 * x.dval

    return f


# --- arrays that are returned ---------------------------------------------------------------------


@planted("the result counts twice", back(Duplicated, (X, Duplicated)), SHADOW_X, wrong=1)
@planted("another shadow is on the tape", back(Duplicated, (X, Duplicated)), SHADOW_X, wrong=2)
@planted(
    "the tangent of the result is that of the argument",
    ARRAY_AHEAD,
    f"the tangent of argument 0 (x) {DISAGREES}",
    wrong=3,
)
@planted("the modes disagree by 1e-9", both(Duplicated, (X, Duplicated)), MODES, wrong=4)
@functools.cache
def doubled():
    @njit
    def f(x, how):
        return 2.0 * x

    @augmented_primal(f)
    def augmented(config, func, RT, x, how):
        y = 2.0 * x.val
        shadow = np.zeros_like(y)
        tape = np.zeros_like(y) if how.val == 2 else shadow
        return AugmentedReturn(y if config.needs_primal else None, shadow, tape)

    @reverse(f)
    def adjoint(config, func, dret, tape, x, how):
        for i in range(x.val.size):
            x.dval[i] += (4.0 if how.val == 1 else 2.0) * tape[i]
            tape[i] = 0.0
        return (None, None)

    @forward(f)
    def tangent(config, func, RT, x, how):
        d = x.dval if how.val == 3 else x.dval.copy()
        for i in range(d.size):
            d[i] *= 2.0
        if how.val == 4:
            d[2] += 1e-9
        return Duplicated(2.0 * x.val, d) if config.needs_primal else d

    return f


@planted(
    "a shadow of the result that is not zero",
    back(Duplicated, (X, Duplicated)),
    CLEAN,
    wrong=1,
)
@planted(
    "a shadow of the result that is one of the argument",
    back(Duplicated, (X, Duplicated)),
    SHARED,
    wrong=2,
)
@planted(
    "a shadow of the result that is the result",
    back(Duplicated, (X, Duplicated)),
    SHARED,
    wrong=3,
)
@planted(
    "a reverse rule that writes into its argument",
    back(Duplicated, (X, Duplicated)),
    "argument 0 (x) after ",
    wrong=4,
)
@functools.cache
def doubled_with_a_strange_shadow():
    @njit
    def f(x, how):
        return 2.0 * x

    @augmented_primal(f)
    def augmented(config, func, RT, x, how):
        y = 2.0 * x.val
        shadow = np.zeros_like(y)
        if how.val == 1:
            shadow[0] = 1.0
        elif how.val == 2:
            shadow = x.dval
        elif how.val == 3:
            shadow = y
        return AugmentedReturn(y if config.needs_primal else None, shadow, shadow)

    @reverse(f)
    def adjoint(config, func, dret, tape, x, how):
        for i in range(x.val.size):
            x.dval[i] += 2.0 * tape[i]
        if how.val == 4:
            x.val[0] = 7.0
        return (None, None)

    return f


@planted(
    "one shadow of the result for two lanes",
    back(BatchDuplicated, (X, BatchDuplicated)),
    SHARED,
)
@functools.cache
def doubled_in_one_shadow():
    @njit
    def f(x, how):
        return 2.0 * x

    @augmented_primal(f)
    def augmented(config, func, RT, x, how):
        y = 2.0 * x.val
        one = np.zeros_like(y)
        two = one if how.val == 1 else np.zeros_like(y)
        return AugmentedReturn(y if config.needs_primal else None, (one, two), (one, two))

    @reverse(f)
    def adjoint(config, func, dret, tape, x, how):
        for k in range(2):
            for i in range(x.val.size):
                x.dval[k][i] += 2.0 * tape[k][i]
        return (None, None)

    return f


# --- partials that are stated ---------------------------------------------------------------------


@made_twice("swapped partials", PAIR, ADJOINT, SECOND)
def product_by_partials(wrong):
    @njit
    def f(x, y):
        return x * y

    by_x, by_y = (lambda omega, x, y: y), (lambda omega, x, y: x)
    easy_rule(f, (by_y, by_x) if wrong else (by_x, by_y))
    return f


@made_twice(
    "a partial that is no constant",
    ahead(Duplicated, (1.5, Duplicated), (2.5, Duplicated)),
    RESULT,
)
def product_with_a_constant(wrong):
    @njit
    def f(x, y):
        return x * y

    easy_rule(f, ((lambda omega, x, y: y), CONSTANT if wrong else (lambda omega, x, y: x)))
    return f


@planted("a transposed jacobian", ahead(Duplicated, (X[:2], Duplicated)), RESULT)
@functools.cache
def rotation():
    @njit
    def f(x, how):
        return np.array([0.6 * x[0] - 0.8 * x[1], 0.8 * x[0] + 0.6 * x[1]])

    @easy_rule(f)
    def partials(omega, x, how):
        s = 0.8 if how == 0 else -0.8
        return np.array([[0.6, -s], [s, 0.6]]), CONSTANT

    return f


# --- keyword arguments, callable objects -----------------------------------------------------------


@made_twice(
    "a keyword argument is ignored", back(Active, (1.5, Active), fkwargs={"by": 5.0}), ADJOINT
)
def scaled_by_keyword(wrong):
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
    """A number times a weight of its own, by a function that has a rule or a mark."""

    weights: Any
    scaled: Any

    def __call__(self, x):
        return self.scaled(self.weights, x)


@made_twice(
    "the data of a callable object",
    lambda f: test_reverse((f, Duplicated), Active, (1.5, Active)),
    f"the shadow of the callable {DISAGREES}",
)
def weighted_by_a_rule(wrong):
    @njit
    def scaled(a, b):
        return a[0] * b

    @augmented_primal(scaled)
    def augmented(config, func, RT, a, b):
        return AugmentedReturn(a.val[0] * b.val if config.needs_primal else None, None, None)

    @reverse(scaled)
    def adjoint(config, func, dret, tape, a, b):
        a.dval[0] += (2.0 if wrong else 1.0) * b.val * dret.val
        return (None, a.val[0] * dret.val)

    return Weighted(Y, scaled)


# --- marks that do not belong there ----------------------------------------------------------------


@made_twice(
    "the data of a callable object are marked inactive",
    lambda f: test_reverse((f, BatchDuplicated), Active, (1.5, Active)),
    f"the shadow of the callable, lane 0, {DISAGREES}",
    f"the shadow of the callable, lane 1, {DISAGREES}",
)
def weighted_by_constants(wrong):
    @njit
    def first(a):
        return a[0]

    @njit
    def scaled(a, b):
        return first(a) * b

    if wrong:
        inactive(first)
    return Weighted(Y, scaled)


@made_twice("a function that is not inactive", BACK, ADJOINT)
def times_its_factor(wrong):
    @njit
    def factor(x):
        return 3.0 * x

    if wrong:
        inactive(factor)
    return lambda x: x * factor(x)


@made_twice("a derivative that is ignored", AHEAD, RESULT)
def times_itself(wrong):
    return (lambda x: x * ignore_derivatives(x)) if wrong else (lambda x: x * x)


@planted("the derivative of one element is ignored", back(Const, (X, Duplicated)), SHADOW_X)
@functools.cache
def times_the_first():
    @njit
    def f(x, how):
        for i in range(1, x.size):
            if how == 1 and i == 2:
                x[i] *= ignore_derivatives(x[0])
            else:
                x[i] *= x[0]

    return f
