"""Sums in memory, and objects that lie apart or do not: the adjoint law where LLVM makes most of what it is told."""

from __future__ import annotations

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
    ReverseWithPrimal,
    autodiff,
    compile_report,
)
from enzyme.backend.passes import POST_DEFAULT, compiling_with

pytestmark = pytest.mark.rotating(35)

# What is done for each `i` and `j` with the arrays `a`, `b` and the work array `c`.
SUMS = {
    "added": "c[i] += a[i] * b[j]",
    "subtracted": "c[i] -= a[i] * b[j]",
    "behind": "c[i] = a[i] * b[j] + c[i]",
    "subtracted from": "c[i] = a[i] * b[j] - c[i]",
    "of neighbours": "c[i] += a[i] * c[j]",
    "of itself": "c[i] += c[i] * b[j]",
    "doubled": "c[i] += c[i]",
    "scaled": "c[i] = 0.5 * c[i] + a[j]",
    "read twice": "t = c[i]\nc[i] = t + a[i]\ns += t * b[j]",
    "twice": "c[i] += a[j]\nc[i] += b[i] * b[j]",
    "written between": "t = c[i]\nc[j] = a[i] * b[i]\nc[i] = t + a[j]",
    "read between": "t = c[i]\ns += c[j] * a[i]\nc[i] = t + b[j]",
    "constant": "c[i] += 2.0",
    "number": "c[i] += u",
    "into arguments": "a[i] += b[j]\nb[j] -= a[i] * 0.1",
    "to both": "c[i] += b[j]\nb[j] += c[i] * 0.1",
    "still": "c[0] += a[i] * b[j]\nc[1] += a[j] * c[0]",
    "gathered": "c[n[i]] += a[i] * b[n[j]]",
    "under a branch": "if a[j] > 0.6:\n    c[i] += a[i]\nelse:\n    c[i] -= b[j]",
    "in two arrays": "c[i] += a[j]\nd[j] += c[i] * b[i]",
    "exchanged": "c[i] += a[i] * d[j]\nif j == 2:\n    c, d = d, c",
    "chosen": "e = c if i % 2 else d\ne[j] += a[i] * b[j]\nc[i] += d[j]",
    "outer, of two": "m[i, j] -= (a[i] + 0.5) * b[j] + b[i] * a[j] * a[i]",
    "still beside a store": "d[j] += a[i] * c[i]\nc[j] = d[j] * a[i]",
    "rows": "m[i] += a[j] * b\nc[j] += m[i, j]",
    "single": "f[i] += np.float32(a[i] * b[j])\ns += f[i] * 0.1 + f[1]",
    "complex": "z[i] += a[i] * (1.0 + 2.0j) * z[j]\ns += z[i].real",
}
START = """
    c, d, m = b * 1.5, np.cos(a), np.outer(a, b)
    f, z = b.astype(np.float32), a * (1.0 - 1.0j)
    s = 0.0
    for i in range(a.size):
        for j in range(b.size):
"""
END = "    return s + (c * b + d * d).sum() + m[1].sum() + z[2].imag + (a * a + b).sum()\n"


def program(body: str):
    lines = "\n".join("            " + line for line in SUMS[body].splitlines())
    space = {"math": math, "np": np}
    exec(f"def f(a, b, n, u):{START}{lines}\n{END}", space)
    return njit(space["f"])


def inputs():
    rng = np.random.default_rng(8)
    return rng.uniform(0.3, 0.9, 5), rng.uniform(0.2, 0.8, 5), np.array([2, 0, 3, 1, 2])


def sampled():
    """All with ALL_SUMS, else every third as users get it."""
    return list(SUMS) if "ALL_SUMS" in os.environ else list(SUMS)[::3]


def law_holds(f, a, b, n, shared: bool, tolerance: float) -> None:
    rng = np.random.default_rng(4)
    v, w = rng.standard_normal(a.size), rng.standard_normal(b.size)
    if shared:
        w = v
    given = a.copy()
    other = given if shared else b.copy()
    tangents = Duplicated(given, v.copy())
    others = tangents if shared else Duplicated(other, w.copy())
    (forward,) = autodiff(Forward, f, tangents, others, Const(n), Duplicated(0.7, 0.3))
    for mode in (Reverse, ReverseWithPrimal):
        given = a.copy()
        da, db = np.zeros_like(a), np.zeros_like(b)
        first = Duplicated(given, da)
        second = first if shared else Duplicated(b.copy(), db)
        du = autodiff(mode, f, Active, first, second, Const(n), Active(0.7))[0][-1]
        found = da @ v + (0.0 if shared else db @ w) + du * 0.3
        bound = np.abs(da * v).sum() + np.abs(db * w).sum() + abs(forward) + abs(du)
        assert abs(found - forward) <= tolerance * bound
    if not shared:
        lanes = [(np.zeros_like(a), np.zeros_like(b)) for _ in range(2)]
        das, dbs = zip(*lanes)
        arrays = BatchDuplicated(a.copy(), das), BatchDuplicated(b.copy(), dbs)
        autodiff(Reverse, f, Active, *arrays, Const(n), Active(0.7))
        for one, two in lanes:
            assert np.allclose(one, da, rtol=1e-12) and np.allclose(two, db, rtol=1e-12)


@pytest.mark.parametrize("shared", [False, True], ids=["apart", "one array"])
@pytest.mark.parametrize("body", SUMS)
def test_sums_obey_the_law(body, shared):
    law_holds(program(body), *inputs(), shared, 1e-5 if body == "single" else 1e-12)


@pytest.mark.parametrize("body", sampled())
def test_sums_obey_the_law_as_users_have_them(body):
    with compiling_with(POST_DEFAULT):
        for shared in (False, True):
            law_holds(program(body), *inputs(), shared, 1e-5 if body == "single" else 1e-12)


@njit
def product(a, b):
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                c[i, j] += a[i, k] * b[k, j]
    return (c * c).sum()


def test_the_loop_of_a_product_is_one_of_vectors():
    a, b = np.ones((40, 40)), np.ones((40, 40))
    annotated = [Duplicated(x, np.zeros_like(x)) for x in (a, b)]
    with compiling_with(POST_DEFAULT):
        report = compile_report(product, Reverse, Active, *annotated)
    assert "shadow 0 2" in report["ir"]["derivative"]  # of a, b and c
    reverse = report["ir"]["optimised"].partition("rev.")[2]
    assert "x double>" in reverse
