"""Functions that become expressions: numba's values and errors, and derivatives by law."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Const, Duplicated, Reverse, autodiff, compile_report
from tests.arrays.law import assert_law, branches

PROGRAMS = [
    "s = np.sum(np.diff(x) ** 2)",
    "s = np.sum(np.diff(x, 1) * x[1:])",
    "s = np.sum(np.diff(x, n=2) ** 3)",
    "s = np.sum(np.diff(x, 0) ** 2)",
    "s = np.sum(np.diff(x[::-1].copy()) * x[::-1][1:])",
    "s = np.sum(np.diff(np.exp(x)) / np.diff(x + np.arange(len(x))))",
    "s = np.sum(np.diff(m) ** 2)",
    "s = np.sum(np.sin(np.diff(m[:, 1].copy())))",
    "x[1:] = np.diff(x)\ns = np.sum(x * x)",
    "x[1:] += np.diff(x)\ns = np.sum(x * x)",
    "d = np.diff(x)\nd[0] = x[2]\ns = np.sum(d**2) + x[1]",
    "for k in range(3):\n    x = np.diff(x * x)\ns = x[0] + x[1]",
    "s = np.abs(np.sum(np.diff(x + 1j * x[::-1]) ** 2))",
    "s = np.max(np.diff(x)) * np.diff(x)[1]",
    "n = 1\nfor k in range(2):\n    s += np.sum(np.diff(x, n) ** 2)\n    n += 1",
]


def test_derivatives():
    f = branches("expression functions", PROGRAMS, ("x", "m"))
    draw = np.random.default_rng(1)
    for which, text in enumerate(PROGRAMS):
        assert_law(f, which, [draw.normal(size=7), draw.normal(size=(4, 5))], text)


@njit
def of_order(x, n):
    return np.sum(np.diff(x, n) ** 2)


@njit
def steps(x):
    return np.sum(np.diff(x) ** 2)


def test_few_elements():
    for size in range(3):
        x, shadow = np.arange(size) * 2.0, np.zeros(size)
        autodiff(Reverse, steps, Active, Duplicated(x, shadow))
        np.testing.assert_allclose(shadow, [-4.0, 4.0][:size] if size == 2 else [0.0] * size)


def test_a_negative_order():
    x = np.ones(3)
    with pytest.raises(ValueError, match="order must be non-negative"):
        autodiff(Reverse, of_order, Active, Duplicated(x, np.zeros(3)), Const(-1))


def test_no_array_is_made():
    report = compile_report(steps, Reverse, Active, Duplicated(np.ones(4), np.zeros(4)))
    assert "alloc" not in report["ir"]["before"].split("declare", 1)[0]
