"""Which products are guarded against zero times infinity, and what that changes."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Const, Duplicated, Reverse, autodiff, set_strong_zero
from enzyme.api.reflection import enzyme_code_llvm

POINT = np.array([0.7, 1.3])


def gradient_of(f, x, *constants):
    dx = np.zeros_like(x)
    autodiff(Reverse, f, Active, Duplicated(x, dx), *map(Const, constants))
    return dx


def guards_of(f, x, *constants):
    """How often the derivative asks whether a number is zero."""
    arguments = (Duplicated(x, np.zeros_like(x)), *map(Const, constants))
    text = enzyme_code_llvm(f, Active, arguments)
    return len(re.findall(r"fcmp (?:oeq double %\S+, 0\.0|olt double %\S+, 4\.94)", text))


# What no round of a loop takes over is undefined, infinite, or as it always is.
LAST = {
    "t / (n - 1.0 - k)": True,
    "t * math.log(n - 1.0 - k)": True,
    "t * math.sqrt(n - 1.5 - k) * t * x[1]": True,
    "t * x[1] / (n - 1.0 - k) * x[0]": True,
    "(t / (n - 1.0 - k) - 1.0 / (n - 1.0 - k)) * x[1] * t": True,
    "t * x[1] * (2.0 - t)": False,
    "t / n * x[0]": False,
}


def loop_with(expression):
    scope = {"math": math}
    source = (
        "def f(x, n):\n    t, total = x[0], 0.0\n    for k in range(n):\n"
        f"        total += t\n        t = {expression}\n    return total\n"
    )
    exec(source, scope)
    return njit(error_model="numpy")(scope["f"])


def differences(f, x, *constants):
    step = 1e-6
    units = np.eye(len(x)) * step
    return np.array([(f(x + u, *constants) - f(x - u, *constants)) / (2 * step) for u in units])


@pytest.mark.parametrize("expression", LAST)
def test_what_the_last_round_computes_for_no_next_one(expression):
    f = loop_with(expression)
    assert np.isfinite(f(POINT, 4))
    np.testing.assert_allclose(gradient_of(f, POINT, 4), differences(f, POINT, 4), rtol=1e-7)
    with_n = loop_with(expression.replace("/ n", "/ 4.0"))
    assert (guards_of(with_n, POINT, 4) > 0) is LAST[expression]


@njit
def chosen_after_the_loop(x, n, wanted):
    """The last value is used where it is wanted: a choice, not the end of a loop."""
    t, total = x[0], 0.0
    for _ in range(n):
        total += t
        t = t * x[1] * 1e200
    return total + t * 1e-200 if wanted else total


def test_a_choice_behind_a_loop_is_a_choice():
    x = np.array([0.5, 2.0])
    assert np.isfinite(chosen_after_the_loop(x, 2, False))
    # t is 5e-1, 1e200 and infinite; the sum has the first two.
    np.testing.assert_allclose(
        gradient_of(chosen_after_the_loop, x, 2, False), [1.0 + 2e200, 0.5e200]
    )


@njit
def chosen_in_a_later_round(x, flags):
    """What a round computes the next one may discard, and the end of the loop does not matter then."""
    t, total = x[0], 0.0
    for flag in flags:
        if flag:
            total += t
        t = t * x[1] * 1e150
    return total


def test_a_choice_in_a_later_round_is_a_choice():
    x, flags = np.array([0.5, 2.0]), np.array([True, True, False, False, False, False])
    np.testing.assert_allclose(gradient_of(chosen_in_a_later_round, x, flags), [2e150, 0.5e150])


# The larger and the smaller of two -----------------------------------------------------------------

EXTREMES = {
    "max(math.log(x[0]), -3.0) + x[1]": (np.array([0.0, 2.0]), [0.0, 1.0]),
    "max(-3.0, math.log(x[0]) * x[1])": (np.array([0.0, 2.0]), [0.0, 0.0]),
    "min(1.0 / x[0], 3.0) * x[1]": (np.array([0.0, 2.0]), [0.0, 3.0]),
    "min(x[1] / x[0] * x[1], 3.0)": (np.array([0.0, 2.0]), [0.0, 0.0]),
    "max(-math.sqrt(x[0]), x[1])": (np.array([0.0, 2.0]), [0.0, 1.0]),
    "np.maximum(np.log(x), -3.0).sum()": (np.array([0.0, 2.0]), [0.0, 0.5]),
    "np.minimum(1.0 / x, 3.0 * x[1]).sum()": (np.array([0.0, 2.0]), [0.0, 3.0 - 0.25]),
    "max(x[0] ** -0.5 * -1.0, x[1])": (np.array([0.0, 2.0]), [0.0, 1.0]),
    "max(x[0] - x[1], 0.0) * x[0]": (np.array([1.0, 2.0]), [0.0, 0.0]),
}


@pytest.mark.parametrize("expression", EXTREMES)
def test_what_is_not_the_extreme_has_no_derivative(expression):
    scope = {"math": math, "np": np}
    exec(f"def f(x):\n    return {expression}\n", scope)
    x, expected = EXTREMES[expression]
    f = njit(error_model="numpy")(scope["f"])
    np.testing.assert_allclose(gradient_of(f, x), expected)


# What needs no guard -------------------------------------------------------------------------------


@njit
def by_a_count(x, n):
    """Numba raises where n is zero."""
    dt = 1.0 / n
    v = x[0]
    for _ in range(n):
        v += dt * x[1] * v * (1.0 - v)
    return v * dt


@njit
def by_a_counter(x, n):
    total = 0.0
    for k in range(1, n):
        total += x[0] / k * x[1]
    return total


@njit
def by_what_is_tested_otherwise(x, n):
    return 0.0 if n == 3 else x[0] / (n - 3) * x[1]


@njit
def by_a_length(x, n):
    mean = x.sum() / len(x)
    return ((x - mean) ** 2).sum() / (len(x) + n) * mean


@njit
def hinges(x, n):
    total = 0.0
    for k in range(n):
        total += max(1.0 - x[0] * x[1] * k, 0.0) + min(x[0] * x[0] * x[1], x[1])
    return total


@pytest.mark.parametrize(
    "f", [by_a_count, by_a_counter, by_what_is_tested_otherwise, by_a_length, hinges]
)
def test_numbers_that_are_finite_whatever_happens_are_not_guarded(f):
    assert guards_of(f, POINT, 5) == 0
    np.testing.assert_allclose(gradient_of(f, POINT, 5), differences(f, POINT, 5), rtol=1e-7)


@njit(error_model="numpy")
def by_a_number(x, n):
    return math.exp(-x[0] * x[1] / n)


def test_a_divisor_that_is_not_tested_is_guarded():
    assert guards_of(by_a_number, POINT, 5) > 0


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_derivative_that_is_barely_not_zero_counts(dtype):
    """At the smallest numbers."""

    @njit
    def scaled(x, c):
        y = x[0] * x[1]
        return y * c

    smallest = np.nextafter(dtype(0.0), dtype(1.0))
    x = np.array([2.0, 3.0], dtype)
    dx = np.zeros_like(x)
    autodiff(set_strong_zero(Reverse), scaled, Active, Duplicated(x, dx), Const(smallest))
    assert list(dx) == [3 * smallest, 2 * smallest]
