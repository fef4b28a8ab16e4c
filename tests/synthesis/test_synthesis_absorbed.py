"""Infinities that a program absorbs have no derivative; those that reach its result need no guard."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    Const,
    Duplicated,
    Reverse,
    ReverseSplitNoPrimal,
    autodiff,
    autodiff_thunk,
    typeof,
    vjp,
)

from .test_synthesis_guards import guards_of

pytestmark = pytest.mark.rotating(27)

# What is infinite at the point, and the sign of it.
SOURCES = {
    "1.0 / x[0]": (0.0, 1),
    "-1.0 / (x[0] * x[0])": (0.0, -1),
    "math.log(x[0])": (0.0, -1),
    "math.exp(x[0])": (800.0, 1),
    "math.sinh(x[0])": (-800.0, -1),
    "x[0] ** -2.0": (0.0, 1),
    "(x[1] + x[1]) / x[0] / x[0]": (0.0, 1),
}
# Ways in which it gets lost, and what comes of either sign of it.
WAYS = {
    "r = math.exp(-abs(v))": (0.0, 0.0),
    "r = 1.0 / (1.0 + v * v)": (0.0, 0.0),
    "r = 2.0 / (v - 1.0)": (0.0, 0.0),
    "r = math.atan(v)": (math.pi / 2, -math.pi / 2),
    "r = math.tanh(3.0 * v)": (1.0, -1.0),
    "r = math.erf(v)": (1.0, -1.0),
    "r = max(min(v, 5.0), -7.0)": (5.0, -7.0),
    "r = v if abs(v) < 9.0 else 4.0": (4.0, 4.0),
    "r = 4.0\n    if abs(v) < 9.0:\n        r = v + v": (4.0, 4.0),
    "r = np.where(np.isinf(v), 4.0, v * v)": (4.0, 4.0),
    "a = np.zeros(2)\n    a[0] = v\n    a[1] = x[1]\n    r = a[1]": (0.7, 0.7),
    "r = 0.0\n    for k in range(3):\n        if abs(v) > 9.0:\n            break\n        r += v": (
        0,
        0,
    ),
    "r = 0.0\n    for k in range(3):\n        r += math.exp(-abs(v + k))": (0.0, 0.0),
    "t = 0.0\n    for k in range(3):\n        t += v * (k + 1)\n    r = 1.0 / t": (0.0, 0.0),
    "r = 1.0 if v > 1.0 else 0.0": (1.0, 0.0),
    "r = math.pow(0.5, abs(v))": (0.0, 0.0),
    "if abs(v) > 9.0:\n        return x[1] * x[1]\n    r = v": (0.0, 0.0),
}


def function(lines, result="return r * x[1] + x[1] * x[1]"):
    scope = {"math": math, "np": np}
    exec(f"def f(x):\n    {lines}\n    {result}\n", scope)
    return njit(error_model="numpy")(scope["f"])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("source", SOURCES)
def test_what_is_absorbed_has_no_derivative(source, way):
    at, sign = SOURCES[source]
    x = np.array([at, 0.7])
    f = function(f"v = {source}\n    {way}")
    left = WAYS[way][0 if sign > 0 else 1]
    assert f(x) == pytest.approx(left * 0.7 + 0.49, rel=1e-15)
    dx = np.zeros(2)
    autodiff(Reverse, f, Active, Duplicated(x, dx))
    # What comes of it is constant, except where x[1] itself is what is left.
    again = 0.7 if "a[1]" in way else 0.0
    np.testing.assert_allclose(dx, [0.0, left + 1.4 + again], rtol=1e-14)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(
    "result",
    [
        "y[0] = v\n    y[1] = x[1]",
        "y[1] = x[1] * x[1]\n    y[0] = v * x[1]",
        "for k in range(2):\n        y[k] = v if k == 0 else x[1]",
    ],
)
def test_of_several_results_one_may_be_infinite(source, result):
    """The derivative of the other one does not know of it."""
    scope = {"math": math}
    exec(f"def f(y, x):\n    v = {source}\n    {result}\n", scope)
    f = njit(error_model="numpy")(scope["f"])
    x, y = np.array([SOURCES[source][0], 0.7]), np.zeros(2)
    dx, dy = np.zeros(2), np.array([0.0, 1.0])
    autodiff(Reverse, f, Duplicated(y, dy), Duplicated(x, dx))
    np.testing.assert_allclose(dx, [0.0, 1.4 if "x[1] * x[1]" in result else 1.0], rtol=1e-14)


# Where it makes the result infinite.
THROUGH = {
    "r = v": True,
    "r = 3.0 - v * x[1]": True,
    "r = math.sqrt(1.0 + v * v)": True,
    "r = math.log(1.0 + v * v)": True,
    "r = v / (1.0 + x[1] * x[1])": True,
    "r = abs(v) * math.sin(v)": True,
    "r = v\n    for k in range(len(x)):\n        r += x[k] * x[k] / x[1]": True,
    "r = 0.0\n    for k in range(2):\n        r += math.sin(v) if k else math.cos(v)": True,
    # The loop may be empty.
    "r = 0.0\n    for k in range(len(x)):\n        r += v * x[k]": False,
    "r = math.exp(v)": False,
    "r = x[1] / v": False,
    "r = v if v < 3.0 else 2.0": False,
}


@pytest.mark.parametrize("way", THROUGH)
def test_what_reaches_the_result_is_not_guarded(way):
    f = function(f"v = x[0] / x[1]\n    {way}", "return r")
    x, step = np.array([0.4, 0.7]), 1e-6
    assert (guards_of(f, x) == 0) is THROUGH[way]
    dx = np.zeros(2)
    autodiff(Reverse, f, Active, Duplicated(x, dx))
    expected = [(f(x + u) - f(x - u)) / (2 * step) for u in np.eye(2) * step]
    np.testing.assert_allclose(dx, expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("source", SOURCES)
def test_a_cotangent_leaves_out_infinite_results(source):
    """`vjp` multiplies the results with it, which is NaN then, and split mode is seeded with it."""
    at, _ = SOURCES[source]
    x, expected = np.array([at, 0.7]), [0.0, 1.4]
    both = function(f"v = {source}", "return v, x[1] * x[1]")
    arrays = function(f"v = {source}", "return np.array([v, x[1] * x[1]])")
    np.testing.assert_array_equal(vjp(both, x)[1]((0.0, 1.0))[0], expected)
    np.testing.assert_array_equal(vjp(arrays, x)[1](np.array([0.0, 1.0]))[0], expected)
    single = function(f"v = {source}", "return v")
    forward, reverse = autodiff_thunk(
        ReverseSplitNoPrimal, Const[typeof(single)], Active, Duplicated[typeof(x)]
    )
    dx = np.zeros(2)
    tape, *_ = forward(Const(single), Duplicated(x, dx))
    reverse(Const(single), Duplicated(x, dx), 0.0, tape)
    np.testing.assert_array_equal(dx, 0.0)
