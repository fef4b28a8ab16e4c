"""Loops that look for the largest of many numbers look at many at a time, and find the same.

A table of searches, of numbers and of lengths is walked: value, gradient and slope are to the bit those of the
derivative whose loops look at one number after the other, and the value is that of the program.
"""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Const, Duplicated, Forward, ReverseWithPrimal, autodiff
from enzyme.engine import differentiate
from enzyme.engine.synthesis import vector_searches
from enzyme.engine.synthesis.vector_searches import search_in_vectors

pytestmark = pytest.mark.rotating(32)

LENGTHS = (1, 2, 47, 48, 49, 50, 63, 64, 65, 66, 80, 81, 96, 97, 200, 1003)

# What is found is `m`, `k` and `c`.
SEARCHES = {
    "the largest": "m = x[0]\nfor i in range(n):\n    m = max(m, x[i])",
    "the smallest": "m = x[0]\nfor i in range(n):\n    m = min(m, x[i])",
    "the largest, compared": "m = -np.inf\nfor i in range(n):\n    if x[i] > m:\n        m = x[i]",
    "the other way": "m = np.inf\nfor i in range(n):\n    if m > x[i]:\n        m = x[i]",
    "the first place": "m = x[0]\nfor i in range(n):\n    if x[i] > m:\n        m = x[i]\n        k = i",
    "the last place": "m = x[0]\nfor i in range(n):\n    if x[i] >= m:\n        m = x[i]\n        k = i",
    "the last smallest": "m = x[0]\nfor i in range(n):\n    if m >= x[i]:\n        m = x[i]\n        k = i",
    "of a distance": (
        "m = 1e300\nfor i in range(n):\n    d = (x[i] - c) * (x[i] - c) + 0.5 * y[i]\n    if d < m:\n        m = d\n"
        "        k = i"
    ),
    "with what is beside it": (
        "m = x[0]\nfor i in range(n):\n    if x[i] > m:\n        m = x[i]\n        c = y[i] * x[i]\n"
        "        k = places[i]"
    ),
    "of rows": (
        "m = 1e300\nfor i in range(n):\n    d = abs(rows[i, 0] - c) + abs(rows[i, 2])\n    if d < m:\n        m = d\n"
        "        k = i"
    ),
    "two": (
        "m = x[0]\nl = x[0]\nfor i in range(n):\n    if x[i] > m:\n        m = x[i]\n        k = i\n"
        "    if x[i] < l:\n        l = x[i]\nm = m - l * l"
    ),
    "backwards": "m = x[n - 1]\nfor i in range(n - 1, -1, -1):\n    if x[i] > m:\n        m = x[i]\n        k = i",
    "of every second": "m = x[0]\nfor i in range(0, n, 2):\n    if x[i] > m:\n        m = x[i]\n        k = i",
    "of products": "m = x[0] * y[0]\nfor i in range(n):\n    m = max(m, x[i] * y[i])",
    "of roots": "m = 0.0\nfor i in range(n):\n    m = max(m, np.sqrt(abs(x[i])))",
    "of rounded ones": (
        "m = -1.0\nfor i in range(n):\n    v = np.floor(x[i] * 4.0) + np.copysign(0.25, y[i] - 0.5)\n"
        "    if v > m:\n        m = v\n        k = i"
    ),
    "of chosen ones": "m = 0.0\nfor i in range(n):\n    v = x[i] if y[i] > 0.5 else -x[i]\n    m = max(m, v)",
    "of a part": "m = x[n // 2]\nfor i in range(n // 2, n):\n    if x[i] > m:\n        m = x[i]\n        k = i - 3",
    "of a narrow index": (
        "m = x[0]\nj = np.int32(5)\nfor i in range(n):\n    j += np.int32(3)\n    if x[i] > m:\n        m = x[i]\n"
        "        k = j"
    ),
    "in rows": (
        "m = 0.0\nfor r in range(3):\n    l = rows[0, r]\n    for i in range(n):\n        l = max(l, rows[i, r])\n"
        "    m += l * l"
    ),
    "with a sum": "m = x[0]\nfor i in range(n):\n    m = max(m, x[i])\n    c += x[i]",
    "that ends": "m = x[0]\nfor i in range(n):\n    m = max(m, x[i])\n    if m > 2.5:\n        break",
}
FOUND = (
    "the largest",
    "the last place",
    "of a distance",
    "with what is beside it",
    "of rows",
    "two",
)


def _numbers(kind: str, n: int):
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    if kind == "with equal ones":
        x = np.round(x)
    elif kind == "zeros of both signs":
        x = np.where(rng.uniform(size=n) < 0.5, 0.0, -0.0)
    elif kind == "none among them":
        x[rng.uniform(size=n) < 0.2] = np.nan
        x[0] = 0.0
    elif kind == "none at first":
        x[0] = np.nan
    elif kind == "infinite":
        x[rng.uniform(size=n) < 0.1] = np.inf
        x[rng.uniform(size=n) < 0.1] = -np.inf
    elif kind == "all equal":
        x[:] = 0.75
    elif kind == "growing":
        x = np.sort(x)
    elif kind == "falling":
        x = -np.sort(-x)
    return x


KINDS = (
    "any",
    "with equal ones",
    "zeros of both signs",
    "none among them",
    "none at first",
    "infinite",
    "all equal",
    "growing",
    "falling",
)


def _made(search: str):
    lines = "\n".join(f"    {line}" for line in SEARCHES[search].splitlines())
    scope: dict = {"np": np}
    text = (
        "def f(x, y, rows, places, n):\n    k = 0\n    c = 0.25\n"
        f"{lines}\n    return m * 1.5 + c * y[k % n] + k * 1e-3 * x[n - 1]\n"
    )
    exec(text, scope)
    return njit(scope["f"])


def _all(f, kind, n, dtype):
    """The value, gradients and a slope."""
    rng = np.random.default_rng(n)
    x = _numbers(kind, n).astype(dtype)
    y = rng.uniform(0.1, 0.9, n).astype(dtype)
    rows = np.ascontiguousarray(np.stack([x, y, x * y], axis=1))
    places = rng.integers(0, n, n)
    arrays = (x, y, rows)
    given = [Duplicated(a, np.zeros_like(a)) for a in arrays]
    rest = Const(places), Const(n)
    value = autodiff(ReverseWithPrimal, f, Active, *given, *rest)[1]
    along = [Duplicated(a, np.cos(a).astype(dtype)) for a in arrays]
    (slope,) = autodiff(Forward, f, *along, *rest)
    plain = f(*arrays, places, n)
    return [np.array([value, slope, plain]), *(a.dval for a in given)]


def _bits(arrays):
    """Numbers that are the same to the bit have the same bytes; NaN is one number."""
    return [np.where(np.isnan(a), np.nan, a).tobytes() for a in arrays]


def _one_by_one(monkeypatch):
    steps = tuple(s for s in differentiate._WRITING_OUT if s is not search_in_vectors)
    monkeypatch.setattr(differentiate, "_WRITING_OUT", steps)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("search", SEARCHES)
def test_table(search, kind, dtype, monkeypatch):
    with monkeypatch.context() as patch:
        _one_by_one(patch)
        f = _made(search)
        expected = {n: _all(f, kind, n, dtype) for n in LENGTHS}
    f = _made(search)
    for n in LENGTHS:
        found = _all(f, kind, n, dtype)
        assert _bits(found) == _bits(expected[n]), n
        value, _, plain = found[0]
        if search != "with a sum":
            np.testing.assert_array_equal(value, plain)


@pytest.mark.parametrize(("search", "vectors"), [(s, s in FOUND) for s in SEARCHES])
def test_what_is_searched_in_vectors(search, vectors, monkeypatch):
    if not vectors and search not in ("with a sum", "that ends"):
        vectors = None
    written = []
    plain = vector_searches._write
    monkeypatch.setattr(
        vector_searches, "_write", lambda search: (written.append(search), plain(search))
    )
    _all(_made(search), "any", 65, np.float64)
    assert vectors is None or bool(written) == vectors
