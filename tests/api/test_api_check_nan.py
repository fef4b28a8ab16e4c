"""The first NaN of a derivative is an error with the line where it came up, in every way to ask for one."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from numba import njit

import enzyme.api
import enzyme_rules as er
from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    EnzymeError,
    Forward,
    ForwardWithPrimal,
    Reverse,
    ReverseSplitNoPrimal,
    ReverseWithPrimal,
    autodiff,
    autodiff_thunk,
    clear_check_nan,
    clear_strong_zero,
    grad,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    make_zero,
    set_check_nan,
    typeof,
    value_and_grad,
    vjp,
)
from enzyme.errors import EnzymeNaNError

pytestmark = pytest.mark.rotating(21)


def quotient(x):
    s = 0.0
    for i in range(x.size):
        s += x[i]
        s += np.divide(x[i], x[i])  # HERE
        s *= 0.5
    return s


def root(x):
    r = x * x
    return (np.sqrt(r.sum()) * r.sum() + np.sqrt(x) * np.inf * 0.0).sum()  # HERE


def written(x):
    y = np.zeros_like(x)
    for i in range(x.size):
        y[i] = 1.0 / (x[i] + 1.0)
    y *= x
    y[1:] = np.log(y[1:]) * (y[1:] * 0.0)  # HERE
    return y.sum()


@njit
def inner(a, b):
    return a * np.log(b)  # HERE


def called(x):
    return inner(x[0], x[0]) + inner(x[0], 2.0)


PROGRAMS = [quotient, root, written, called]
BAD, GOOD = np.array([0.0, 0.0]), np.array([1.5, 2.5])
NAMES = [f.__name__ for f in PROGRAMS]


def line_of(f):
    """The line that is marked."""
    lines = Path(__file__).read_text().splitlines()
    functions = [k for k, text in enumerate(lines) if text.startswith("def ")]
    start = f.__code__.co_firstlineno - 1
    if f is called:
        start = inner.py_func.__code__.co_firstlineno
    end = min(k for k in functions if k > start + 1)
    return 1 + next(k for k in range(start, end) if "# HERE" in lines[k])


def exact(mode):
    """A mode that does not help with zero times infinity, and looks for NaN."""
    return set_check_nan(clear_strong_zero(mode))


def split(f, x):
    dx = make_zero(x)
    forward, reverse = autodiff_thunk(
        exact(ReverseSplitNoPrimal), Const[typeof(f)], Active, Duplicated[typeof(x)]
    )
    tape, *_ = forward(Const(f), Duplicated(x, dx))
    reverse(Const(f), Duplicated(x, dx), 1.0, tape)
    return dx


def in_jitted_code(f, x):
    g = njit(f)
    mode = exact(Reverse)

    @njit
    def run(x):
        dx = np.zeros_like(x)
        autodiff(mode, g, Active, Duplicated(x, dx))
        return dx

    return run(x)


def split_in_jitted_code(f, x):
    g = njit(f)
    kind = Duplicated[typeof(x)]
    mode = exact(ReverseSplitNoPrimal)
    thunk = autodiff_thunk(mode, Const[typeof(g)], Active, kind)
    forward, reverse = thunk

    @njit
    def run(x):
        dx = np.zeros_like(x)
        tape = forward(Const(g), Duplicated(x, dx))[0]
        reverse(Const(g), Duplicated(x, dx), 1.0, tape)
        return dx

    return run(x)


WAYS = {
    "reverse": lambda f, x: autodiff(exact(Reverse), f, Active, Duplicated(x, make_zero(x))),
    "with primal": lambda f, x: autodiff(
        exact(ReverseWithPrimal), f, Active, Duplicated(x, make_zero(x))
    ),
    "forward": lambda f, x: autodiff(exact(Forward), f, Duplicated(x, np.ones_like(x))),
    "forward with primal": lambda f, x: autodiff(
        exact(ForwardWithPrimal), f, Duplicated(x, np.ones_like(x))
    ),
    "batch": lambda f, x: autodiff(
        exact(Forward), f, BatchDuplicated(x, (np.ones_like(x), np.eye(x.size)[0].copy()))
    ),
    "batch reverse": lambda f, x: autodiff(
        exact(Reverse), f, Active, BatchDuplicated(x, (make_zero(x), make_zero(x)))
    ),
    "split": split,
    "jitted": in_jitted_code,
    "jitted split": split_in_jitted_code,
}


@pytest.mark.parametrize("f", PROGRAMS, ids=NAMES)
@pytest.mark.parametrize("way", WAYS)
def test_line_of_the_first_nan(way, f):
    with pytest.raises(EnzymeNaNError) as caught:
        WAYS[way](f, BAD.copy())
    assert isinstance(caught.value, FloatingPointError)
    assert caught.value.where.line == line_of(f), caught.value


@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_raised_where_all_is_finite(way):
    """Also after an error, and after an exception of the function itself."""
    f = quotient
    WAYS[way](f, GOOD)
    with pytest.raises(EnzymeNaNError):
        WAYS[way](f, BAD)
    WAYS[way](f, GOOD)


def raises(x):
    if x[0] > 5.0:
        raise ValueError("large")
    return np.divide(x[1], x[1])


def test_exceptions_of_the_function_come_as_they_are():
    mode = exact(Forward)
    with pytest.raises(ValueError, match="large"):
        autodiff(mode, raises, Duplicated(np.array([6.0, 0.0]), np.ones(2)))
    autodiff(mode, raises, Duplicated(np.array([1.0, 1.0]), np.ones(2)))


SUGAR = {
    "grad": lambda f, x: grad(f)(x),
    "grad forward": lambda f, x: grad(f, mode="forward")(x),
    "value_and_grad": lambda f, x: value_and_grad(f)(x),
    "jacfwd": lambda f, x: jacfwd(f)(x),
    "jacrev": lambda f, x: jacrev(f)(x),
    "jvp": lambda f, x: jvp(f, (x,), (np.ones_like(x),)),
    "vjp": lambda f, x: vjp(f, x)[1](1.0),
    "hessian": lambda f, x: hessian(f)(x),
    "gradient": lambda f, x: enzyme.api.gradient(Reverse, f, x),
    "jacobian": lambda f, x: enzyme.api.jacobian(Forward, f, x),
}


@pytest.mark.parametrize("name", SUGAR)
def test_switch_for_all_modes(name):
    run = SUGAR[name]
    run(quotient, BAD)
    enzyme.api.set_check_nan(True)
    try:
        with pytest.raises(EnzymeNaNError):
            run(quotient, BAD)
        run(np.sum, GOOD)
    finally:
        enzyme.api.set_check_nan(False)
    assert not enzyme.api.check_nan()
    run(quotient, BAD)


def test_modes_say_it_by_themselves():
    assert clear_check_nan(set_check_nan(Reverse)) == Reverse
    assert set_check_nan(Forward, set_check_nan(Reverse)).check_nan


@pytest.mark.parametrize("switch", ["strong_zero", "fast_adjoints"])
def test_other_switches(switch):
    """They do what the modifier of modes does."""
    set_, ask = (getattr(enzyme.api, name) for name in (f"set_{switch}", switch))
    x = np.array([np.inf, 1.0])

    def f(x, y):
        return (x * y).sum() * 0.0

    def value():
        return autodiff(Forward, f, Const(x), Duplicated(np.ones(2), np.array([0.0, 1.0])))[0]

    assert math.isnan(value())
    before = ask()
    set_(not before)
    try:
        assert ask() is not before
        assert math.isnan(value()) is (switch != "strong_zero")
    finally:
        set_(before)
    assert math.isnan(value())


@njit
def without_slope(x):
    return x


er.easy_rule(without_slope, (lambda omega, x: np.nan,))


def ruled(x):
    y = without_slope(x)
    return y * 2.0  # the line of what uses it


def test_nan_out_of_a_rule():
    for mode, *args in ((Forward, Duplicated(1.0, 1.0)), (Reverse, Active, Active(1.0))):
        try:
            result = autodiff(set_check_nan(mode), ruled, *args)
        except EnzymeError as error:
            assert isinstance(error, EnzymeNaNError)
        else:
            assert np.isnan(np.ravel(result)).any()  # it went straight to the caller


def guarded(x):
    return np.divide(x[0], x[1]) * x[0] if x[1] != 0 else x[0]


@pytest.mark.parametrize("way", WAYS)
def test_what_is_computed_and_thrown_away(way):
    """A branch that LLVM flattens computes both values; the one that the program does not want may be anything."""
    WAYS[way](guarded, np.array([0.0, 0.0]))
    with pytest.raises(EnzymeNaNError):
        WAYS[way](guarded, np.array([np.nan, 1.0]))
