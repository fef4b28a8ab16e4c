"""Choices in indices go where an index cannot be negative, and stay where it may be, in loops of every kind.

Indices count from the end in all these programs for some of the sizes, or for none; what is read and written then is
what Python's interpreter reads and writes.
"""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    Reverse,
    ReverseWithPrimal,
    autodiff,
)
from enzyme.engine.preprocess import plain_indices

pytestmark = pytest.mark.rotating(16)

# How loops go, over i and j; and whether all choices of `x[j]` and `y[j]` go where that is the index.
LOOPS = {
    "triangle": ("for i in range(n):\n    for j in range(i + 1, n):", True),
    "with the diagonal": ("for i in range(n):\n    for j in range(i, n):", True),
    "lower": ("for i in range(n):\n    for j in range(i):", True),
    "band": ("for i in range(n):\n    for j in range(i + 1, min(i + 3, n)):", True),
    "from before": ("for i in range(n):\n    for j in range(i - 2, i + 1):", False),
    "from a number": ("for i in range(2):\n    for j in range(k, n):", False),
    "from a number that is tested": (
        "if k >= 1:\n  for i in range(2):\n    for j in range(k, n):",
        True,
    ),
    "from a number that is tested too late": (
        "for i in range(2):\n    for j in range(k, n):\n      if j > 5:\n        break",
        False,
    ),
    "from the end": ("for i in range(2):\n    for j in range(-1, -n, -1):", False),
    "down": ("for i in range(n):\n    for j in range(n - 1, i - 1, -1):", False),
    "down beyond": ("for i in range(n):\n    for j in range(i, -2, -1):", False),
    "while": ("for i in range(n):\n    j = i + 1\n    while j < n:", True),
    "while unequal": ("for i in range(n):\n    j = i\n    while j != n:", True),
    "in two steps": ("for i in range(0, n, 2):\n    for j in range(i + 1, n, 2):", True),
    "three": ("for h in range(n):\n  for i in range(h, n):\n    for j in range(i + h, n):", True),
}
INDICES = ("j", "j - 1", "j - i", "i - j", "n - 1 - j", "j // 2", "2 * i - j")


def program(loop, index):
    head = LOOPS[loop][0]
    inner = head.rsplit("\n", 1)[1]
    inside = "        " if "break" in head else " " * (len(inner) - len(inner.lstrip()) + 4)
    step = f"y[{index}] += x[{index}] * x[{index}] * (1.0 + 0.1 * j) + 0.2 * y[j % n] * x[i % n]"
    more = f"\n{inside}j += 1" if "while" in head else ""
    body = f"{head}\n{inside}{step}{more}"
    if "break" in head:
        body = f"{head}\n      {step}"
    indented = "\n".join("    " + line for line in body.splitlines())
    scope = {"np": np}
    exec(
        f"def f(x, y, k):\n    n = len(x) - 6\n{indented}\n    return (y * y).sum()\n",
        scope,
    )
    return njit(scope["f"])


def obeys(f, size, k):
    rng = np.random.default_rng(size)
    x, y, v, w = rng.uniform(0.2, 0.9, (4, size + 6))
    expected, with_indices = y.copy(), y.copy()
    value = f.py_func(x, expected, k)
    dx, dy = np.zeros_like(x), np.zeros_like(y)
    given = autodiff(
        ReverseWithPrimal, f, Active, Duplicated(x, dx), Duplicated(with_indices, dy), Const(k)
    )
    assert given[1] == pytest.approx(value, rel=1e-13)
    np.testing.assert_allclose(with_indices, expected, rtol=1e-13)
    (slope,) = autodiff(Forward, f, Duplicated(x, v), Duplicated(y.copy(), w.copy()), Const(k))
    assert v @ dx + w @ dy == pytest.approx(slope, rel=1e-12)


def cases():
    for a, loop in enumerate(LOOPS):
        for b, index in enumerate(INDICES):
            if index == "j" or (a + b) % 3 == 0:
                yield pytest.param(loop, index, id=f"{loop}, {index}")


@pytest.mark.parametrize(("loop", "index"), list(cases()))
def test_what_is_read_and_written(loop, index):
    f = program(loop, index)
    for size in (2, 5):
        for k in (1, -2):
            obeys(f, size, k)


@pytest.mark.parametrize("loop", LOOPS)
def test_which_choices_go(loop, monkeypatch):
    head, gone = LOOPS[loop]
    scope = {"np": np}
    inner = head if "break" not in head else head.split("\n      if")[0]
    margin = " " * (len(inner.rsplit("\n", 1)[1]) - len(inner.rsplit("\n", 1)[1].lstrip()) + 4)
    lines = [*inner.splitlines(), f"{margin}s += x[j] * x[j]"]
    lines += [f"{margin}j += 1"] if "while" in inner else []
    body = "\n".join("    " + line for line in lines)
    exec(f"def f(x, k):\n    n = len(x)\n    s = 0.0\n{body}\n    return s\n", scope)
    asked = []
    settled = plain_indices.LoopIndices.settled

    def watched(*args):
        asked.append(settled(*args))
        return asked[-1]

    monkeypatch.setattr(plain_indices.LoopIndices, "settled", watched)
    x = np.ones(4)
    autodiff(Reverse, njit(scope["f"]), Active, Duplicated(x, np.zeros(4)), Const(1))
    assert not asked or (None not in asked) == gone


def test_a_loop_that_runs_past_its_end_until_it_fails():
    """Its trip count is none: what is written before the exception is what the program writes."""

    @njit
    def f(x, y, first, last):
        i = first
        while i != last:
            y[last - i] = 2.0 * x[last - i]
            i += 1
            if i > first + 3:
                raise ValueError("too far")
        return y.sum()

    x, y = np.arange(1.0, 9.0), np.zeros(8)
    expected = y.copy()
    with pytest.raises(ValueError, match="too far"):
        f.py_func(x, expected, 5, 3)
    with pytest.raises(ValueError, match="too far"):
        autodiff(
            Reverse,
            f,
            Active,
            Duplicated(x, np.zeros(8)),
            Duplicated(y, np.zeros(8)),
            Const(5),
            Const(3),
        )
    np.testing.assert_array_equal(y, expected)
