"""Counters that step by what a loop counts, as those of packed triangles do, are computed from it and not kept.

A table of ways to step and of what is around is walked: reverse mode, with and without the primal and in split mode,
agrees with forward mode.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Const, Duplicated, Reverse, autodiff, explain
from tests.synthesis.around import (
    assert_modes_agree,
    duplicated,
    inputs_of,
    program,
)

pytestmark = pytest.mark.rotating(10)

# What is done for each `i` from zero to m - 1; `l` begins at `b`, and `c` is a large array.
STEPS = {
    "above": "for k in range(i + 1, m):\n    s += c[l] * np.sin(v * x[k])\n    l += 1",
    "below": "for k in range(i):\n    s += c[l] * np.sin(v * x[k])\n    l += 1",
    "below, and itself": "for k in range(i + 1):\n    s += c[l] * np.sin(v * x[k])\n    l += 1",
    "two by two": "for k in range(i, m):\n    s += c[l] * c[l + 1] * np.sin(v * x[k])\n    l += 2",
    "behind": "for k in range(m - i):\n    s += c[l] * np.sin(v)\n    l += 1\nl += 1",
    "rows": "s += c[l] * np.sin(v)\nl += i",
    "rows from the end": "s += c[l] * np.sin(v)\nl += m - i",
    "three rows and one": "s += c[l] * np.sin(v)\nl += 3 * i + 1",
    "squares": "s += c[l] * np.sin(v)\nl += i * i",
    "back": "s += c[200 - l] * np.sin(v)\nl -= i\nl += m",
    "if it is large": "if x[i] > 1.0:\n    s += c[l] * np.sin(v)\n    l += i",
    "in either case": (
        "if x[i] > 1.0:\n    s += c[l] * np.sin(v)\n    l += i\n"
        "else:\n    s += c[l] * np.exp(-v)\n    l += i"
    ),
    "until something": (
        "for k in range(i + 1, m):\n    s += c[l] * np.sin(v * x[k])\n    l += 1\n"
        "    if x[k] > 1.4:\n        break"
    ),
    "as a number": "s += l * np.sin(v)\nl += i",
    "remainder": "s += c[l % 50] * np.sin(v)\nl = (l * 5 + i) % 97",
    "of two loops": "for k in range(i):\n    for j in range(k):\n        s += c[l] * np.sin(v * x[j])\n        l += 1",
    "same for all": "for k in range(m):\n    s += c[l] * np.sin(v * x[k])\n    l += 1",
    "as w says": "for k in range(i + 1, m):\n    s += c[l] * np.sin(v)\n    l += 1 + int(w[0] > 0.0)",
}
AROUND = {
    "one loop": "l = b\nfor i in range(m):\n    v = y[i] * (1.0 + 0.1 * s)\n{1}",
    "for each row": (
        "for o in range(2):\n    l = b + o\n"
        "    for i in range(m):\n        v = y[i] * w[o] + 0.01 * s\n{2}"
    ),
    "on and on": "l = b\nfor o in range(2):\n    for i in range(m):\n        v = y[i] * w[o] + 0.01 * s\n{2}",
    "a walk": "l = b\ni = 0\nwhile i < m and s < 1e3:\n    v = y[i] * (1.0 + 0.1 * s)\n{1}\n    i += 1",
    "back": "l = b\nfor j in range(m):\n    i = m - 1 - j\n    v = y[i] * (1.0 + 0.1 * s)\n{1}",
    "from two": "l = b\nfor i in range(2, m):\n    v = y[i] * (1.0 + 0.1 * s)\n{1}",
}
LENGTHS = (0, 1, 2, 6)


def _program(step: str, around: str):
    first = "s = 0.0\nm = n\nb = n % 3\nc = np.cos(np.arange(400.0)) * x[0]"
    return program("x, y, w, n", first, AROUND[around], STEPS[step], "s")


@pytest.mark.parametrize(("step", "around"), list(itertools.product(STEPS, AROUND)))
def test_table(step, around):
    assert_modes_agree(_program(step, around), LENGTHS)


def _integers_kept(step, around):
    arguments = (Reverse, _program(step, around), Active, *duplicated(inputs_of(5)), Const(5))
    kept = [
        v for f in explain(*arguments).functions for s in f.storages if s.loops for v in s.values
    ]
    return sum(v.type == "i64" for v in kept)


NOT_KEPT = (
    "above",
    "below",
    "two by two",
    "rows",
    "three rows and one",
    "in either case",
    "as a number",
)


@pytest.mark.parametrize(
    ("step", "around"),
    [*itertools.product(NOT_KEPT, ("one loop", "for each row")), ("behind", "one loop")],
)
def test_counters_that_are_not_kept(step, around):
    assert _integers_kept(step, around) == 0


@pytest.mark.parametrize("step", ["squares", "if it is large", "of two loops", "remainder"])
def test_counters_that_are_kept(step):
    assert _integers_kept(step, "one loop") > 0


def test_many_steps():
    """The product of two neighbours overflows before half of it does; here it must be as exact as the sum."""

    @njit
    def f(x, first, n):
        s = 0.0
        l = first
        for i in range(n):
            s += x[l & 7] * x[l & 7] * (1.0 + 1e-9 * s)
            l += i
        return s

    x = np.linspace(0.5, 1.5, 8)
    for first in (0, 2**63 - 5, -(2**62)):
        found, expected = np.zeros(8), np.zeros(8)
        autodiff(Reverse, f, Active, Duplicated(x, found), Const(first), Const(1000))
        step = 1e-6
        for k in range(8):
            moved = step * (np.arange(8) == k)
            expected[k] = (f(x + moved, first, 1000) - f(x - moved, first, 1000)) / (2 * step)
        np.testing.assert_allclose(found, expected, rtol=1e-6)
