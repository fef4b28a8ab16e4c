"""Scalar products and norms of what is computed on the spot: numba's values and errors, and derivatives by law."""

from __future__ import annotations

from itertools import product

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
    autodiff,
    compile_report,
    gradient,
    hvp,
)
from tests.arrays.law import assert_law, branches

# Each computes one number `s` from vectors `a`, `b` and a matrix `m` of as many columns.
pytestmark = [
    pytest.mark.filterwarnings("ignore::numba.NumbaPerformanceWarning"),
    pytest.mark.rotating(3),
]

PRODUCTS = {
    "dot": "s = np.dot({0}, {1})",
    "vdot": "s = np.vdot({0}, {1})",
    "operator": "s = ({0}) @ ({1})",
    "method": "s = ({0}).dot({1})",
}
FACTORS = {
    "one": ("a - b", "b"),
    "other": ("a", "b + b"),
    "both": ("a * b", "np.sin(a) + b"),
    "nested": ("np.exp(a - b) - b", "np.where(a > 0.2, a, b)"),
    "rows": ("m[1] - a", "m[0]"),
    "columns": ("m[:, 1] + m[:, 2]", "m[:, 0]"),
    "backwards": ("a[::-1] + b", "b[::-1]"),
    "stretched": ("a + b[:1]", "b"),
    "parts": ("a[2:] - a[:-2]", "b[1:-1]"),
}
NAMED = {
    "twice": "d = a - b; s = np.dot(d, d)",
    "twice, by method": "d = m[2] - a; s = d.dot(d)",
    "two names": "d = a - b; e = d + d; s = d @ e",
    "again": "d = a - b; s = np.dot(d, d); s += d[0]",
    "out": "q = np.zeros_like(m); e = q + q + a; np.dot(m, m, q); s = np.sum(e * a) + q[0, 1]",
    "changed": "d = a - b; e = d + a; d[1] = a[0]; s = np.dot(d, e)",
    "other memory": "d = a - b; a[1] = b[2] * b[1]; s = np.dot(d, a)",
    "in a loop": "\n".join(
        ("s = 0.0", "for i in range(len(m)):", "    d = m[i] - a", "    s += np.dot(d, d) ** 2")
    ),
    "norm": "s = np.linalg.norm(a - b)",
    "norm, named": "d = m[1] / b; s = np.linalg.norm(d) * a[0]",
    "norm of a matrix": "s = np.linalg.norm(m - a)",
    "norm of a matrix's other side": "s = np.linalg.norm(m.T + m.T)",
    "norms of rows": "\n".join(
        (
            "s = 0.0",
            "for i in range(len(m)):",
            "    for j in range(i):",
            "        s += np.exp(-np.linalg.norm(m[i] - m[j]))",
        )
    ),
}
SHORT = (
    {f"{form}, {name}": text.format(*pair)}
    for (form, text), (name, pair) in product(PRODUCTS.items(), FACTORS.items())
)
TABLE = {name: text for part in SHORT for name, text in part.items()} | NAMED
NAMES = list(TABLE)
SIZE = 16
GROUPS = [NAMES[k : k + SIZE] for k in range(0, len(NAMES), SIZE)]


def inputs(dtype, size=5):
    draw = np.random.default_rng(size)
    a, b = draw.normal(size=(2, size)).astype(dtype)
    return a, b, draw.normal(size=(size, size)).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("group", range(len(GROUPS)))
def test_values_and_derivatives(group, dtype):
    texts = [TABLE[name] for name in GROUPS[group]]
    f = branches(f"products {group}", texts, ("a", "b", "m"))
    for which, name in enumerate(GROUPS[group]):
        assert_law(f, which, inputs(dtype), name)


@njit
def with_one(a, b):
    return np.dot(a * 2.0, b)


@njit
def with_operator(a, b):
    return (a * 2.0) @ b


@njit
def by_method(a, b):
    d = a * 2.0
    return d.dot(b)


@njit
def plain_vdot(a, b):
    return np.vdot(a + 1.0, b)


@pytest.mark.parametrize("f", [with_one, with_operator, by_method, plain_vdot])
@pytest.mark.parametrize("sizes", [(3, 4), (1, 4), (4, 1), (0, 1)])
def test_lengths_that_differ(f, sizes):
    """Also where one of them is one: a vector is not stretched in a product."""
    a, b = map(np.ones, sizes)
    with pytest.raises(ValueError, match="incompatible array sizes") as expected:
        f(a, b)
    with pytest.raises(ValueError, match="incompatible array sizes") as found:
        autodiff(Forward, f, Duplicated(a, a.copy()), Duplicated(b, b.copy()))
    assert str(found.value) == str(expected.value)


@njit
def length(a, b):
    return np.linalg.norm(a - b)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_norms_over_the_whole_range(dtype):
    exponents = np.finfo(dtype).minexp - 20, np.finfo(dtype).maxexp - 2
    for exponent in range(*exponents, 7):
        a = np.ldexp(np.array([3.0, 0.0, -4.0], dtype), exponent).astype(dtype)
        b = np.zeros_like(a)
        slope, value = autodiff(
            ForwardWithPrimal,
            length,
            Duplicated(a, np.array([1.0, 2.0, 3.0], dtype)),
            Const(b),
        )
        shadow = np.zeros_like(a)
        autodiff(Reverse, length, Active, Duplicated(a, shadow), Const(b))
        expected = 5.0 * 2.0**exponent if exponent > -1074 else 0.0
        np.testing.assert_allclose(value, expected, rtol=1e-6)
        if np.all(np.abs(a[[0, 2]]) >= np.finfo(dtype).tiny):
            np.testing.assert_allclose(shadow, [0.6, 0.0, -0.8], rtol=1e-6)
            np.testing.assert_allclose(slope, -1.8, rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_norms_of_zeros_and_of_what_is_not_finite(dtype):
    for size in (0, 1, 3):
        a, shadow = np.zeros(size, dtype), np.zeros(size, dtype)
        slope, value = autodiff(
            ForwardWithPrimal, length, Duplicated(a, np.ones(size, dtype)), Const(a.copy())
        )
        autodiff(Reverse, length, Active, Duplicated(a, shadow), Const(a.copy()))
        assert value == 0.0
        assert slope == 0.0
        assert not shadow.any()
    for special in (np.inf, -np.inf, np.nan):
        a, zero, shadow = (
            np.array([1.0, special, 2.0], dtype),
            np.zeros(3, dtype),
            np.ones(3, dtype),
        )
        slope, value = autodiff(ForwardWithPrimal, length, Duplicated(a, a.copy()), Const(zero))
        autodiff(Reverse, length, Active, Duplicated(a, shadow), Const(zero))
        np.testing.assert_equal(value, length(a, zero))
        assert np.isnan(slope)
        assert np.isnan(shadow[1])
        assert np.isnan(shadow).all() or not np.isnan(special)


@njit
def repulsion(x):
    s = 0.0
    for i in range(len(x)):
        for j in range(i):
            d = x[i] - x[j]
            s += np.exp(-np.dot(d, d)) + 1.0 / np.linalg.norm(x[i] - 2.0 * x[j])
    return s


def test_second_derivatives():
    x, v = np.random.default_rng(3).normal(size=(2, 4, 3))
    found = hvp(repulsion, x, v)
    step = 1e-5
    up, down = (gradient(Reverse, repulsion, x + sign * step * v) for sign in (1.0, -1.0))
    np.testing.assert_allclose(found, (up - down) / (2 * step), rtol=1e-6, atol=1e-7)


@njit
def energy(x):
    s = 0.0
    for i in range(len(x)):
        for j in range(i):
            d = x[i] - x[j]
            s += np.exp(-np.dot(d, d))
    return s


def test_no_array_is_made():
    x = np.ones((4, 3))
    report = compile_report(energy, Reverse, Active, Duplicated(x, np.zeros_like(x)))
    assert "alloc" not in report["ir"]["before"].split("declare", 1)[0]


@pytest.mark.parametrize("step", [1, 3])
def test_sums_of_many_floats(step):
    """Also where they are added one by one, they are as near as those of BLAS."""
    x, w = (np.full(300_000, number, np.float32)[::step] for number in (1.1, 0.9))
    u, zero = (np.full(300_000, number, np.float32)[::step] for number in (1.0, 0.0))
    slope, value = autodiff(ForwardWithPrimal, dot, Duplicated(x, u), Duplicated(w, zero))
    np.testing.assert_allclose(value, x.astype(float) @ w.astype(float), rtol=2e-7)
    np.testing.assert_allclose(slope, w.astype(float).sum(), rtol=2e-7)


@njit
def dot(a, b):
    return np.dot(a, b)


@njit
def squared_length(a):
    return np.linalg.norm(a) ** 2


@pytest.mark.parametrize("exponent", [-500, -485, -200, 0, 200, 500])
def test_products_with_norms_that_are_far_from_one(exponent):
    x = np.ldexp(np.array([1.0, -2.0, 2.0]), exponent)
    shadow = np.zeros(3)
    autodiff(Reverse, squared_length, Active, Duplicated(x, shadow))
    np.testing.assert_allclose(shadow, 2.0 * x, rtol=1e-14)
