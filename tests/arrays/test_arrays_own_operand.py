"""Arrays that are changed in place by themselves, where they were made by the statement before."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Const, Duplicated, Forward, ReverseWithPrimal, autodiff

pytestmark = pytest.mark.rotating(18)

STATEMENTS = """
d *= d | d += d | d -= d * 0.5 | d *= d * 2.0 | d += d * d | d -= np.sin(d) | d *= d[::-1] | d += y * d
d *= np.exp(d) | d[...] = d * d | d[:] = d * y | d /= d | d += d; d += y | d[1:] += d[:-1] | d[:-1] *= d[1:]
d **= 2.0 | d += y; d *= d | d *= d; d *= d | e = d * y; d += e; d *= e | e = d; e *= d | d = d * d; d *= d
d[::-1] += d | d[:] = d[::-1] | e = d[1:]; d[1:] *= e | d *= d.sum() | d -= d.mean(); d *= d | y = d; y *= d; d += y
"""
TABLE = [text.strip() for text in STATEMENTS.replace("\n", "|").split("|") if text.strip()]


@pytest.mark.parametrize("chunk", [TABLE[k : k + 9] for k in range(0, len(TABLE), 9)])
def test_the_operand_may_be_the_target(chunk):
    parts = [
        f"    d = x - y0\n    y = y0 * 1.5\n    {text}\n    s += {k + 1} * np.sum(d * d)\n"
        for k, text in enumerate(chunk)
    ]
    space = {"np": np}
    exec(f"def f(x, y0):\n    s = 0.0\n{''.join(parts)}    return s\n", space)
    f = njit(space["f"])
    x, y = np.array([1.0, 2.0, 4.0]), np.array([0.5, -1.0, 0.3])
    dx = np.zeros(3)
    (_, primal) = autodiff(ReverseWithPrimal, f, Active, Duplicated(x, dx), Const(y))
    assert primal == pytest.approx(f(x, y), rel=1e-14)
    v = np.array([0.3, -0.7, 0.2])
    (forward,) = autodiff(Forward, f, Duplicated(x, v), Const(y))
    assert dx @ v == pytest.approx(forward, rel=1e-11)
    h = 1e-6
    assert (f(x + h * v, y) - f(x - h * v, y)) / (2 * h) == pytest.approx(forward, rel=1e-5)
