"""Sums that roll along a loop: stencils of every shape give the gradient of the adjoint law, in memory of any size.

What is read lies apart by whole strides in one run or in several, with gaps, interleaved, in rows of a length that the
compiler knows or not, forwards and backwards.
"""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    Forward,
    Reverse,
    ReverseWithPrimal,
    autodiff,
)
from enzyme.engine.synthesis import reverse as synthesis

pytestmark = pytest.mark.rotating(18)

N = 12
RNG = np.random.default_rng(20)

# How a loop over j goes, and what it reads of `a`.
LOOPS = {
    "by one": "range(9, n - 9)",
    "by two": "range(9, n - 9, 2)",
    "backwards": "range(n - 10, 8, -1)",
    "backwards by three": "range(n - 10, 8, -3)",
}
READS = {
    "neighbours": (-1, 0, 1),
    "with a gap": (-2, -1, 1, 2),
    "two runs": (-6, -5, 0, 1, 2),
    "interleaved": (-3, -2, -1, 0, 1, 2, 3),
    "many": tuple(range(-8, 9)),
    "far apart": (-7, 0, 7),
    "twice": (0, 1, 1, 0),
}


def line(loop, read):
    terms = " + ".join(f"x[j + {d}] * x[j + {d}] * {0.1 * k + 0.3}" for k, d in enumerate(read))
    return made(
        f"""
def f(x):
    n = x.shape[0]
    y = np.zeros(n)
    for j in {loop}:
        y[j] = np.sin({terms})
    return (y * y).sum()
"""
    )


def rows(n, columns, of="np.sin"):
    """Rows of a length that is written down or asked for; buffers change places."""
    return made(
        f"""
def f(x):
    n, m = {n}
    before, now = np.zeros((n, m)), x.copy().reshape(n, m)
    for k in range(3):
        for i in range(1, n - 1):
            for j in range({columns}):
                around = now[i - 1, j] + now[i + 1, j] + now[i, j - 1] + now[i, j + 1]
                corner = 0.3 * now[i - 1, j + 1] - 0.2 * now[i + 1, j - 1]
                before[i, j] = {of}(around - 4.0 * now[i, j]) - 0.5 * before[i, j] + corner
        before, now = now, before
    return (now * now).sum()
"""
    )


def made(source):
    scope = {"np": np}
    exec(source, scope)
    return njit(scope["f"])


def obeys_the_law(f, x):
    """<J v, 1> is <v, J^T 1> in each of two directions, in one lane and in two, and the value of differences."""
    vs = RNG.normal(size=(2, x.size))
    tangents = [autodiff(Forward, f, Duplicated(x.copy(), v))[0] for v in vs]
    dx = np.zeros_like(x)
    autodiff(Reverse, f, Active, Duplicated(x.copy(), dx))
    np.testing.assert_allclose(vs @ dx, tangents, rtol=1e-12, atol=1e-12)
    lanes = np.zeros_like(x), np.zeros_like(x)
    autodiff(Reverse, f, Active, BatchDuplicated(x.copy(), lanes))
    for lane in lanes:
        np.testing.assert_allclose(lane, dx, rtol=1e-13)
    h = 1e-6
    difference = (f(x + h * vs[0]) - f(x - h * vs[0])) / (2 * h)
    np.testing.assert_allclose(tangents[0], difference, rtol=1e-5, atol=1e-6)


# Each kind of loop with each other kind of reads; what is left out differs in nothing new.
PAIRS = [
    (loop, read)
    for j, loop in enumerate(LOOPS)
    for k, read in enumerate(READS)
    if (j + k) % 2 == 0 or loop == "by one"
]


@pytest.mark.parametrize(("loop", "read"), PAIRS)
def test_lines(loop, read):
    f = line(LOOPS[loop], READS[read])
    for size in (20, 43):
        obeys_the_law(f, RNG.normal(size=size))


@pytest.mark.parametrize("columns", ["1, m - 1", "1, m - 1, 2", "m - 2, 0, -1"])
@pytest.mark.parametrize("n", ["8, 40", "8, x.shape[0] // 8", "x.shape[0] // 40, 40"])
def test_rows(n, columns):
    obeys_the_law(rows(n, columns), RNG.normal(size=320))


@pytest.mark.parametrize("n", ["8, 40", "8, x.shape[0] // 8"])
def test_rows_of_fixed_length_roll_too(n, monkeypatch):
    found = []
    find = synthesis.find_groups

    def watched(*args):
        groups = find(*args)
        found.extend(groups)
        return groups

    monkeypatch.setattr(synthesis, "find_groups", watched)
    x = RNG.normal(size=320)
    autodiff(Reverse, rows(n, "1, m - 1", ""), Active, Duplicated(x, np.zeros_like(x)))
    assert max(len(group.loads) for group in found) >= 3


# What a step of a loop does with two arrays; the sums of an array made in it roll where the other was there before.
STENCIL = "{out}[i] = np.sin({a}[i - 1]) * {b}[i] - 0.5 * {a}[i] * {a}[i + 1] + 0.3 * {a}[i - 1]"
STEPS = {
    "made": ("new = now.copy()", "new", "now", "old", "old, now = now, new"),
    "made empty": ("new = np.full(n, 0.5)", "new", "now", "old", "old, now = now, new"),
    "in place": ("new = now", "new", "now", "old", "old, now = now, old"),
    "made or not": (
        "new = now.copy() if k % 2 else now",
        "new",
        "now",
        "old",
        "old, now = now, new",
    ),
    "the last one": ("new = now.copy()", "old", "now", "new", "old = now = new"),
    "the last one, read": ("new = now.copy()", "now", "old", "new", "old = now = new"),
    "one of two made": (
        "new, other = now.copy(), now * 0.5",
        "new",
        "other",
        "now",
        "old, now = other, new",
    ),
    "made twice": (
        "new = now.copy()\n        if k == 1:\n            new = old.copy()",
        "new",
        "now",
        "old",
        "old, now = now, new",
    ),
    "both the same": ("new = now.copy()", "new", "now", "old", "old = now = new"),
    "read back from a list": (
        "new = now.copy()\n        many.append(new)\n        last = many[k + 1]",
        "new",
        "last",
        "now",
        "old, now = now, new",
    ),
    "read where it was made or not": (
        "new = now.copy()\n        if k % 2:\n            last = new\n        else:\n            last = old",
        "new",
        "last",
        "now",
        "old, now = now, new",
    ),
    "the same in every other step": (
        "new = now.copy()",
        "old",
        "now",
        "new",
        "old = now if k % 2 else new\n        now = new",
    ),
    "kept in a list": (
        "new = now.copy()\n        many.append(new)",
        "new",
        "now",
        "many[k // 2]",
        "old, now = many[k], many[-1]",
    ),
}


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("inside", [False, True])
def test_arrays_made_in_a_loop(name, inside):
    make, out, a, b, turn = STEPS[name]
    step = f"""
        {make}
        for i in range(1, n - 1):
            {STENCIL.format(out=out, a=a, b=b)}
        {turn}"""
    if inside:  # a loop around, which goes on with what the inner one left
        step = step.replace("\n", "\n    ")
        step = f"\n        many = [x.copy()]\n        for k in range(4):{step}\n        now[0] = old[1] * now[2]"
    f = made(
        f"""
def f(x):
    n = x.shape[0]
    old, now = x * 0.3, x.copy()
    many = [x.copy()]
    for k in range(4):{step}
    return (now * now).sum() + (old * now).sum()
"""
    )
    for size in (5, 23):
        obeys_the_law(f, RNG.normal(size=size))


# Statements that read what they write, in views of one array: where it is stretched, and where nothing is shared.
VIEWS = {
    "neighbours": ("u[1:-1] += k * (u[2:] - 2.0 * u[1:-1] + u[:-2])", (9, 3)),
    "assigned": ("u[1:-1] = k * u[2:] * u[:-2]", (9, 3)),
    "backwards": ("u[:] = u[::-1] * u + k", (8, 1)),
    "halves": ("u[: n // 2] *= np.sin(u[n // 2 : n // 2 * 2])", (8, 9)),
    "stretched": ("u[1:] += k * u[:1] * u[1:]", (7, 2)),
    "perhaps stretched": ("u[k0:] += u[: n - k0] * u[k0:]", (6,)),
    "steps": ("u[::2] -= u[::-1][::2] * u[::2]", (8, 5)),
}
VIEWS_2D = {
    "neighbours": (
        "u[1:-1, 1:-1] += k * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] * u[1:-1, 2:])",
        ((5, 6), (3, 3), (4, 9)),
    ),
    "turned": ("u[:, :] += u.T * u", ((4, 4), (1, 1))),
    "turned over": ("u[:, :] = u[::-1, ::-1] * u", ((4, 3), (3, 1))),
    "a row of it": ("u[1:] -= u[:1] * u[1:]", ((4, 3), (2, 1))),
    "a column of it": ("u[:, 1:] -= u[:, :1] * u[:, 1:]", ((4, 3), (1, 4))),
    "one row, fewer axes": ("u[1:] *= u[0] + u[1:]", ((4, 3), (3, 1))),
    "columns": ("u[:, 1:] = u[:, :-1] * u[:, 1:]", ((3, 5), (5, 2))),
    "elimination": ("u[1:, 1:] -= u[1:, :1] * u[:1, 1:]", ((4, 4), (2, 5))),
    "perhaps stretched": ("u[:, 1:] += u[:, :c] * u[:, 1:]", ((3, 2), (3, 4))),
}


def of_views(statement):
    return made(
        f"""
def f(x, k0, c):
    u = x * 1.0
    n = u.shape[0]
    k = 0.7
    for _ in range(3):
        {statement}
    return (u * u).sum() + np.cos(u).sum()
"""
    )


def cases_of_views():
    for table in (VIEWS, VIEWS_2D):
        for name, (statement, shapes) in table.items():
            yield pytest.param(statement, shapes, id=f"{1 + (table is VIEWS_2D)}-d {name}")


@pytest.mark.parametrize(("statement", "shapes"), list(cases_of_views()))
def test_statements_that_read_what_they_write(statement, shapes):
    f = of_views(statement)
    for shape in shapes:
        n, *more = shape if isinstance(shape, tuple) else (shape,)
        # One element is stretched, or as many as there are stand beside each other.
        for k0, c in ((1, 1), (n - 1, more[0] - 1 if more else 1)):
            law_of_views(f, RNG.uniform(0.2, 0.9, shape), (k0, c))


def law_of_views(f, x, numbers):
    def at(x):
        return f.py_func(x, *numbers)

    v, dx = RNG.normal(size=x.shape), np.zeros_like(x)
    constants = [Const(k) for k in numbers]
    value = autodiff(ReverseWithPrimal, f, Active, Duplicated(x.copy(), dx), *constants)[1]
    assert value == pytest.approx(at(x), rel=1e-13)
    (tangent,) = autodiff(Forward, f, Duplicated(x.copy(), v), *constants)
    assert np.vdot(v, dx) == pytest.approx(tangent, rel=1e-12, abs=1e-12)
    h = 1e-6
    assert tangent == pytest.approx((at(x + h * v) - at(x - h * v)) / (2 * h), rel=1e-5, abs=1e-6)
