"""Calls with derivatives by rule that raise an exception, which somebody catches: they have no derivatives."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

import enzyme_rules
from enzyme import (
    Active,
    Const,
    Duplicated,
    Reverse,
    autodiff,
    conjugate_gradients,
    grad,
    jvp,
    linear_solve,
)

pytestmark = pytest.mark.rotating(4)

solve_by_rule = linear_solve()
solve_by_gradients = conjugate_gradients(lambda x, a: a @ x)


@njit
def positive(x):
    if x[0] < 0:
        raise ValueError("negative")
    return (x * x).sum()


@enzyme_rules.augmented_primal(positive)
def _(config, func, result, x):
    return enzyme_rules.AugmentedReturn(func.val(x.val), None, x.val.copy())


@enzyme_rules.reverse(positive)
def _(config, func, result, tape, x):
    x.dval[:] += 2 * tape * result.val + 1000.0 * (result.val == 0.0)
    return (None,)


BAD = {
    "negative": -np.eye(3) + 0.1,
    "singular": np.ones((3, 3)),
    "no number": np.full((3, 3), np.nan),
}
FAILING = {
    "cholesky": ("np.linalg.cholesky(a)[1, 0]", "negative"),
    "inv": ("np.linalg.inv(a)[0, 1]", "singular"),
    "solve": ("np.linalg.solve(a, a[0])[1]", "singular"),
    "svd": ("np.linalg.svd(a)[1][0]", "no number"),
    "qr": ("np.linalg.qr(a)[1][0, 1]", "no number"),
    "eigvals": ("np.linalg.eigvals(a).real.sum()", "no number"),
    "eigh": ("np.linalg.eigh(a)[0][1]", "no number"),
    "pinv": ("np.linalg.pinv(a)[1, 0]", "no number"),
    "norm": ("np.linalg.norm(a, 2)", "no number"),
    "linear_solve": ("solve_by_rule(a, a[0])[1]", "singular"),
    "conjugate_gradients": ("solve_by_gradients(a[0].copy(), a)[1]", "negative"),
    "a rule": ("positive(a[0])", "negative"),
    "a rule, after another": ("positive(np.linalg.inv(a)[0])", "singular"),
}


def in_function(call, given="a[k]"):
    """What fails is called in a function of its own; numbers go on being computed after it is caught."""
    scope = {**globals()}
    exec(
        f"@njit\ndef called(a):\n    return {call}\n"
        "@njit\ndef f(a, c):\n    s = 1.0\n    for k in range(len(a)):\n        try:\n"
        f"            s += called({given}) * s\n"
        "        except Exception:\n            s *= 7.0 * c\n    return s\n",
        scope,
    )
    return scope["f"]


@pytest.mark.parametrize("name", FAILING)
def test_what_failed_has_no_derivative(name):
    call, bad = FAILING[name]
    f = in_function(call)
    a = BAD[bad][None]
    by_matrix, by_number = grad(f, argnums=(0, 1))(a, 1.5)
    np.testing.assert_array_equal(by_matrix, np.zeros_like(a))
    assert by_number == 7.0


@pytest.mark.parametrize("name", ["cholesky", "inv", "linear_solve", "a rule"])
def test_calls_that_fail_beside_others(name):
    call, bad = FAILING[name]
    f = in_function(call, "a[k] * c")
    good = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 1.1]])
    a = np.stack([good, BAD[bad], 2 * good, BAD[bad]])
    rng = np.random.default_rng(1)
    v = rng.standard_normal(a.shape)
    v += v.transpose(0, 2, 1)
    v[1::2] = 0.0  # others might not fail
    by_matrix, by_number = grad(f, argnums=(0, 1))(a, 1.5)
    h = 1e-6
    difference = (f(a[:1], 1.5 + h) - f(a[:1], 1.5 - h)) / (2 * h)
    assert grad(f, argnums=1)(a[:1], 1.5) == pytest.approx(difference, rel=1e-6)
    expected = 0.0
    for x, w in ((a[::2], v[::2]), (a, v)):  # with those that fail s is only multiplied
        expected = (f(x + h * w, 1.5) - f(x - h * w, 1.5)) / (2 * h)
        found = grad(f)(x, 1.5)
        assert (found * w).sum() == pytest.approx(expected, rel=1e-6)
    np.testing.assert_array_equal(by_matrix[1::2], 0.0)
    if name != "a rule":  # it has no forward rule
        assert (by_matrix * v).sum() + by_number == pytest.approx(
            jvp(f, (a, 1.5), (v, 1.0))[1], rel=1e-12
        )


def test_second_derivatives_beside_failures():
    f = in_function("np.linalg.cholesky(a)[0, 0]", "a[k] * c")
    a = np.stack([np.eye(2), -np.eye(2), 2 * np.eye(2)])

    @njit
    def slope(c, a):
        return autodiff(Reverse, f, Active, Const(a), Active(c))[0][1]

    h = 1e-5
    expected = (slope(1.5 + h, a) - slope(1.5 - h, a)) / (2 * h)
    assert grad(slope)(1.5, a) == pytest.approx(expected, rel=1e-8)
    assert jvp(slope, (1.5, a), (1.0, np.zeros_like(a)))[1] == pytest.approx(expected, rel=1e-8)
    da = np.zeros_like(a)
    autodiff(Reverse, slope, Active, Active(1.5), Duplicated(a, da))
    np.testing.assert_array_equal(da[1], 0.0)


def test_what_was_assigned_before_a_failure_stays():
    @njit
    def f(x, n):
        y = x.copy()
        s = 0.0
        for i in range(n):
            try:
                factor = np.linalg.cholesky(y + np.eye(2) * (1.0 - i))
                y = factor + y * 0.3
                s += y[0, 1]
            except Exception:
                s += y[0, 0] ** 3
                y = y * 0.5 + x
        return s

    x, v = np.array([[1.2, 0.3], [0.3, 1.5]]), np.array([[0.4, -0.7], [-0.7, 1.1]])
    h = 1e-6
    for n in (1, 2, 4):
        expected = (f(x + h * v, n) - f(x - h * v, n)) / (2 * h)
        assert (grad(f)(x, n) * v).sum() == pytest.approx(expected, rel=1e-7)
        assert jvp(f, (x, n), (v, None))[1] == pytest.approx(expected, rel=1e-7)
