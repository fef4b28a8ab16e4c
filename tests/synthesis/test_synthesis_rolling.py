"""Sums that roll along a loop: stencils of every shape give the gradient of the adjoint law, in memory of any size.

What is read lies apart by whole strides in one run or in several, with gaps, interleaved, in rows of a length that the
compiler knows or not, forwards and backwards.
"""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import Active, BatchDuplicated, Duplicated, Forward, Reverse, autodiff
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
