"""Derivatives of derivatives, rules in rules, and recursion."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    Reverse,
    autodiff,
    grad,
    hessian,
    jacfwd,
    jacrev,
)
from enzyme_rules import CONSTANT, easy_rule, forward
from tests.rules.wrong import squared_with_reverse

pytestmark = pytest.mark.rotating(14)


def test_rules_are_differentiated():
    """The second derivative is that of what the rules do, right or wrong."""
    f = squared_with_reverse()

    @njit
    def slope(x):
        return autodiff(Reverse, f, Active, Active(x))[0][0]

    assert slope(3.0) == 106.0
    assert autodiff(Forward, slope, Duplicated(3.0, 1.0)) == (2.0,)
    assert autodiff(Reverse, slope, Active, Active(3.0)) == ((2.0,),)


@pytest.mark.parametrize("mode", [Forward, Reverse])
def test_functions_with_rules_in_rules(mode):
    """They count where the rule itself is differentiated, and not before."""

    @njit
    def g(x):
        return 2.0 * x

    easy_rule(g, (lambda omega, x: 50.0,))

    @njit
    def f(x):
        return x * x

    easy_rule(f, (lambda omega, x: g(x),))

    @njit
    def slope(x):
        if mode is Forward:
            return autodiff(Forward, f, Duplicated(x, 1.0))[0]
        return autodiff(Reverse, f, Active, Active(x))[0][0]

    assert slope(3.0) == 6.0
    assert autodiff(Forward, slope, Duplicated(3.0, 1.0)) == (50.0,)
    assert autodiff(Reverse, slope, Active, Active(3.0)) == ((50.0,),)


def test_rules_that_call_their_function():
    """A recursion by way of the rule ends: the function's own code runs there."""

    @njit
    def f(x, n):
        return x if n == 0 else x * f(x, n - 1)

    @forward(f)
    def tangent(config, func, RT, x, n: Const):
        d = 100.0 * (n.val + 1) * x.dval
        return Duplicated(func.val(x.val, n.val), d) if config.needs_primal else d

    def h(x, n):
        return f(x, n) * 2.0

    assert autodiff(Forward, h, Duplicated(2.0, 1.0), Const(3)) == (800.0,)


@pytest.mark.parametrize("ahead", [True, False])
def test_recursive_functions_with_rules(ahead):
    """The call from outside is what the rule stands for; those inside are part of the primal."""

    @njit
    def f(x, n):
        return x if n == 0 else x * f(x, n - 1)

    easy_rule(f, (lambda omega, x, n: (n + 1) * omega / x, CONSTANT))
    if ahead:
        assert autodiff(Forward, f, Duplicated(2.0, 1.0), Const(3)) == (32.0,)
    else:
        assert autodiff(Reverse, f, Active, Active(2.0), Const(3)) == ((32.0, None),)


@njit
def turned(v, c):
    return np.array([v[0] * c - v[1], v[0] * v[1] * c])


@njit
def turned_by_rule(v, c):
    return np.array([v[0] * c - v[1], v[0] * v[1] * c])


easy_rule(
    turned_by_rule,
    (
        lambda result, v, c: np.array([[c, -1.0], [v[1] * c, v[0] * c]]),
        lambda result, v, c: np.array([v[0], v[0] * v[1]]),
    ),
)


@pytest.mark.parametrize("twice", [lambda f: jacfwd(jacfwd(f)), lambda f: jacrev(grad(f)), hessian])
def test_arguments_that_are_views_or_results(twice):
    """The program of the outer derivative has functions of the inner rules; those of its own have other names."""

    def function_of(g):
        def f(x):
            v = x[:2]
            for _ in range(3):
                v = g(v, x[2])
                x[2] *= 0.9
            return v[0] * v[1]

        return f

    x = np.array([0.7, 1.3, 2.1])
    expected = hessian(function_of(turned))(x)
    np.testing.assert_allclose(twice(function_of(turned_by_rule))(x), expected, rtol=1e-12)
