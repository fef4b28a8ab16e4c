"""What a loop stored in a work array and another one reads is had from where it was computed.

A table of ways to fill an array and ways to read it is walked: reverse mode, with and without the primal and in split
mode, agrees with forward mode, and to the bit with the derivative that keeps what is read.
"""

from __future__ import annotations

import itertools

import pytest

from enzyme import Reverse
from enzyme.engine.synthesis import elsewhere
from enzyme.engine.synthesis.elsewhere import Elsewhere
from tests.rotation import all_run
from tests.synthesis.around import (
    assert_as_forward,
    assert_batches_and_second_order,
    assert_same_without,
    bytes_in_loops,
    gradient_of,
    inputs_of,
    program,
)

pytestmark = pytest.mark.rotating(16)

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
    "read in front": "b = z[m - 1] * z[0]\nfor i in range(m):\n    z[i] = np.sin(b * x[i]) * a",
    "read in front of two": (
        "b = z[m // 2]\nfor i in range(m):\n    z[i] = np.sin(b * z[i]) * a\nfor i in range(m):\n    z[i] = z[i] * b"
    ),
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

# The same for matrices, of m rows and m + 1 columns.
MATRIX_FILLS = {
    "by rows": "for i in range(m):\n    for k in range(m + 1):\n        z[i, k] = np.exp(-a * x[i] * y[k])",
    "by columns": "for k in range(m + 1):\n    for i in range(m):\n        z[i, k] = np.exp(-a * x[i] * y[k])",
    "from memory": "for i in range(m):\n    for k in range(m + 1):\n        z[i, k] = x[i] * y[k] - x[k]",
    "all but a column": "for i in range(m):\n    for k in range(m):\n        z[i, k] = np.exp(-a * x[i] * y[k])",
    "all but a row": (
        "for i in range(m - 1):\n    for k in range(m + 1):\n        z[i, k] = np.exp(-a * x[i] * y[k])"
    ),
    "a triangle": "for i in range(m):\n    for k in range(i + 1):\n        z[i, k] = np.exp(-a * x[i] * y[k])",
    "too many columns": (
        "for i in range(m - 1):\n    for k in range(m + 2):\n"
        "        z[i, k % (m + 1)] = np.exp(-a * x[i] * y[k % 3])"
    ),
    "again and again": (
        "for r in range(3):\n    for i in range(m):\n        for k in range(m + 1):\n"
        "            z[i, k] = np.exp(-a * x[i] * w[r] * y[k])"
    ),
    "less each time": (
        "for r in range(3):\n    for i in range(m - min(r, m)):\n        for k in range(m + 1):\n"
        "            z[i, k] = np.exp(-a * x[i] * w[r] * y[k])"
    ),
    "from the row above": (
        "for k in range(m + 1):\n    z[0, k] = a\nfor i in range(1, m):\n    for k in range(m + 1):\n"
        "        z[i, k] = np.exp(-z[i - 1, k] * x[i])"
    ),
    "some rows": (
        "for i in range(m):\n    if x[i] > 1.0:\n        for k in range(m + 1):\n"
        "            z[i, k] = np.exp(-a * x[i] * y[k])"
    ),
    "a product": (
        "for i in range(m):\n    for k in range(m + 1):\n        u = 0.0\n        for r in range(3):\n"
        "            u += w[r] * x[i] * y[k] * a\n        z[i, k] = u * u"
    ),
    "whole": "z[:, :] = np.exp(-a * x[:m].reshape(m, 1) * y[: m + 1])",
    "the first column last": (
        "for i in range(m):\n    for k in range(m + 1):\n        z[i, k] = np.exp(-a * x[i] * y[k])\n"
        "for i in range(m):\n    z[i, 0] = z[i, 0] * z[i, m]"
    ),
}
MATRIX_READS = {
    "by rows": "for i in range(m):\n    for k in range(m + 1):\n        s += z[i, k] * z[i, k] * a",
    "by columns": "for k in range(m + 1):\n    for i in range(m):\n        s += z[i, k] * z[i, k] * (a + s)",
    "times itself": (
        "for i in range(m):\n    for j in range(m):\n        for k in range(m):\n"
        "            s += z[i, j] * z[j, k] * x[k]"
    ),
    "neighbours": (
        "for i in range(1, m):\n    for k in range(m):\n"
        "        s += z[i, k] * (z[i, k + 1] - 2.0 * z[i - 1, k]) * z[i, k]"
    ),
    "the diagonal": "for i in range(m):\n    s += z[i, i] * z[i, i + 1] * a",
    "the last row": "for k in range(m + 1):\n    s += z[m - 1, k] * z[m - 1, k]",
    "beyond the row": "for k in range(m - 1):\n    s += z[k, m] * z[k + 1, 0]",
    "over and over": (
        "for i in range(m):\n    for k in range(m + 1):\n        z[i, k] = np.exp(-z[i, k] * a)\n"
        "        s += z[i, k] * z[i, k]"
    ),
    "eliminated": (
        "for j in range(m):\n    for i in range(j + 1, m):\n        q = z[i, j] / (1.0 + z[j, j])\n"
        "        for k in range(j, m + 1):\n            z[i, k] -= q * z[j, k]\n    s += z[j, m]"
    ),
}
MATRICES_AROUND = {
    "a work array": "z = np.ones((m, m + 1))\nfor o in range(n):\n    a = y[o]\n{1}",
    "made anew": "for o in range(n):\n    a = y[o]\n    z = np.ones((m, m + 1))\n{1}",
    "two loops": (
        "z = np.ones((m, m + 1))\nfor o in range(n):\n    for q in range(2):\n        a = y[o + q] * w[q]\n{2}"
    ),
    "the other order": "t = np.ones((m + 1, m))\nz = t.T\nfor o in range(n):\n    a = y[o]\n{1}",
    "a layer": "layers = np.ones((2, m, m + 1))\nfor o in range(n):\n    a = y[o]\n    z = layers[o % 2]\n{1}",
    "columns apart": "wide = np.ones((m, 2 * m + 2))\nz = wide[:, ::2]\nfor o in range(n):\n    a = y[o]\n{1}",
}


def _program(fill: str, read: str, around: str):
    first = "s = 0.0\nm = n + 1\nc = np.zeros(1)"
    lines = f"{FILLS[fill]}\n{READS[read]}"
    return program("x, y, w, n", first, AROUND[around], lines, "s")


def _matrix_program(fill: str, read: str, around: str):
    lines = f"{MATRIX_FILLS[fill]}\n{MATRIX_READS[read]}"
    return program("x, y, w, n", "s = 0.0\nm = n + 1", MATRICES_AROUND[around], lines, "s")


def _some(*parts):
    every = enumerate(itertools.product(*parts))
    return [cell for k, cell in every if k % (7 if all_run() else 29) == 3]


def _without(monkeypatch):
    monkeypatch.setattr(Elsewhere, "find", lambda *_: None)


def _check(make, cell, monkeypatch):
    assert_same_without(lambda: make(*cell), _without, LENGTHS, monkeypatch)


@pytest.mark.parametrize(("fill", "read", "around"), _some(FILLS, READS, AROUND))
def test_table(fill, read, around, monkeypatch):
    _check(_program, (fill, read, around), monkeypatch)


@pytest.mark.parametrize(
    ("fill", "read", "around"), _some(MATRIX_FILLS, MATRIX_READS, MATRICES_AROUND)
)
def test_table_of_matrices(fill, read, around, monkeypatch):
    _check(_matrix_program, (fill, read, around), monkeypatch)


@pytest.mark.parametrize("read", MATRIX_READS)
@pytest.mark.parametrize("fill", ["by rows", "by columns", "again and again", "a product"])
def test_what_is_found_in_a_matrix(fill, read, monkeypatch):
    _check(_matrix_program, (fill, read, "a work array"), monkeypatch)


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("fill", ["in order", "from memory", "substituted", "a sum"])
def test_what_is_found(fill, read, monkeypatch):
    _check(_program, (fill, read, "a work array"), monkeypatch)


def test_what_is_left_in_other_memory_is_not_computed_again(monkeypatch):
    copied = []

    def noted(self, source, b, indices, plain=elsewhere._Copied.write):
        copied.extend(self.instructions)
        return plain(self, source, b, indices)

    monkeypatch.setattr(elsewhere._Copied, "write", noted)
    first = "s = 0.0\nm = n + 1\nz = np.ones(m)\nq = np.ones((n, m))"
    lines = (
        "for i in range(m):\n    t = np.exp(-a * x[i])\n    z[i] = t\n    q[o, i] = t\n"
        "for i in range(m):\n    s += z[i] * z[i] * x[i]"
    )
    around = "for o in range(n):\n    a = y[o]\n{1}"
    f = program("x, y, w, n", first, around, lines, "s + (q * q).sum()")
    for n in LENGTHS:
        assert_as_forward(f, gradient_of(Reverse, f, inputs_of(n), n), inputs_of(n), n)
    assert not any(i.opcode == "call" for i in copied)


@pytest.mark.parametrize("fill", ["read in front", "read in front of two"])
@pytest.mark.parametrize("around", AROUND)
def test_read_in_front(fill, around, monkeypatch):
    _check(_program, (fill, "in order", around), monkeypatch)


def _kept(fill, read, make=_program, n=4):
    return bytes_in_loops(make(fill, read, "a work array"), n)


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
    ("fill", "read", "fewer"),
    [
        ("by rows", "by rows", 8),
        ("by columns", "by rows", 8),
        ("by rows", "times itself", 16),
        ("by rows", "the diagonal", 16),
        ("again and again", "by rows", 8),
        ("a product", "times itself", 8),
        ("all but a column", "by rows", 0),
        ("all but a row", "by rows", 0),
        ("less each time", "by rows", 0),
        ("some rows", "by rows", 0),
        ("too many columns", "by rows", 0),
    ],
)
def test_less_is_kept_of_a_matrix(fill, read, fewer, monkeypatch):
    found = _kept(fill, read, _matrix_program)
    _without(monkeypatch)
    assert _kept(fill, read, _matrix_program) - found == fewer


@pytest.mark.parametrize(
    ("fill", "read"), [("substituted", "in a triangle"), ("from memory", "in rows")]
)
def test_in_batches_and_in_second_order(fill, read):
    assert_batches_and_second_order(_program(fill, read, "a work array"), 4)
