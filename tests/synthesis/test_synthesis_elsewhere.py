"""What a loop stored in a work array and another one reads is had from where it was computed.

A table of ways to fill an array and ways to read it is walked: reverse mode, with and without the primal and in split
mode, agrees with forward mode, and to the bit with the derivative that keeps what is read.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Reverse,
    ReverseWithPrimal,
    autodiff,
    explain,
    hvp,
)
from enzyme.engine.synthesis.elsewhere import Elsewhere
from tests.rotation import all_run
from tests.synthesis.around import (
    assert_as_forward,
    duplicated,
    gradient_of,
    gradients_of_tapes,
    inputs_of,
    program,
)

pytestmark = pytest.mark.rotating(9)

# `z` has the length `m`; `a` is a number of the iteration around.
FILLS = {
    "in order": "for i in range(m):\n    z[i] = np.exp(-a * x[i])",
    "from memory": "for i in range(m):\n    z[i] = x[i] * y[i] - y[m - 1 - i]",
    "from the iteration": "for i in range(m):\n    z[i] = a * x[i] + a",
    "backwards": "for i in range(m - 1, -1, -1):\n    z[i] = np.exp(-a * x[i])",
    "shifted": "z[0] = a\nfor i in range(1, m):\n    z[i] = np.tanh(a * x[i - 1])",
    "by a step": (
        "for i in range(0, m, 2):\n    z[i] = np.sin(a * x[i])\n"
        "for i in range(1, m, 2):\n    z[i] = a * a * x[i]"
    ),
    "two at a time": "for i in range(m // 2):\n    z[2 * i] = np.sin(a * x[i])\n    z[2 * i + 1] = a * x[i] * x[i]",
    "a part": "for i in range(m // 2):\n    z[i] = np.sin(a * x[i])",
    "all but the last": "for i in range(m - 1):\n    z[i] = np.sin(a * x[i])",
    "some": "for i in range(m):\n    if x[i] > 1.0:\n        z[i] = np.sin(a * x[i])",
    "until something": "for i in range(m):\n    z[i] = np.sin(a * x[i])\n    if x[i] > 1.5:\n        break",
    "on and on": "z[0] = a\nfor i in range(1, m):\n    z[i] = np.sin(z[i - 1] * x[i]) + a",
    "substituted": (
        "for i in range(m):\n    u = x[i]\n"
        "    for k in range(i):\n        u -= 0.1 * w[k % 3] * z[k]\n    z[i] = np.sin(u) * a"
    ),
    "two before": (
        "for i in range(m):\n    if i < 2:\n        u = a\n"
        "    else:\n        u = z[i - 1] * z[i - 2]\n    z[i] = np.cos(u * x[i])"
    ),
    "a sum": "for i in range(m):\n    u = 0.0\n    for k in range(3):\n        u += w[k] * x[i] * a\n    z[i] = u * u",
    "if at all": "if a > 0.6:\n    for i in range(m):\n        z[i] = np.sin(a * x[i])",
    "one number": "for i in range(m):\n    z[i] = a * a",
    "twice": "for i in range(m):\n    z[i] = np.sin(a * x[i])\nfor i in range(m):\n    z[i] = z[i] * z[i] * a",
    "whole": "z[:] = np.sin(x[:m] * a)",
    "then one more": "for i in range(m):\n    z[i] = np.sin(a * x[i])\nz[m // 2] = a * a",
    "counted": "for i in range(m):\n    z[i] = np.sin(a * x[i])\nz[int(c[0])] *= a\nc[0] = (c[0] + 1.0) % m",
}

READS = {
    "in order": "for i in range(m):\n    s += z[i] * z[i] * a",
    "backwards": "for i in range(m - 1, -1, -1):\n    s += z[i] * z[i] * (s + a)",
    "neighbours": "for i in range(m - 1):\n    s += z[i] * z[i + 1]",
    "in rows": "for i in range(3):\n    for k in range(m):\n        s += np.sin(z[k] * w[i]) * z[k]",
    "in a triangle": "for i in range(m):\n    for k in range(i):\n        s += np.sin(z[k] * z[i])",
    "where an index says": "for i in range(m):\n    s += z[(3 * i + 1) % m] * z[i]",
    "over and over": "for i in range(m):\n    z[i] = np.sin(z[i] * a)\n    s += z[i] * z[i]",
    "the next changed": "for i in range(m - 1):\n    s += z[i] * z[i]\n    z[i + 1] *= np.sin(z[i] * a)",
    "the last changed": "for i in range(1, m):\n    s += z[i] * z[i]\n    z[i - 1] = np.sin(z[i] * a)",
    "another view": "v = z[1:]\nfor i in range(m - 1):\n    v[i] = v[i] * np.sin(z[i] + a)\n    s += z[i] * z[i]",
    "in a branch": (
        "for i in range(m):\n    if x[i] > a:\n        s += np.sin(z[i]) * z[i]\n"
        "    else:\n        s += z[m - 1 - i] ** 2"
    ),
    "beyond": "for i in range(m):\n    s += np.sin(z[i] * s)\nz[m - 1] = s",
    "while": "i = 0\nwhile i < m and s < 1e3:\n    s += z[i] * z[i]\n    i += 1",
    "sums alone": "for i in range(m):\n    s += np.sqrt(1.0 + z[i] * z[i])",
}

# What is around; {1} and {2} stand for both.
AROUND = {
    "a work array": "z = np.ones(m)\nfor o in range(n):\n    a = y[o]\n{1}",
    "made anew": "for o in range(n):\n    a = y[o]\n    z = np.ones(m)\n{1}",
    "of an argument": "z = y[:m]\nfor o in range(n):\n    a = x[o] * 0.5\n{1}",
    "two loops": "z = np.ones(m)\nfor o in range(2):\n    for r in range(2):\n        a = y[o + r] * w[o]\n{2}",
    "a walk": "z = np.ones(m)\no = 0\nwhile o < n and s < 1e4:\n    a = y[o]\n{1}\n    o += 1",
    "a row": "rows = np.ones((n, m))\nfor o in range(n):\n    a = y[o]\n    z = rows[o]\n{1}",
    "rows of it": "rows = np.ones((2, m))\nfor o in range(n):\n    a = y[o % 3]\n    z = rows[o % 2]\n{1}",
    "once": "z = np.ones(m)\na = y[0]\nfor _ in range(1):\n{1}\nz[:] = a",
}
LENGTHS = (0, 1, 4)


def _program(fill: str, read: str, around: str):
    first = "s = 0.0\nm = n + 1\nc = np.zeros(1)"
    lines = f"{FILLS[fill]}\n{READS[read]}"
    return program("x, y, w, n", first, AROUND[around], lines, "s")


TABLE = [
    (fill, read, around)
    for k, (fill, read, around) in enumerate(itertools.product(FILLS, READS, AROUND))
    if k % (7 if all_run() else 29) == 3
]


def _without(monkeypatch):
    monkeypatch.setattr(Elsewhere, "find", lambda self, value, recipes, homes: None)


def _check(fill, read, around, monkeypatch):
    f = _program(fill, read, around)
    with monkeypatch.context() as patch:
        _without(patch)
        kept = _program(fill, read, around)
        expected = [gradient_of(Reverse, kept, inputs_of(n), n) for n in LENGTHS]
    for n, of_tape, of_kept in zip(LENGTHS, gradients_of_tapes(f, LENGTHS), expected, strict=True):
        # Some of these programs change their arguments.
        found = gradient_of(Reverse, f, inputs_of(n), n)
        scale = max(1.0, float(abs(found).max()))
        for other in (gradient_of(ReverseWithPrimal, f, inputs_of(n), n), of_tape, of_kept):
            assert abs(found - other).max() <= 1e-12 * scale, n
        assert_as_forward(f, found, inputs_of(n), n)


@pytest.mark.parametrize(("fill", "read", "around"), TABLE)
def test_table(fill, read, around, monkeypatch):
    _check(fill, read, around, monkeypatch)


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("fill", ["in order", "from memory", "substituted", "a sum"])
def test_what_is_found(fill, read, monkeypatch):
    _check(fill, read, "a work array", monkeypatch)


def _kept(fill, read, around="a work array", n=4):
    """Bytes that are kept in loops, of which each has its own."""
    arguments = (Reverse, _program(fill, read, around), Active, *duplicated(inputs_of(n)), Const(n))
    storages = [s for f in explain(*arguments).functions for s in f.storages if s.loops]
    return sum(s.bytes_per_iteration for s in storages)


@pytest.mark.parametrize(
    ("fill", "read", "fewer"),
    [
        ("in order", "in order", 8),
        ("in order", "backwards", 8),
        ("in order", "in rows", 24),
        ("in order", "in a triangle", 16),
        ("in order", "over and over", 8),
        ("substituted", "in order", 8),
        ("from memory", "in order", 8),
        ("from the iteration", "in order", 8),
        ("a sum", "in order", 8),
        ("backwards", "in order", 8),
        ("on and on", "in order", 0),
        ("in order", "where an index says", 8),
        ("a part", "in order", 0),
        ("some", "in order", 0),
        ("until something", "in order", 0),
        ("if at all", "in order", 0),
        ("all but the last", "in order", 0),
        ("all but the last", "neighbours", 0),
        ("then one more", "in order", 0),
        ("counted", "in order", 0),
        ("in order", "the next changed", 8),
        ("in order", "another view", 8),
    ],
)
def test_less_is_kept(fill, read, fewer, monkeypatch):
    found = _kept(fill, read)
    _without(monkeypatch)
    assert _kept(fill, read) - found == fewer


@pytest.mark.parametrize(
    ("fill", "read"), [("substituted", "in a triangle"), ("from memory", "in rows")]
)
def test_in_batches_and_in_second_order(fill, read):
    f, n, inputs = _program(fill, read, "a work array"), 4, inputs_of(4)
    batches = [BatchDuplicated(a, (np.zeros_like(a), np.zeros_like(a))) for a in inputs]
    autodiff(Reverse, f, Active, *batches, Const(n))
    expected = gradient_of(Reverse, f, inputs, n)
    for lane in range(2):
        found = np.concatenate([b.dval[lane] for b in batches])
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)
    g = njit(lambda x, y, w, n: f(x, y, w, n))
    direction = np.random.default_rng(2).normal(size=inputs[0].size)
    along = hvp(lambda x: g(x, inputs[1], inputs[2], n), inputs[0], direction)
    step = 1e-6
    ahead, behind = (
        gradient_of(Reverse, f, (inputs[0] + k * step * direction, *inputs[1:]), n) for k in (1, -1)
    )
    differences = (ahead - behind)[: inputs[0].size] / (2 * step)
    np.testing.assert_allclose(along, differences, rtol=1e-6, atol=1e-7)
