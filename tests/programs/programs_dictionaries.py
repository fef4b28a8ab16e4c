"""Dictionaries that are made and filled inside the differentiated function."""

from __future__ import annotations

import math

import numpy as np
from numba import njit, typed, types

from tests.programs.cases import program


def array(n):
    return lambda r: (r.standard_normal(n),)


@program(array(7), array(0))
@njit
def d_histogram(a):
    """Sums by class."""
    sums = typed.Dict.empty(types.int64, types.float64)
    for i in range(len(a)):
        k = i % 3
        sums[k] = sums.get(k, 0.0) + a[i] * a[i]
    s = 0.0
    for k, v in sums.items():
        s += (k + 1) * math.sin(v)
    return s


@program(lambda r: (r.uniform(0.5, 1.5), 60), lambda r: (r.uniform(0.5, 1.5), 0))
@njit
def d_memo(x, n):
    """A recurrence through a dictionary that grows several times."""
    memo = dict()
    memo[0] = x
    memo[1] = x * x
    for i in range(2, n):
        memo[i] = 0.5 * math.cos(memo[i - 1]) + 0.3 * memo[i - 2]
    return memo[max(n - 1, 1)] * len(memo)


@program(lambda r: (r.standard_normal(3), r.standard_normal(3)))
@njit
def d_named(a, b):
    p = {"mass": a[0], "spring": a[1], "drag": a[2]}
    q = p.copy()
    q["mass"] *= b[0]
    p["drag"] = q["mass"] * b[1]
    q["new"] = p["drag"] * b[2]
    a[1] = q["new"]
    return p["mass"] * q["spring"] + p["drag"] * q["drag"] + q["new"]


PLACE = types.UniTuple(types.int64, 2)


@program(lambda r: (r.standard_normal((4, 4)),))
@njit
def d_sparse(a):
    """A sparse matrix by coordinates."""
    entries = typed.Dict.empty(PLACE, types.float64)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if (i + j) % 2 == 0:
                entries[(i, j)] = a[i, j]
    s = 0.0
    for (i, j), v in entries.items():
        if (j, i) in entries:
            s += v * entries[(j, i)]
    return s


@njit
def table_of(x, n):
    made = typed.Dict.empty(types.int64, types.float64)
    for i in range(n):
        made[i] = x[i % len(x)] * i
    return made


@program(lambda r: (r.standard_normal(3), 9))
@njit
def d_returned(x, n):
    total = 0.0
    for _ in range(3):
        t = table_of(x, n)
        for v in t.values():
            total += v * v
        x *= 0.5
    return total


@program(array(6))
@njit
def d_overwritten(a):
    d = typed.Dict.empty(types.int64, types.float64)
    for sweep in range(3):
        for i in range(len(a)):
            d[i] = d[i] * d[i] * 0.1 if sweep > 0 else a[i]
    b = np.zeros(len(a))
    for i in d:
        b[i] = d[i] * a[i]
    return b.sum()


@njit
def _sum_by_remainder(v):
    d = typed.Dict.empty(types.int64, types.float64)
    for i in range(len(v)):
        d[i % 3] = 0.5 * d.get(i % 3, 0.1) + 0.5 * v[i]
    return d


@njit
def _bent(d, p):
    for k in d:
        d[k] = math.sin(d[k] * p)
    return d[0] - 0.5 * p


@program(lambda rng: (rng.standard_normal(5), 0.3, 0.4, 3))
@njit
def keys_of_two_kinds(x, a, b, n):
    """Errors about missing keys hold keys of both kinds."""
    f = {0: b * 1.0, n + 1: a * 1.0}
    s = f.get(1, b * 1.0) + _bent(_sum_by_remainder(x), a)
    g = {"up": a * 1.0, "down": s}
    return s * g["up"]


@program(array(5))
@njit
def d_of_arrays(a):
    d = typed.Dict.empty(types.unicode_type, types.float64[::1])
    for i in range(20):
        d["k" + str(i)] = a * i
        if i % 3 == 1:
            del d["k" + str(i - 1)]
    d["k1"] = d["k1"] * a
    _, v = d.popitem()
    w = d.pop("k4")
    w = w * d.get("k7", a)
    s = 0.0
    for e in d.values():
        s += e[0] * e[1]
    return s + (v * w * d.setdefault("new", a)).sum()


@program(array(5))
@njit
def d_of_tuples(a):
    d = typed.Dict()
    rows = typed.Dict()
    for i in range(5):
        d[i * 0.5] = (a * i, a[i])
        row = typed.List()
        row.append(a[i] * a[0])
        rows[i] = row
    rows[3].append(d[1.5][0][2])
    del d[0.5]
    s = 0.0
    for k, (v, y) in d.items():
        s += k * v.sum() * y
    for row in rows.values():
        s += row[0] * row[-1]
    return s


@program(array(4))
@njit
def d_emptied(a):
    d = typed.Dict.empty(types.int64, types.float64)
    s = 0.0
    for sweep in range(3):
        for i in range(30):
            d[i + 50 * sweep] = a[i % 4] * (i + s)
            if i % 4 == 3:
                s += d.pop(i + 50 * sweep - 2) * 0.1
        k, v = d.popitem()
        s += v * k * 0.01
        if sweep == 1:
            d.clear()
    for v in d.values():
        s += v * v
    return s
