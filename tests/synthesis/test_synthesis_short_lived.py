"""Temporary arrays: their shadows live in the reverse pass, and what nobody reads there is gone before it.

A table of bodies that make temporaries, in surroundings, is walked in several modes: the adjoint law holds, and no
memory is kept, whether the program returns or raises.
"""

from __future__ import annotations

import gc
import itertools
import math
import os

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
    ReverseSplitWithPrimal,
    ReverseWithPrimal,
    autodiff,
    autodiff_thunk,
    compile_report,
    typeof,
)
from tests.programs.memory import live_memory

pytestmark = pytest.mark.rotating(18)

# What is done with `x`, `y` and the round `k`, into the sum `s`.
BODIES = {
    "linear": "w = 2.0 * x\ns += w[k % 3] + w[4]",
    "squared": "w = x * y\ns += np.sum(w * w)",
    "filled": "w = np.empty(x.size)\nfor i in range(x.size):\n    w[i] = x[i] * y[i] + i\ns += w[1] * w[2]",
    "added_to": "w = np.zeros(x.size)\nfor i in range(x.size):\n    w[i // 2] += x[i] * x[i]\ns += w[0] * w[1]",
    "overwritten": "w = x.copy()\nw[0] = w[1] * w[2]\nw *= y\ns += w[0] + w[3] * w[3]",
    "views": "w = x * y\nt = w[1:]\nt[0] += x[2]\ns += w[1] * t[2] + t[::2].sum()",
    "two_names": "w = x + y\nt = w\nt[0] *= x[1]\ns += w[0] * t[1]",
    "one_of_two": "w = x * 3.0\nt = w if k % 2 else x\ns += t[1] * t[2]",
    "sometimes": "if k % 2:\n    w = x * y\n    s += w[0] * w[1]\nelse:\n    s += x[0]",
    "either": "if k % 2:\n    w = x * y\nelse:\n    w = np.sin(x)\ns += w[2] * w[3]",
    "early": "w = np.exp(x)\nif w[0] > 1.5:\n    s += w[0]\n    continue\ns += w[1] * w[0]",
    "nested": "w = x * y\nfor j in range(3):\n    t = w * x\n    s += t[j] * w[j + 1]",
    "growing": "w = np.ones(2 + k)\nfor i in range(w.size):\n    w[i] = x[i % x.size] * (i + k)\ns += np.sum(w * w)",
    "matrix": "w = np.outer(x, y)\nt = w @ x\ns += np.sum(t * t)",
    "reshaped": "w = (x * y)[:4].copy().reshape(2, 2)\ns += np.sum(w.T @ w)",
    "listed": "l = [x * y, y + 1.0]\nl.append(l[0] * x)\ns += l[2][1] * l[0][0]",
    "pair": "p = (x * y, x + y)\ns += p[0][1] * p[1][2]",
    "carried": "t = x * r\nr = t * y + 1.0\ns += r[0] * t[1]",
    "caught": (
        "try:\n    w = x * y\n    s += w[0] * w[1]\n    if k == 1:\n        raise ValueError\n    s += w[2]\n"
        "except Exception:\n    s += x[3]"
    ),
    "last": "r = x * y * r\nif k == 2:\n    break\ns += np.sum(r)",
    "constants": "w = np.arange(x.size) * 2.0\nt = w * x\ns += t[2] * w[3]",
    "complex": "w = x * (1.0 + 2.0j)\ns += (w * w).real.sum() + abs(w[1])",
    "single": "w = x.astype(np.float32)\ns += float(w[0]) * 2.0 * x[1]",
}
SURROUNDINGS = {
    "loop": "for k in range(n):\n{1}",
    "unrolled": "for k in range(3):\n{1}",
    "two_loops": "for q in range(n - 1):\n    for k in range(q + n - 1):\n{2}",
    "while": "k = 0\nz = x[0]\nwhile z < 5.0:\n    z = z * 1.7 + 0.5\n    k += 1\n{1}",
}


def indented(text: str, depth: int) -> str:
    return "\n".join("    " * depth + line for line in text.splitlines())


def program(body: str, surroundings: str, failing: str = ""):
    code = SURROUNDINGS[surroundings]
    first, _, rest = BODIES[body].partition("\n")
    text = f"{first}\n{failing}\n{rest}"  # while the temporary lives
    for depth in (1, 2):
        code = code.replace("{" + str(depth) + "}", indented(text, depth))
    source = f"def f(x, y, n):\n    s = 0.0\n    r = y + 0.0\n{indented(code, 1)}\n    return s\n"
    space = {"math": math, "np": np}
    exec(source, space)
    return njit(space["f"])


def inputs():
    rng = np.random.default_rng(3)
    return rng.uniform(0.3, 1.2, 6), rng.uniform(0.4, 1.3, 6)


def split(f, x, y, dx, dy):
    annotated = (Duplicated(x, dx), Duplicated(y, dy), Const(3))
    forward, reverse = autodiff_thunk(
        ReverseSplitWithPrimal, Const(f), Active, *(typeof(a) for a in annotated)
    )
    tape, *_ = forward(Const(f), *annotated)
    reverse(Const(f), *annotated, 1.0, tape)


def gradients(f, x, y):
    """The gradient in each mode."""
    for mode in (Reverse, ReverseWithPrimal):
        dx, dy = np.zeros_like(x), np.zeros_like(y)
        autodiff(mode, f, Active, Duplicated(x, dx), Duplicated(y, dy), Const(3))
        yield dx, dy
    lanes = [(np.zeros_like(x), np.zeros_like(y)) for _ in range(2)]
    dxs, dys = zip(*lanes)
    autodiff(Reverse, f, Active, BatchDuplicated(x, dxs), BatchDuplicated(y, dys), Const(3))
    yield from lanes
    dx, dy = np.zeros_like(x), np.zeros_like(y)
    split(f, x, y, dx, dy)
    yield dx, dy


TABLE = list(itertools.product(BODIES, SURROUNDINGS))


def sampled():
    """Each body once; all rows with ALL_SHORT_LIVED."""
    if "ALL_SHORT_LIVED" in os.environ:
        return TABLE
    surroundings = list(SURROUNDINGS)
    return [(body, surroundings[k % len(SURROUNDINGS)]) for k, body in enumerate(BODIES)]


@pytest.mark.parametrize(("body", "surroundings"), sampled())
def test_temporaries_obey_the_law_and_are_given_back(body, surroundings):
    f = program(body, surroundings)
    x, y = inputs()
    rng = np.random.default_rng(1)
    v, u = rng.standard_normal(x.size), rng.standard_normal(y.size)
    (forward,) = autodiff(Forward, f, Duplicated(x, v), Duplicated(y, u), Const(3))
    before = live_memory()
    for dx, dy in gradients(f, x, y):
        found = dx @ v + dy @ u
        bound = np.abs(dx * v).sum() + np.abs(dy * u).sum() + abs(forward)
        assert abs(found - forward) <= (1e-6 if body == "single" else 1e-12) * bound
        assert live_memory() == before
    h = 1e-6
    moved = [f(x + t * v, y + t * u, 3) for t in (h, -h)]
    if body != "single":
        assert (moved[0] - moved[1]) / (2 * h) == pytest.approx(forward, rel=1e-5, abs=1e-5)


# What fails while `w` lives: numba releases it where a program raises, and leaves it behind where an operation does.
FAILING = {
    "raised": "if x[0] < 0.0 and k == 1:\n    raise KeyError(k)",
    "divided": "z_ = 1.0 / (x[0] + k - 0.5)\ns += z_",
}
PLAIN = [row for row in sampled() if BODIES[row[0]].startswith("w = ")]


@pytest.mark.parametrize("failing", FAILING)
@pytest.mark.parametrize(("body", "surroundings"), PLAIN[::3])
def test_failures_leave_nothing_behind(body, surroundings, failing):
    f = program(body, surroundings, FAILING[failing])
    x, y = inputs()
    x[0] = -0.5
    for mode in (Reverse, ReverseWithPrimal):
        first = raised_by(mode, f, x, y)
        before = live_memory()
        assert raised_by(mode, f, x, y) == first
        assert live_memory() == before


def raised_by(mode, f, x, y):
    annotated = [Duplicated(z, np.zeros_like(z)) for z in (x, y)]
    with pytest.raises((KeyError, ZeroDivisionError)) as raised:
        autodiff(mode, f, Active, *annotated, Const(3))
    found = raised.type, str(raised.value)
    del raised
    gc.collect()
    return found


@njit
def stepped(u, steps):
    for _ in range(steps):
        w = np.empty(u.size)
        for i in range(u.size):
            w[i] = 0.5 * (u[i] + u[i - 1])
        for i in range(u.size):
            u[i] += w[i]
    return u[0]


def test_memory_does_not_grow_with_the_steps():
    u = np.ones(50_000)
    report = compile_report(stepped, Reverse, Active, Duplicated(u, np.zeros_like(u)), Const(3))
    text = report["ir"]["derivative"]
    (entry,) = (part for part in text.split("\ndefine ") if "short.lived" in part)
    assert "@enzyme_hold" not in entry  # the temporary ends with its step
    assert (
        entry.count("call ptr @NRT_MemInfo_alloc_aligned") == 2
    )  # forwards, and its shadow backwards
