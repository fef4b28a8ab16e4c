"""Values, first and second derivatives of real functions where numba's code singles out points."""

from __future__ import annotations

import functools
import math
import os

import mpmath as mp
import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    ForwardWithPrimal,
    Reverse,
    ReverseWithPrimal,
    autodiff,
)

from .points import NODES, REAL, VALUES, power, source

pytestmark = pytest.mark.rotating(27)

# Functions of one program; analyses of derivatives of derivatives cost more than in proportion to its length.
TOGETHER = 5


def sorts(expression):
    """Is most of it a sort, which takes long to differentiate twice? It is in a program of its own."""
    return "percentile" in expression


_plain = [expression for expression in REAL if not sorts(expression)]
GROUPS = [_plain[k : k + TOGETHER] for k in range(0, len(_plain), TOGETHER)]
GROUPS += [[expression] for expression in REAL if sorts(expression)]


@functools.cache
def program(number):
    """Some of the functions, chosen by a number; the gradient along a direction, and the first derivative."""
    some = GROUPS[number]
    names = {"np": np, "nodes": np.array(NODES), "values": np.array(VALUES)}
    exec(source(some, "x", "y"), names)
    chosen = njit(names["chosen"])

    @njit
    def by_reverse(k, x, y, u, v):
        _, dx, dy = autodiff(Reverse, chosen, Active, Const(k), Active(x), Active(y))[0]
        return u * dx + v * dy

    @njit
    def by_forward(k, x, y):
        return autodiff(Forward, chosen, Const(k), Duplicated(x, 1.0), Const(y))[0]

    return chosen, by_reverse, by_forward


def placed(expression):
    """The programs with a function, and its number there."""
    number = next(n for n, some in enumerate(GROUPS) if expression in some)
    return *program(number), GROUPS[number].index(expression)


def second_derivatives(expression, x, y):
    """The Hessian by forward over reverse, its first row by reverse over forward."""
    _, by_reverse, by_forward, k = placed(expression)
    rows = [
        autodiff(
            Forward,
            by_reverse,
            Const(k),
            Duplicated(x, a),
            Duplicated(y, b),
            Const(1.0 - v),
            Const(v),
        )[0]
        for a, b, v in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 1.0, 1.0))
    ]
    return rows, autodiff(Reverse, by_forward, Active, Const(k), Active(x), Active(y))[0][1:]


def close(found, expected, scale):
    expected = float(expected)
    return abs(found - expected) <= 1e-13 * max(abs(expected), scale)


@pytest.mark.parametrize("expression", REAL)
def test_derivatives_at_and_beside_special_points(expression):
    chosen, _, _, k = placed(expression)
    around, points = REAL[expression]
    with mp.workdps(60):
        for x, y in points:
            function, place = around(x, y), (mp.mpf(x), mp.mpf(y))
            first = [
                mp.diff(function, place, order, h=mp.mpf(10) ** -20) for order in ((1, 0), (0, 1))
            ]
            orders = (2, 0), (1, 1), (0, 2)
            second = [mp.diff(function, place, order, h=mp.mpf(10) ** -15) for order in orders]
            (_, *gradient), value = autodiff(
                ReverseWithPrimal, chosen, Active, Const(k), Active(x), Active(y)
            )
            assert value == chosen(k, x, y), (x, y)
            along, again = autodiff(
                ForwardWithPrimal, chosen, Const(k), Duplicated(x, 1.0), Duplicated(y, 1.0)
            )
            assert again == value, (x, y)
            size = max(1.0, abs(value))
            assert all(map(close, gradient, first, (size, size))), (x, y, gradient, first)
            assert close(along, sum(first), 2 * size), (x, y, along, first)
            if (around is power and x == 0.0) or (
                sorts(expression) and "EXHAUSTIVE" not in os.environ
            ):
                continue
            hessian, row = second_derivatives(expression, x, y)
            size = max(10.0, *map(abs, map(float, second)))
            assert all(map(close, hessian, second, [size] * 3)), (x, y, hessian, second)
            assert all(map(close, row, second[:2], [size] * 2)), (x, y, row, second)


@pytest.mark.parametrize("exponent", [0.0, 1.0, 2.0, 3.0])
def test_second_derivative_of_a_power_at_zero(exponent):
    (at_zero, _, _), (again, _) = second_derivatives("x ** y", 0.0, exponent)
    assert at_zero == again == (2.0 if exponent == 2.0 else 0.0)


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        (-math.inf, -math.inf, (0.5, 0.5)),
        (math.inf, math.inf, (0.5, 0.5)),
        (-math.inf, 1.0, (0.0, 1.0)),
        (1.0, -math.inf, (1.0, 0.0)),
    ],
)
@pytest.mark.parametrize("function", ["logaddexp", "logaddexp2"])
def test_sum_of_exponentials_at_infinity(function, x, y, expected):
    chosen, _, _, k = placed(f"np.{function}(x, y)")
    assert autodiff(Reverse, chosen, Active, Const(k), Active(x), Active(y))[0][1:] == expected


SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.3, 2.5, -2.5, 1e-310, -1e-20, 1e17, 1e308, math.inf, -math.inf]


@pytest.mark.parametrize("expression", REAL)
def test_values_are_numbas_bit_for_bit(expression):
    chosen, _, _, k = placed(expression)
    for x in (*SPECIAL, math.nan):
        for y in (*SPECIAL, math.nan):
            try:
                expected = chosen(k, x, y)
            except (ZeroDivisionError, ValueError) as error:
                with pytest.raises(type(error)):
                    autodiff(ForwardWithPrimal, chosen, Const(k), Duplicated(x, 1.0), Const(y))
                continue
            _, value = autodiff(
                ForwardWithPrimal, chosen, Const(k), Duplicated(x, 1.0), Duplicated(y, 1.0)
            )
            same = np.float64(value).tobytes() == np.float64(expected).tobytes()
            assert same or (math.isnan(value) and math.isnan(expected)), (x, y, value, expected)
