"""Arrays that each step rewrites are kept as they were, in one copy for each step.

A table of arrays, of what a step reads of them, of how it writes them anew and of loops around it is walked: reverse
mode, with and without the primal and in split mode, agrees with forward mode, and to the last digits with the
derivative that keeps numbers.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Const, Duplicated, Forward, Reverse, autodiff, compile_report, explain
from enzyme.api import empty_pool, pool_bytes
from enzyme.engine.synthesis.array_versions import ArrayVersions
from tests.rotation import all_run
from tests.synthesis.around import (
    assert_batches_and_second_order,
    assert_same_without,
    inputs_of,
    program,
)

pytestmark = pytest.mark.rotating(16)

# The array `u`, and `d` to which a step is written; `m` cells of it are looked at.
ARRAYS = {
    "a copy": "u = x.copy()\nd = np.zeros(m)",
    "an argument": "u = x\nd = np.zeros(m)",
    "of ones": "u = np.ones(m)\nd = np.zeros(m)",
    "longer": "u = np.ones(2 * m + 3)\nu[:m] = x\nd = np.zeros(m)",
    "longer without relation": "u = np.ones(n * n + 9)\nu[:m] = x\nd = np.zeros(m)",
    "a view": "z = np.ones(m + 4)\nz[2 : m + 2] = x\nu = z[2 : m + 2]\nd = np.zeros(m)",
    "every second": "z = np.ones(2 * m)\nu = z[::2]\nd = np.zeros(m)",
    "with its steps": "z = np.ones((2, m))\nu, d = z[0], z[1]",
}
# What a step reads.
READS = {
    "neighbours": (
        "for i in range(1, m - 1):\n    d[i] = w[0] * (u[i - 1] - 2.0 * u[i] + u[i + 1]) + w[1] * u[i] * u[i]"
    ),
    "a ring": (
        "for i in range(m):\n    l, r = (i - 1) % m, (i + 1) % m\n"
        "    d[i] = w[0] * (u[l] - u[r]) * u[i] + w[1] * (u[l] + u[r]) * u[i] * u[i]"
    ),
    "chosen neighbours": (
        "for i in range(m):\n    r = i + 1 if i < m - 1 else 0\n"
        "    d[i] = w[0] * (u[i] - u[r]) + w[1] * u[i] * u[r] * u[r]"
    ),
    "where an index says": "for i in range(m):\n    k = (3 * i + 1) % m\n    d[i] = w[0] * (u[k] - u[i]) * u[k] * u[i]",
    "pairs": (
        "for i in range(m):\n    t = 0.0\n    for k in range(m):\n        t += w[0] * (u[k] - u[i]) * u[k] * a\n"
        "    d[i] = t * w[1] / m"
    ),
    "backwards": "for i in range(m - 1, 0, -1):\n    d[i] = w[0] * (u[i - 1] - u[i]) + w[1] * u[i - 1] * u[i] * u[i]",
    "some": (
        "for i in range(m - 1):\n    if y[i] > 0.5:\n        d[i] = w[0] * (u[i + 1] - u[i]) + w[1] * u[i + 1] * u[i]\n"
        "    else:\n        d[i] = w[1] * u[i] * u[i]"
    ),
    "twice": (
        "for i in range(m - 1):\n    d[i] = w[0] * (u[i + 1] - u[i]) * u[i]\n"
        "for i in range(1, m):\n    d[i] += w[1] * (u[i] - u[i - 1]) * u[i] * u[i]"
    ),
    "a part": "for i in range(1, m // 2):\n    d[i] = w[0] * (u[i - 1] - u[i + 1]) + w[1] * u[i] * u[i + 1] * u[i]",
    "a few": (
        "for i in range(min(m - 1, 4)):\n    d[i] = w[0] * (u[i + 1] - u[i]) + w[1] * u[i] * u[i + 1] * u[i]"
    ),
    "if at all": (
        "if a > 0.5:\n    for i in range(1, m):\n        d[i] = w[0] * (u[i - 1] - u[i]) + w[1] * u[i] * u[i - 1]"
    ),
    "until something": (
        "for i in range(1, m):\n    d[i] = w[0] * (u[i - 1] - u[i]) + w[1] * u[i] * u[i - 1]\n"
        "    if u[i] > 1.4:\n        break"
    ),
    "and a sum": (
        "for i in range(1, m - 1):\n    d[i] = w[0] * (u[i - 1] - u[i + 1]) + w[1] * u[i] * u[i]\n    s += d[i] * u[i]"
    ),
    "divided": "for i in range(1, m):\n    d[i] = w[0] * (u[i] - u[i - 1]) / (1.0 + u[i] * u[i - 1]) + w[1] * u[i]",
}
# How it is written anew.
WRITES = {
    "added": "for i in range(m):\n    u[i] += 0.1 * a * d[i]",
    "an expression": "u[:m] = u[:m] + 0.1 * a * d",
    "in place": "for i in range(1, m):\n    u[i] = u[i] + 0.1 * d[i] * u[i - 1]",
    "one cell": "u[m // 2] += 0.1 * a * d[m // 2]",
    "exchanged": "for i in range(m):\n    d[i] = u[i] + 0.1 * a * d[i]\nu, d = d, u",
    "not at all": "s += d.sum()",
}
AROUND = {
    "steps": "for o in range(n):\n    a = y[o]\n{1}",
    "two loops": "for o in range(2):\n    for p in range(n):\n        a = y[o + p]\n{2}",
    "a walk": "o = 0\nwhile o < n and s < 1e4:\n    a = y[o]\n{1}\n    s += u[0] * u[0]\n    o += 1",
    "once": "a = y[0]\nfor _ in range(1):\n{1}",
}
LENGTHS = (0, 1, 2, 5)


def made(array, reads, writes, around):
    if writes == "exchanged" and not array.startswith(("a copy", "of ones", "an argument")):
        writes = "added"
    first = f"s, m = 0.0, len(x)\n{ARRAYS[array]}"
    lines = f"{READS[reads]}\n{WRITES[writes]}"
    return program("x, y, w, n", first, AROUND[around], lines, "s + (u * u).sum()")


def some(*parts):
    every = enumerate(itertools.product(*parts))
    return [cell for k, cell in every if k % (5 if all_run() else 23) == 2]


def without(monkeypatch):
    monkeypatch.setattr(ArrayVersions, "instead", lambda self, load, homes: None)


@pytest.mark.parametrize("cell", some(ARRAYS, READS, WRITES, AROUND), ids="-".join)
def test_table(cell, monkeypatch):
    assert_same_without(lambda: made(*cell), without, LENGTHS, monkeypatch)


@pytest.mark.parametrize("reads", READS)
def test_batches_and_second_order(reads):
    assert_batches_and_second_order(made("a copy", reads, "added", "steps"), 4)


def copies(f, *annotated):
    found = explain(Reverse, f, Active, *annotated)
    return [s for function in found.functions for s in function.storages if s.kind == "copy"]


@pytest.mark.parametrize(
    ("array", "reads", "writes", "copied"),
    [
        ("a copy", "neighbours", "added", True),
        ("a copy", "a ring", "added", True),
        ("a copy", "chosen neighbours", "added", True),
        ("a copy", "where an index says", "added", True),
        ("a copy", "backwards", "added", True),
        ("a copy", "divided", "an expression", True),
        ("an argument", "neighbours", "added", True),
        ("longer", "neighbours", "added", True),
        ("longer without relation", "neighbours", "added", True),
        ("a copy", "neighbours", "exchanged", True),
        # Half of it, which is what is copied.
        ("a copy", "a part", "added", True),
        # A few cells of any number of them, which is what is copied.
        ("a copy", "a few", "added", True),
        # Nobody knows how far it is from the beginning of what the view is of.
        ("every second", "neighbours", "added", False),
        # What is read is there until the end.
        ("a copy", "neighbours", "not at all", False),
        # An index that may be anywhere in an array that may be any longer.
        ("longer without relation", "where an index says", "added", False),
    ],
)
def test_when_there_is_a_copy(array, reads, writes, copied):
    x, y, w = inputs_of(6)
    annotated = [Duplicated(x, 0 * x), Const(y), Duplicated(w, 0 * w), Const(5)]
    assert bool(copies(made(array, reads, writes, "steps"), *annotated)) == copied


@njit
def two_species(u0, v0, p, steps):
    u, v = u0.copy(), v0.copy()
    n, m = u.shape
    du, dv = np.empty((n, m)), np.empty((n, m))
    for _ in range(steps):
        for i in range(n):
            up = i - 1 if i > 0 else n - 1
            down = i + 1 if i < n - 1 else 0
            for j in range(m):
                left = j - 1 if j > 0 else m - 1
                right = j + 1 if j < m - 1 else 0
                a = u[up, j] + u[down, j] + u[i, left] + u[i, right] - 4.0 * u[i, j]
                b = v[up, j] + v[down, j] + v[i, left] + v[i, right] - 4.0 * v[i, j]
                du[i, j] = p[0] * a + p[1] * u[i, j] * u[i, j] * v[i, j]
                dv[i, j] = p[0] * b - p[2] * u[i, j] * u[i, j] * v[i, j]
        for i in range(n):
            for j in range(m):
                u[i, j] += 0.05 * du[i, j]
                v[i, j] += 0.05 * dv[i, j]
    return (u * v).sum()


def gradient_of_species(shape, larger=(0, 0), steps=3):
    rng = np.random.default_rng(shape[1])
    u = rng.uniform(0.2, 0.9, shape)
    v = rng.uniform(0.2, 0.9, (shape[0] + larger[0], shape[1] + larger[1]))
    p = np.array([0.3, 0.4, 0.2])
    given = [Duplicated(a, np.zeros_like(a)) for a in (u, v, p)]
    return two_species, given, steps


@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (4, 1), (2, 2), (2, 3), (5, 5), (7, 4)])
def test_rings_of_rows_and_columns(shape):
    """Rows, too, are looked at around the end; both arrays have copies where their rows have one length."""
    f, given, steps = gradient_of_species(shape)
    autodiff(Reverse, f, Active, *given, Const(steps))
    found = [d.dval.copy() for d in given]
    h = 1e-6
    for k, x in enumerate(d.val for d in given):
        direction = np.cos(np.arange(x.size)).reshape(x.shape)
        ahead, behind = (
            f(*(d.val + s * h * direction if j == k else d.val for j, d in enumerate(given)), steps)
            for s in (1, -1)
        )
        expected = (ahead - behind) / (2 * h)
        np.testing.assert_allclose((found[k] * direction).sum(), expected, rtol=1e-7, atol=1e-8)


def test_how_much_is_kept():
    """Two numbers for each cell and step, which are four terms."""
    f, given, steps = gradient_of_species((6, 6))
    found = copies(f, *given, Const(steps))
    assert {s.bytes_per_iteration for s in found} == {8}
    assert len(found) >= 2
    assert all(len(s.loops) == 3 for s in found)
    assert "overwritten in line" in found[0].values[0].why
    report = compile_report(f, Reverse, Active, *given, Const(steps))
    assert "copy, 8 bytes per iteration" in report["cache"]


@njit
def cells_up_to(u, k, last, steps):
    d = np.zeros(u.size)
    for _ in range(steps):
        for i in range(last - 1):
            d[i] = k[0] * (u[i + 1] - u[i]) + k[1] * u[i] * u[i + 1] * u[i]
        for i in range(u.size):
            u[i] += 0.1 * d[i]
    return (u * u).sum()


def test_nothing_is_copied_for_loops_that_do_not_run():
    """How many bytes loops read that do not run may be any number."""
    u, k = inputs_of(3)[0], np.array([0.1, 0.2])
    given = [Duplicated(u, 0 * u), Duplicated(k, 0 * k)]
    assert copies(cells_up_to, *given, Const(5), Const(3))
    for last in (-(10**18), -5, 0, 1, 2, 5):
        given = [Duplicated(u.copy(), 0 * u), Duplicated(k, 0 * k)]
        autodiff(Reverse, cells_up_to, Active, *given, Const(last), Const(3))
        along = [Duplicated(u.copy(), np.cos(u)), Duplicated(k, np.ones(2))]
        (slope,) = autodiff(Forward, cells_up_to, *along, Const(last), Const(3))
        found = given[0].dval @ np.cos(u) + given[1].dval.sum()
        np.testing.assert_allclose(found, slope, rtol=1e-12, err_msg=str(last))


@pytest.mark.parametrize("cells", ["min(m - 1, 4)", "4 if m > 4 else m - 1", "m // 20000"])
def test_a_few_cells_are_no_reason_to_copy_many(cells):
    """Of an array of any length no more is copied in each step than the loops are long."""
    lines = (
        "def f(u, k, steps):",
        "    m = u.size",
        "    d = np.zeros(m)",
        "    for _ in range(steps):",
        f"        for i in range({cells}):",
        "            d[i] = k[0] * (u[i + 1] - u[i]) + k[1] * u[i] * u[i + 1] * u[i]",
        "        for i in range(4):",
        "            u[i] += 0.1 * d[i]",
        "    return u[0]",
    )
    scope = {"np": np}
    exec("\n".join(lines), scope)
    u, k = np.random.default_rng(0).uniform(0.1, 0.9, 100_000), np.array([0.1, 0.2])
    given = [Duplicated(u, np.zeros_like(u)), Duplicated(k, np.zeros(2))]
    empty_pool()
    autodiff(Reverse, njit(scope["f"]), Active, *given, Const(100))
    # Copies of all would be 80 MB; there are two arrays, and a shadow of one.
    assert pool_bytes() < 10 * u.nbytes
