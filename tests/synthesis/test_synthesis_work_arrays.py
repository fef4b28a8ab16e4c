"""Loops that fill work arrays anew in each iteration, and loops that only seem to.

Each program obeys the adjoint law without and with its primal; those of the first table run in the reverse pass, those
of the second must not.
"""

from __future__ import annotations

import math

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
    compile_report,
    explain,
)

pytestmark = pytest.mark.rotating(14)

BEGIN = "n = a.shape[0]\nm = b.size\nw = np.empty(m)\nv = np.empty(m)\ns = 0.0\n"
FILL = "    for j in range(m):\n        w[j] = a[i, j] * b[j]\n"
SUM = "    for j in range(m):\n        s += w[j] * w[j]\n"

FUSED = {
    "filled": FILL + SUM,
    "changed": FILL + "    for j in range(1, m):\n        w[j] += w[j - 1] * b[j]\n" + SUM,
    "twice": FILL
    + "    for j in range(m):\n        v[j] = math.sin(w[j]) + a[i, 0]\n"
    + "    for j in range(m):\n        s += v[j] * w[m - 1 - j]\n",
    "chosen": FILL
    + "    k = 0\n    for j in range(1, m):\n        if w[j] > w[k]:\n            k = j\n    s += w[k]\n",
    "triangle": FILL
    + "    for j in range(m):\n        for k in range(j + 1, m):\n            w[k] += w[j] * b[k]\n"
    + SUM,
    "inside": "    for k in range(2):\n"
    + FILL.replace("    ", "        ", 1).replace("\n    ", "\n            ", 1)
    + "        for j in range(m):\n            s += w[j] * w[j] * b[k]\n",
    "functions": FILL
    + "    t = 0.0\n    for j in range(m):\n        t += math.exp(w[j])\n    s += math.log(t)\n",
    "passed": FILL + "    s += length(w)\n",
}
OTHERS = {
    "first_stays": "    for j in range(1, m):\n        w[j] = a[i, j] * b[j] * w[j - 1]\n" + SUM,
    "last_stays": "    for j in range(m - 1):\n        w[j] = a[i, j] * b[j]\n    w[m - 1] += w[0]\n"
    + SUM,
    "sometimes": "    for j in range(m):\n        if a[i, j] > 0.5:\n            w[j] = a[i, j] * b[j]\n"
    + SUM,
    "sometimes_all": "    if a[i, 0] > 0.5:\n" + FILL.replace("    ", "        ") + SUM,
    "added": "    for j in range(m):\n        w[j] += a[i, j] * b[j]\n" + SUM,
    "read_before": SUM + FILL,
    "read_within": "    for j in range(m):\n        s += w[m - 1 - j] * b[j]\n        w[j] = a[i, j] * b[j]\n",
    "read_afterwards": FILL + "    s += w[0]\n",
    "elsewhere": "    for j in range(m):\n        w[(j * 2) % m] = a[i, j] * b[j]\n" + SUM,
    "ends_early": "    for j in range(m):\n        w[j] = a[i, j] * b[j]\n        if a[i, j] > 0.8:\n"
    + "            break\n"
    + SUM,
}


@njit
def length(w):
    t = 0.0
    for j in range(w.size):
        t += w[j] * w[j]
    return math.sqrt(t)


def program(body, afterwards=""):
    loop = "for j in range(m):\n    w[j] = 0.3 + b[j]\nfor i in range(n):\n" + body
    if body in FUSED.values():  # all that touches the array is in the loop
        loop = "for i in range(n):\n" + body
    text = BEGIN + loop + afterwards + "return s\n"
    source = "def f(a, b):\n" + "".join(f"    {line}\n" for line in text.splitlines())
    space = {"math": math, "np": np, "length": length}
    exec(source, space)
    return njit(space["f"])


def inputs():
    rng = np.random.default_rng(3)
    return rng.uniform(0.2, 1.0, (5, 4)), rng.uniform(0.3, 1.2, 4)


def gradient(mode, f, a, b):
    da, db = np.zeros_like(a), np.zeros_like(b)
    autodiff(mode, f, Active, Duplicated(a, da), Duplicated(b, db))
    return da, db


def is_fused(f):
    a, b = inputs()
    annotated = Duplicated(a, np.zeros_like(a)), Duplicated(b, np.zeros_like(b))
    return ".again:" in compile_report(f, Reverse, Active, *annotated)["ir"]["derivative"]


def check_law(f):
    a, b = inputs()
    rng = np.random.default_rng(1)
    u, v = rng.standard_normal(a.shape), rng.standard_normal(b.shape)
    (forward,) = autodiff(Forward, f, Duplicated(a, u), Duplicated(b, v))
    for mode in (Reverse, ReverseWithPrimal):
        for _ in range(2):
            da, db = gradient(mode, f, a, b)
            bound = np.abs(da * u).sum() + np.abs(db * v).sum() + abs(forward)
            assert abs(np.vdot(da, u) + np.vdot(db, v) - forward) <= 1e-12 * bound
    h = 1e-6
    moved = [f(a + t * u, b + t * v) for t in (h, -h)]
    assert (moved[0] - moved[1]) / (2 * h) == pytest.approx(forward, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("name", FUSED)
def test_arrays_that_are_filled_anew(name):
    f = program(FUSED[name])
    assert is_fused(f)
    check_law(f)


@pytest.mark.parametrize("name", OTHERS)
def test_arrays_that_keep_something(name):
    f = program(OTHERS[name], "s += w[1]\n" if name == "read_afterwards" else "")
    assert not is_fused(f)
    check_law(f)


def test_nothing_is_kept_for_each_observation():
    a, b = inputs()
    annotated = Duplicated(a, np.zeros_like(a)), Duplicated(b, np.zeros_like(b))
    f = program(FUSED["functions"])

    def loops(mode):
        storages = explain(f, mode, Active, *annotated).functions[0].storages
        return max((len(s.loops) for s in storages), default=0)

    assert loops(Reverse) == loops(ReverseWithPrimal) == 1


def test_arrays_of_two_loops():
    check_law(program(FUSED["filled"], "for i in range(n):\n" + FUSED["changed"]))


@pytest.mark.parametrize("length", [0, 1, 2])
def test_short_arrays(length):
    f = program(FUSED["triangle"])
    a, b = np.full((3, length), 0.5), np.full(length, 0.7)
    da, _ = gradient(Reverse, f, a, b)
    found, _ = gradient(ReverseWithPrimal, f, a, b)
    np.testing.assert_allclose(da, found, rtol=1e-14)


def test_the_exception_of_the_program():
    f = program(FILL + "    for j in range(m):\n        s += b[j] / w[j]\n")
    check_law(f)
    a, b = inputs()
    a[3, 2] = 0.0
    for mode in (Reverse, ReverseWithPrimal):
        with pytest.raises(ZeroDivisionError):
            gradient(mode, f, a, b)


def test_a_loop_that_fills_an_array_may_be_run_again_and_again():
    @njit
    def f(a, b):
        s = 0.0
        w = np.empty(b.size)
        for k in range(3):
            for i in range(a.shape[0]):
                for j in range(b.size):
                    w[j] = a[i, j] * b[j] * (k + 1)
                for j in range(b.size):
                    s += w[j] * w[j]
        return s

    check_law(f)
    a, b = inputs()
    autodiff(Reverse, f, Active, Const(a), Duplicated(b, np.zeros_like(b)))
