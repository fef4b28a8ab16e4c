"""Every mark and every kind of rule, in every mode: one program with all of them, told apart by its outputs.

Each row is a function `f(x, y)` with the value ``x * y * y`` and a mark or rule; the program keeps ``x + f(x, x)`` of
each. So a row says what the derivative at 3 is: 28 if the mark were ignored.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from numba import literal_unroll, njit

import enzyme_rules as er
from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    Forward,
    MixedDuplicated,
    Reverse,
    ReverseSplitNoPrimal,
    autodiff,
    autodiff_thunk,
    typeof,
)

pytestmark = pytest.mark.rotating(18)

POINT = 3.0


@njit
def inactive(x, y):
    return x * y * y


@njit
def inactive_noinl(x, y):
    return x * y * y


@njit
def inactive_y(x, y):
    return x * y * y


@njit(inline="always")
def inactive_y_inlined(x, y):
    return x * y * y


@njit
def inactive_y_recursive(x, y, n=2):
    return x if n == 0 else inactive_y_recursive(x * y, y, n - 1)


@njit
def inactive_rest(x, *rest):
    for y in literal_unroll(rest):
        x = x * y * y
    return x


class Weights(NamedTuple):
    first: float
    second: float


@njit
def inactive_class(x, y):
    weights = Weights(y, y)
    return x * weights.first * weights[1]


@njit
def easy(x, y):
    return x * y * y


@njit(inline="always")
def easy_inlined(x, y):
    return x * y * y


@njit
def easy_variadic(*args):
    return args[0] * args[1] * args[1]


@njit
def variadic(*args):
    return args[0] * args[1] * args[1]


er.inactive(inactive)
er.inactive_noinl(inactive_noinl)
for marked in (inactive_y, inactive_y_inlined, inactive_y_recursive):
    er.inactive_arg(marked, "y")
er.inactive_arg(inactive_rest, "rest")
er.inactive_type(Weights)
for stated in (easy, easy_inlined, easy_variadic):
    er.easy_rule(stated, (lambda omega, x, y: 100.0 * y * y, lambda omega, x, y: 10.0 * x * y))


@er.forward(variadic)
def variadic_forward(config, func, RT, *args):
    x, y = args[0].val, args[1].val
    if config.width == 1:
        tangent = 100.0 * y * y * args[0].dval + 10.0 * x * y * args[1].dval
    else:
        tangent = (
            100.0 * y * y * args[0].dval[0] + 10.0 * x * y * args[1].dval[0],
            100.0 * y * y * args[0].dval[1] + 10.0 * x * y * args[1].dval[1],
        )
    if config.needs_primal:
        value = func.val(x, y)
        return Duplicated(value, tangent) if config.width == 1 else BatchDuplicated(value, tangent)
    return tangent


@er.augmented_primal(variadic)
def variadic_augmented(config, func, RT, *args):
    value = func.val(args[0].val, args[1].val) if config.needs_primal else None
    return er.AugmentedReturn(value, None, float(len(config.overwritten)))


@er.reverse(variadic)
def variadic_reverse(config, func, dret, tape, *args):
    x, y = args[0].val, args[1].val
    count = tape - 2.0  # one flag for the function, one for each argument
    return (100.0 * y * y * dret.val * count, 10.0 * x * y * dret.val * count)


# Function, and its derivative at 3 (x + f(x, x)).
ROWS = {
    "inactive": 1.0,
    "inactive_noinl": 1.0,
    "inactive_y": 10.0,
    "inactive_y_inlined": 10.0,
    "inactive_y_recursive": 10.0,
    "inactive_rest": 10.0,
    "inactive_class": 10.0,
    "easy": 991.0,
    "easy_inlined": 991.0,
    "easy_variadic": 991.0,
    "variadic": 991.0,
}
EXPECTED = list(ROWS.values())
# Of the outputs, for reverse mode: no two rows weigh the same.
SEEDS = np.sqrt(np.arange(len(ROWS)) + 2.0)


@njit
def program(x, out):
    out[0] = x + inactive(x, x)
    out[1] = x + inactive_noinl(x, x)
    out[2] = x + inactive_y(x, x)
    out[3] = x + inactive_y_inlined(x, x)
    out[4] = x + inactive_y_recursive(x, x)
    out[5] = x + inactive_rest(x, x)
    out[6] = x + inactive_class(x, x)
    out[7] = x + easy(x, x)
    out[8] = x + easy_inlined(x, x)
    out[9] = x + easy_variadic(x, x)
    out[10] = x + variadic(x, x)


def buffers():
    return np.zeros(len(ROWS)), np.zeros(len(ROWS))


def test_forward():
    out, tangents = buffers()
    autodiff(Forward, program, Duplicated(POINT, 1.0), Duplicated(out, tangents))
    np.testing.assert_allclose(tangents, EXPECTED)


def test_forward_batch():
    out, tangents = buffers()
    second = tangents.copy()
    given = BatchDuplicated(POINT, (1.0, -2.0)), BatchDuplicated(out, (tangents, second))
    autodiff(Forward, program, *given)
    np.testing.assert_allclose(tangents, EXPECTED)
    np.testing.assert_allclose(second, -2.0 * np.array(EXPECTED))


def test_reverse():
    out, _ = buffers()
    ((found, _),) = autodiff(Reverse, program, Active(POINT), Duplicated(out, SEEDS.copy()))
    assert found == pytest.approx((SEEDS * EXPECTED).sum(), rel=1e-14)


def test_split():
    out, _ = buffers()
    types = Active[float], Duplicated[typeof(out)]
    forward, reverse = autodiff_thunk(ReverseSplitNoPrimal, Const[typeof(program)], Const, *types)
    given = Const(program), Active(POINT), Duplicated(out, SEEDS.copy())
    tape, _, _ = forward(*given)
    ((found, _),) = reverse(*given, tape)
    assert found == pytest.approx((SEEDS * EXPECTED).sum(), rel=1e-14)


@njit
def with_rules(x):
    return easy_inlined(x, x) + variadic(x, x)


@njit
def with_marks(x):
    return inactive_y(x, x) + inactive_y_inlined(x, x) + inactive_class(x, x)


@pytest.mark.parametrize(
    ("f", "first", "second"), [(with_rules, 220.0, 440.0), (with_marks, 9.0, 0.0)]
)
def test_in_jitted_code_and_in_derivatives_of_it(f, first, second):
    """The rules state derivatives, which are differentiated as they are written."""

    @njit
    def slope(x):
        return autodiff(Forward, f, Duplicated(x, 1.0))[0]

    factor = POINT * POINT if f is with_rules else 3.0
    assert slope(POINT) == first * factor
    assert autodiff(Reverse, slope, Active(POINT)) == ((second * POINT,),)


@pytest.mark.parametrize("name", ["inactive_y", "inactive_y_inlined", "easy", "variadic"])
def test_of_the_function_itself(name):
    f = globals()[name]
    slope_y = 0.0 if name.startswith("inactive") else 10.0 * 2.0 * POINT
    slope_x = POINT * POINT * (1.0 if name.startswith("inactive") else 100.0)
    assert autodiff(Reverse, f, Active, Active(2.0), Active(POINT)) == ((slope_x, slope_y),)
    given = Duplicated(2.0, 1.0), Duplicated(POINT, 1.0)
    assert autodiff(Forward, f, *given) == (slope_x + slope_y,)


def test_a_class_declared_inactive_as_argument():
    def f(weights, x):
        return weights.first * x * weights.second

    weights = Weights(2.0, 5.0)
    assert autodiff(Reverse, f, Active, Const(weights), Active(3.0)) == ((None, 10.0),)
    zero = Weights(0.0, 0.0)
    assert autodiff(Reverse, f, Active, Active(weights), Active(3.0)) == ((zero, 10.0),)
    ref = [Weights(1.0, 1.0)]
    mixed = MixedDuplicated(weights, ref)
    assert autodiff(Reverse, f, Active, mixed, Active(3.0)) == ((None, 10.0),)
    assert ref == [Weights(1.0, 1.0)]
    kinds = Active[typeof(weights)], Active[float]
    forward, back = autodiff_thunk(ReverseSplitNoPrimal, Const[typeof(f)], Active, *kinds)
    given = Const(f), Active(weights), Active(3.0)
    assert back(*given, 1.0, forward(*given)[0]) == ((zero, 10.0),)
    given = Duplicated(weights, Weights(1.0, 1.0)), Duplicated(3.0, 1.0)
    assert autodiff(Forward, f, *given) == (10.0,)


@pytest.mark.parametrize("cls", [float, np.float32, np.ndarray, 3.0])
def test_classes_that_cannot_be_inactive(cls):
    with pytest.raises(TypeError, match="takes a class of objects"):
        er.inactive_type(cls)


def test_marks_reach_functions_that_were_compiled_before():
    @njit
    def product(x, y):
        return x * y

    @njit(inline="always")
    def square(x):
        return x * x

    @njit
    def caller(x):
        return product(x, x) + square(x)

    assert autodiff(Reverse, caller, Active, Active(3.0)) == ((12.0,),)
    er.inactive_arg(product, "y")
    assert autodiff(Reverse, caller, Active, Active(3.0)) == ((9.0,),)
    er.inactive(square)
    assert autodiff(Reverse, caller, Active, Active(3.0)) == ((3.0,),)
    er.remove_rules(product)
    er.remove_rules(square)
    assert autodiff(Reverse, caller, Active, Active(3.0)) == ((12.0,),)
