"""Scalar products and norms of what is computed on the spot: numba's values and errors, and derivatives by law."""

from __future__ import annotations

import linecache
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

# Each computes one number `s` from vectors `a`, `b` and a matrix `m` of as many columns.
pytestmark = pytest.mark.filterwarnings("ignore::numba.NumbaPerformanceWarning")

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
    "changed": "d = a - b; e = d + a; d[1] = a[0]; s = np.dot(d, e)",
    "other memory": "d = a - b; a[1] = b[2] * b[1]; s = np.dot(d, a)",
    "in a loop": "\n        ".join(
        ("s = 0.0", "for i in range(len(m)):", "    d = m[i] - a", "    s += np.dot(d, d) ** 2")
    ),
    "norm": "s = np.linalg.norm(a - b)",
    "norm, named": "d = m[1] / b; s = np.linalg.norm(d) * a[0]",
    "norm of a matrix": "s = np.linalg.norm(m - a)",
    "norm of a matrix's other side": "s = np.linalg.norm(m.T + m.T)",
    "norms of rows": "\n        ".join(
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


def made(names):
    lines = ["def group(which, a, b, m):", "    s = 0.0"]
    for k, name in enumerate(names):
        lines += [f"    if which == {k}:", *(f"        {TABLE[name]}".split("\n"))]
    text = "\n".join([*lines, "    return s"]) + "\n"
    file = f"<products {names[0]}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope = {"np": np}
    exec(compile(text, file, "exec"), scope)
    return njit(scope["group"])


def inputs(dtype, size=5):
    draw = np.random.default_rng(size)
    a, b = draw.normal(size=(2, size)).astype(dtype)
    return a, b, draw.normal(size=(size, size)).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("group", range(len(GROUPS)))
def test_values_and_derivatives(group, dtype):
    f = made(GROUPS[group])
    tolerance = 1e-12 if dtype is np.float64 else 2e-4
    for k, name in enumerate(GROUPS[group]):
        primals = inputs(dtype)
        expected = f(k, *(x.copy() for x in primals))
        us = [
            np.cos(np.arange(x.size) + 3.0 * j).reshape(x.shape).astype(dtype)
            for j, x in enumerate(primals)
        ]
        slope, value = autodiff(
            ForwardWithPrimal,
            f,
            Const(k),
            *(Duplicated(x.copy(), u.copy()) for x, u in zip(primals, us, strict=True)),
        )
        np.testing.assert_allclose(value, expected, rtol=tolerance, err_msg=name)
        shadows = [np.zeros_like(x) for x in primals]
        autodiff(
            Reverse,
            f,
            Active,
            Const(k),
            *(Duplicated(x.copy(), s) for x, s in zip(primals, shadows, strict=True)),
        )
        found = sum(np.vdot(u, s) for u, s in zip(us, shadows, strict=True))
        np.testing.assert_allclose(found, slope, rtol=tolerance, err_msg=name)
        if dtype is np.float64:
            step = 1e-6
            up, down = (
                f(k, *(x + sign * step * u for x, u in zip(primals, us, strict=True)))
                for sign in (1.0, -1.0)
            )
            np.testing.assert_allclose(slope, (up - down) / (2 * step), 1e-6, 1e-8, err_msg=name)


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
        a = np.array([1.0, special, 2.0], dtype)
        _, value = autodiff(
            ForwardWithPrimal, length, Duplicated(a, a.copy()), Const(np.zeros(3, dtype))
        )
        np.testing.assert_equal(value, length(a, np.zeros(3, dtype)))


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


def test_no_array_is_made():
    x = np.ones((4, 3))
    report = compile_report(repulsion, Reverse, Active, Duplicated(x, np.zeros_like(x)))
    assert "NRT_MemInfo_alloc" not in report["ir"]["before"].split("declare", 1)[0]
    assert "enzyme_nrm2" not in report["ir"]["before"]
