"""What stays the same in a loop is kept once, also if the loops inside become longer or shorter with it.

A table of lengths and of what is around is walked: reverse mode, with and without the primal and in split mode, agrees
with forward mode.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Const, Duplicated, Forward, Reverse, autodiff, explain
from tests.synthesis.around import (
    assert_modes_agree,
    duplicated,
    inputs_of,
    program,
)

pytestmark = pytest.mark.rotating(14)

# Loops over `k` in a loop over `i`, which runs from zero to m - 1.
LENGTHS = {
    "growing": "range(i)",
    "growing from one": "range(i + 1)",
    "shrinking": "range(m - i)",
    "shrinking by two": "range(m - 2 * i)",
    "to the end": "range(i, m)",
    "from behind it": "range(i + 1, m)",
    "by halves": "range(i // 2)",
    "every second": "range(0, i, 2)",
    "at most three": "range(min(i, 3))",
    "at least two": "range(min(max(i, 2), m))",
    "backwards": "range(i, -1, -1)",
    "as a number says": "range(int(p[i]))",
    "square": "range(min(m, i * i))",
    "all": "range(m)",
}
# What is read there. Numbers in `z` are of every iteration over `o`, and not all are written in each.
READ = {
    "squares": "s += z[k] * z[k] * y[i]",
    "a work array": "s += np.sin(z[k] * y[i]) * z[k]",
    "two of it": "s += np.sin(z[k] * y[i]) * z[m - 1 - k]",
    "inside of another loop": "for r in range(w.size):\n    s += np.sin(z[k] * w[r] + y[i])",
    "inside of a triangle": "for r in range(k):\n    s += np.sin(z[r] * z[k] + y[i])",
}
FILL = "for i in range(m):\n    if x[i] > 0.8:\n        z[i] = np.sin(a * x[i])\n    p[i] = (i * 7) % m"
AROUND = {
    "a loop": "for o in range(n):\n    a = y[o]\n{1}",
    "a walk": "o = 0\nwhile o < n and s < 1e4:\n    a = y[o]\n{1}\n    o += 1",
    "two loops": "for o in range(n):\n    for q in range(2):\n        a = y[o] + w[q]\n{2}",
}
NUMBERS = (0, 1, 2, 5)


def _program(length: str, read: str, around: str):
    first = "s = 0.0\nm = n + 1\nz = np.ones(m)\np = np.zeros(m)"
    inner = "\n".join("        " + line for line in READ[read].splitlines())
    lines = f"{FILL}\nfor i in range(m):\n    for k in {LENGTHS[length]}:\n{inner}"
    return program("x, y, w, n", first, AROUND[around], lines, "s")


@pytest.mark.parametrize(
    ("length", "read", "around"), list(itertools.product(LENGTHS, READ, AROUND))
)
def test_table(length, read, around):
    f = _program(length, read, around)
    assert_modes_agree(f, NUMBERS)


def _kinds(length, read):
    """The depth and kind of all that is kept in two loops or more."""
    f, n = _program(length, read, "a loop"), 5
    storages = (
        s
        for made in explain(Reverse, f, Active, *duplicated(inputs_of(n)), Const(n)).functions
        for s in made.storages
    )
    return {(len(s.loops), s.kind) for s in storages if len(s.loops) > 1}


@pytest.mark.parametrize("length", ["growing", "growing from one", "shrinking", "at most three"])
@pytest.mark.parametrize("read", ["squares", "inside of another loop"])
def test_kept_once_for_all_rows(length, read):
    assert _kinds(length, read) == {(2, "static")}


@pytest.mark.parametrize("length", ["as a number says", "from behind it"])
def test_kept_for_each_row(length):
    """Whatever number of them there is; or all of what they are read from."""
    kinds = _kinds(length, "squares")
    assert (3, "growing") in kinds or (2, "copy") in kinds


@pytest.mark.rotating(1)
@pytest.mark.parametrize("steps", ["range(1, m - 1, 2)", "range(m - 3, 0, -3)", "range(2, m, 5)"])
def test_room_for_loops_that_do_not_run(steps):
    """Numbers of steps that are divided are large for negative numbers, and no room is needed for them."""

    lines = (
        "def f(u, n, m):",
        "    s = 0.3",
        "    for _ in range(3):",
        "        for i in range(n):",
        f"            for j in {steps}:",
        "                s = np.sin(u[i, j] * s + s)",
        "    return s",
    )
    scope = {"np": np}
    exec("\n".join(lines), scope)
    f = njit(scope["f"])
    for n, m in itertools.product((0, 1, 3), (0, 1, 2, 3, 4, 7)):
        u = np.random.default_rng(m).uniform(0.1, 1.0, (n, m))
        shadow, along = np.zeros_like(u), np.cos(np.arange(n * m)).reshape(n, m)
        autodiff(Reverse, f, Active, Duplicated(u, shadow), Const(n), Const(m))
        (slope,) = autodiff(Forward, f, Duplicated(u, along), Const(n), Const(m))
        np.testing.assert_allclose((shadow * along).sum(), slope, rtol=1e-12, atol=1e-15)
