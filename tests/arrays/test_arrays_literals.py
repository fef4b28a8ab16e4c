"""Arrays whose elements a program lists: numba's values, types and errors, and derivatives by law."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Duplicated, Reverse, autodiff, compile_report
from tests.arrays.law import assert_law, branches

# From two numbers `p` and `q` and an array `x` of four.
PROGRAMS = {
    "row": "s = np.array([p, q, 2.0]) @ x[:3]",
    "rows": "s = np.sum(np.array([[p, -q], [q, p * x[0]]]) ** 2)",
    "rows of a tuple": "s = np.sum(np.array(((p, q), (q, 1.0))) @ x[:2])",
    "column": "s = np.sum(np.array([[p], [q]]) * x)",
    "three deep": "s = np.array([[[p, q], [1.0, 2.0]], [[q, q], [x[1], p]]])[1, 1, 0] ** 2",
    "whole numbers among them": "s = np.array([1, p, 3, q])[1:3] @ x[:2]",
    "whole numbers": "s = np.array([1, 2, 3])[1] * p",
    "floats": "s = np.float64(np.array([p, q], dtype=np.float32)[0]) * 1.0 + x[0] * 0.0",
    "a type": "s = np.array([1, 2], dtype=np.float64) @ x[:2] * p",
    "complex": "z = np.array([p + 2j, q, 1.0])\ns = (z * z).sum().real + z[0].imag",
    "constants": "s = np.array([[0.0, 0.0, 1.0], [p, 0.0, 0.0]])[1, 0] * q",
    "one": "s = np.array([p])[0] * np.array([[q]])[0, 0]",
    "a name": "row = [p, q]\ns = np.array(row) @ x[:2]",
    "a name used twice": "row = [p, q]\ns = np.array(row) @ x[:2] + row[0]",
    "a list that grows": "row = [p, q]\nrow.append(x[0])\ns = np.array(row) @ x[:3]",
    "a list that is changed": "row = [p, q]\nrow[0] = x[1]\ns = np.array(row) @ x[:2]",
    "a row that is used again": "row = [p, q]\ns = np.sum(np.array([row, row]) ** 2)",
    "a number that changes": "r = p\nrow = [r, q]\nr = x[3]\ns = np.array(row) @ x[:2] * r",
    "a list in a loop": "for k in range(3):\n    s += np.sum(np.array([p * k, q, s]) ** 2) * 0.1",
    "changed after": "m = np.array([[p, q], [q, p]])\nm[0] = x[:2]\nm[1, 1] *= p\ns = np.sum(m * m)",
    "kept": "m = np.zeros((3, 2))\nfor k in range(3):\n    m[k] = np.array([x[k], p * k])\ns = np.sum(m**3)",
    "either": "m = np.array([p, q]) if x[0] > 0.0 else np.array([q, x[1]])\ns = m[0] ** 2 * m[1]",
}
NAMES = list(PROGRAMS)


@pytest.mark.parametrize("seed", [0, 1])
def test_programs(seed):
    bodies = [f"p, q = y[0], y[1]\n{body}" for body in PROGRAMS.values()]
    f = branches("literals", bodies, ("x", "y"))
    draw = np.random.default_rng(seed)
    for which, name in enumerate(NAMES):
        if name != "floats":  # their differences are too coarse
            assert_law(f, which, [draw.normal(size=4), draw.normal(size=2)], name)


@njit
def in_floats(x):
    m = np.array([x[0], 1, 2.5], dtype=np.float32)
    return m[0] * np.float32(2.0)


def test_elements_of_another_type():
    x, shadow = np.array([0.1, 2.0]), np.zeros(2)
    autodiff(Reverse, in_floats, Active, Duplicated(x, shadow))
    np.testing.assert_allclose(shadow, [2.0, 0.0], rtol=1e-7)


@njit
def ragged(p):
    return np.array([[p, 1.0], [p]])[0, 0]


def test_rows_of_different_lengths():
    with pytest.raises(ValueError, match="incompatible sequence shape") as expected:
        ragged(1.0)
    with pytest.raises(ValueError, match="incompatible sequence shape") as found:
        autodiff(Reverse, ragged, Active, Active(1.0))
    assert str(found.value) == str(expected.value)


def test_no_list_is_made():
    @njit
    def f(x):
        s = 0.0
        for i in range(len(x)):
            u, v = x[i, 0], x[i, 1]
            m = np.array([[v * v, -u * v], [-u * v, u * u]])
            s += m[0, 0] * m[1, 1] - m[0, 1] ** 3
        return s

    x = np.ones((4, 2))
    report = compile_report(f, Reverse, Active, Duplicated(x, np.zeros_like(x)))
    assert "alloc" not in report["ir"]["before"].split("declare", 1)[0]
    assert "NRT_MemInfo_new" not in report["ir"]["before"]
