"""A state that each step stores and the next one loads is had from what is kept of the step before.

A table of states, of steps, of loops around them and of what reads the state afterwards is walked: reverse mode, with
and without the primal and in split mode, agrees with forward mode, and to the last digits with the derivative that
keeps what is loaded.
"""

from __future__ import annotations

import itertools
import textwrap

import pytest

from enzyme.engine.synthesis.elsewhere import Elsewhere
from tests.rotation import all_run
from tests.synthesis.around import (
    assert_batches_and_second_order,
    assert_same_without,
    bytes_in_loops,
    program,
)

pytestmark = pytest.mark.rotating(48)

# The state `h` has `m` numbers at least.
STATES = {
    "zeros": "h = np.zeros(m)",
    "a copy": "h = x[:m].copy()",
    "a whole copy": "h = x.copy()",
    "full": "h = np.full(m, 0.3)",
    "an expression": "h = x[:m] * y[:m]",
    "filled": "h = np.empty(m)\nfor i in range(m):\n    h[i] = np.sin(x[i])",
    "in order": "h = np.empty(m)\nfor i in range(m):\n    h[i] = x[i] * x[i] - 0.5",
    "as a mirror": "h = np.empty(m)\nfor i in range(m):\n    h[m - 1 - i] = x[i] * x[i] - 0.5",
    "half filled": "h = np.ones(m)\nfor i in range(m // 2):\n    h[i] = x[i] * x[i]",
    "if at all": "h = np.ones(m)\nif n > 1:\n    for i in range(m):\n        h[i] = x[i] * x[i]",
    "an argument": "h = x",
    "with one number": "h = np.empty(m)\nfor i in range(m):\n    h[i] = w[2]",
    "an argument with one number": "h = x\nfor i in range(len(h)):\n    h[i] = w[2]",
    "with one number, if at all": (
        "h = np.zeros(m)\nif n > 0:\n    v = np.sin(w[1]) * np.exp(w[2])\n    for i in range(m):\n        h[i] = v"
    ),
    "with a sum, if at all": (
        "h = x\nif m > 1:\n    v = w[1] * w[2] - w[0]\n    for i in range(m):\n        h[i] = v"
    ),
    "a row": "z = np.zeros((3, m))\nh = z[1]",
    "a part of a copy": "h = x.copy()[1 : m + 1]",
    "but for one": "h = np.zeros(m)\nh[m - 1] = y[0]",
    "a copy of what changes": "h = y[:m].copy()\ny[0] = 0.5 * y[1]",
    "every second": "h = np.zeros(2 * m)[::2]",
}

# `a` is a number of the step `t`.
STEPS = {
    "a gate": (
        "for i in range(m):\n    o = 1.0 / (1.0 + np.exp(-a * x[i] - h[i] * w[0]))\n"
        "    h[i] = o * np.tanh(h[i] * w[1] + a)"
    ),
    "a product": "for i in range(m):\n    h[i] = np.exp(-h[i] * a) * np.sin(x[i] * a + h[i])",
    "one function": "for i in range(m):\n    h[i] = np.sin(h[i] * a + x[i])",
    "backwards": "for i in range(m - 1, -1, -1):\n    h[i] = np.exp(-h[i] * a) * np.cos(h[i])",
    "read in front": (
        "for i in range(m):\n    s += h[i] * h[i] * np.exp(-h[i])\n"
        "for i in range(m):\n    h[i] = np.exp(-x[i] * a) * np.tanh(s + a)"
    ),
    "read in front as a mirror": (
        "for i in range(m):\n    s += h[m - 1 - i] * np.exp(-h[i])\n"
        "for i in range(m):\n    h[i] = np.exp(-x[i] * a) * np.tanh(s + a)"
    ),
    "the one before": "for i in range(1, m):\n    h[i] = np.exp(-h[i - 1] * a) * np.sin(h[i] + a)",
    "the next one": "for i in range(m - 1):\n    h[i] = np.exp(-h[i + 1] * a) * np.sin(h[i] + a)",
    "a part": "for i in range(m // 2):\n    h[i] = np.exp(-h[i] * a) * np.sin(h[i] + a)",
    "all, of a part": (
        "for i in range(m):\n    s += h[i] * h[i] * h[i]\n"
        "for i in range(m // 2):\n    h[i] = np.exp(-x[i] * a) * np.sin(s + a)"
    ),
    "some": "for i in range(m):\n    if x[i] > 1.0:\n        h[i] = np.exp(-h[i] * a) * np.sin(h[i])",
    "in some steps": "if a > 0.6:\n    for i in range(m):\n        h[i] = np.exp(-h[i] * a) * np.sin(h[i])",
    "twice": (
        "for i in range(m):\n    h[i] = np.exp(-h[i] * a) * np.sin(h[i])\n"
        "for i in range(m):\n    h[i] = np.exp(-h[i]) * np.cos(h[i] * a)"
    ),
    "twice at once": (
        "for i in range(m):\n    h[i] = np.exp(-h[i] * a) * np.sin(h[i])\n    h[i] = np.exp(-h[i]) * np.cos(h[i] * a)"
    ),
    "by way of another": (
        "for i in range(m):\n    d[i] = np.exp(-h[i] * a) * np.sin(h[i])\nfor i in range(m):\n    h[i] = d[i]"
    ),
    "an expression": "h[:m] = np.exp(-h[:m] * a) * np.sin(h[:m])",
    "less each time": (
        "for i in range(m - t if t < m else 0):\n    h[i] = np.exp(-h[i] * a) * np.sin(h[i])\n"
        "for i in range(m):\n    s += h[i] * h[i]"
    ),
    "over and over": (
        "for r in range(3):\n    for i in range(m):\n        h[i] = np.exp(-h[i] * a) * np.sin(h[i] * w[r])"
    ),
    "until something": (
        "for i in range(m):\n    h[i] = np.exp(-h[i] * a) * np.sin(h[i])\n    if x[i] > 1.5:\n        break"
    ),
    "with one more": (
        "for i in range(m):\n    h[i] = np.exp(-h[i] * a) * np.sin(h[i])\nh[int(y[0] * m) % m] = a * a"
    ),
    "with one of its own": (
        "h[0] = a * h[0]\nfor i in range(m):\n    h[i] = np.exp(-h[i] * a) * np.sin(h[i])"
    ),
    "pairs": (
        "for i in range(m):\n    d[i] = 0.0\n    for k in range(m):\n        d[i] += np.sin(h[k] * x[i]) * h[i]\n"
        "for i in range(m):\n    h[i] = np.exp(-d[i]) * np.tanh(d[i])"
    ),
    "layers": (
        "for i in range(m):\n    d[i] = a * x[i]\nfor l in range(2):\n    for i in range(m):\n"
        "        g[l, i] = np.exp(-d[i] * w[l]) * np.tanh(g[l, i] * d[i])\n"
        "    for i in range(m):\n        d[i] = g[l, i]\n"
        "for i in range(m):\n    h[i] = np.exp(-d[i]) * np.sin(d[i] + h[i])"
    ),
    "some layers": (
        "for i in range(m):\n    d[i] = a * x[i]\nfor l in range(n - 2):\n    for i in range(m):\n"
        "        h[i] = np.exp(-d[i] * w[l]) * np.tanh(h[i] + d[i])\n        d[i] = h[i]\n"
        "for i in range(m):\n    s += np.exp(-d[i]) * np.sin(d[i])"
    ),
    "a chain": (
        "for i in range(m):\n    v = h[i]\n    for k in range(3):\n        v = np.sin(v * a + w[k])\n"
        "    h[i] = np.exp(-v) * np.tanh(v)"
    ),
    "errors": (
        "for i in range(m):\n    h[i] = np.exp(-h[i] * a) / (1.0 + h[i] * h[i])\n"
        "    if h[i] > 1e9:\n        raise ValueError"
    ),
}

# {state} and {step} stand for both.
AROUND = {
    "steps": "{state}\nfor t in range(n):\n    a = y[t]\n    {step}",
    "steps from one": "{state}\nfor t in range(1, n):\n    a = y[t]\n    {step}",
    "steps backwards": "{state}\nfor t in range(n - 1, -1, -1):\n    a = y[t]\n    {step}",
    "two loops": (
        "{state}\nfor q in range(2):\n    for t in range(n):\n        a = y[t] * w[q]\n        {step}"
    ),
    "begun again": (
        "for q in range(2):\n    {state}\n    for t in range(n):\n        a = y[t] * w[q]\n        {step}"
    ),
    "while": "{state}\nt = 0\nwhile t < n and s < 1e3:\n    a = y[t]\n    {step}\n    t += 1",
    "if at all": "{state}\nif y[0] > 0.5:\n    for t in range(n):\n        a = y[t]\n        {step}",
    "begun many times": (
        "for q in range(n):\n    {state}\n    for t in range(n):\n        a = y[t] * x[q]\n        {step}"
    ),
    "carried on and on": (
        "{state}\nfor q in range(n):\n    for t in range(n):\n        a = y[t] * x[q]\n        {step}"
    ),
    "read each time": (
        "for q in range(n):\n    {state}\n    for t in range(n - 2):\n        a = y[t] * x[q]\n        {step}\n"
        "    for i in range(m):\n        s += np.sin(h[i] * x[q]) * h[i]"
    ),
    "read afterwards": (
        "for q in range(2):\n    {state}\n    for t in range(n - 1):\n        a = y[t] * w[q]\n        {step}\n"
        "    for i in range(m):\n        s += np.sin(h[i] * w[q]) * h[i]"
    ),
    "carried on": (
        "{state}\nfor q in range(2):\n    for i in range(m):\n        s += h[i] * h[i]\n"
        "    for t in range(n):\n        a = y[t] * w[q]\n        {step}"
    ),
}
LENGTHS = (0, 1, 4)


def _made(state: str, step: str, around: str):
    lines = AROUND[around]
    for name, text in (("state", STATES[state]), ("step", STEPS[step])):
        for by in (0, 4, 8):
            lines = lines.replace(f"\n{' ' * by}{{{name}}}", "\n" + textwrap.indent(text, " " * by))
        lines = lines.replace(f"{{{name}}}", text)
    first = "s = 0.0\nm = n + 1\nd = np.zeros(m)\ng = np.zeros((2, m))"
    return program("x, y, w, n", first, lines, "", "s + (h * h).sum()")


def _some(*parts):
    every = enumerate(itertools.product(*parts))
    return [cell for k, cell in every if k % (7 if all_run() else 23) == 2]


def _without(monkeypatch):
    monkeypatch.setattr(Elsewhere, "_of_previous", lambda *_: None)


@pytest.mark.parametrize("cell", _some(STATES, STEPS, AROUND), ids="-".join)
def test_table(cell, monkeypatch):
    assert_same_without(lambda: _made(*cell), _without, LENGTHS, monkeypatch)


def _kept(state, step, around):
    return bytes_in_loops(_made(state, step, around), 4)


@pytest.mark.parametrize(
    ("state", "step", "around", "fewer"),
    [
        ("zeros", "a gate", "steps", 8),
        ("a copy", "a gate", "steps", 8),
        ("a whole copy", "a gate", "steps", 8),
        ("full", "a gate", "steps", 8),
        ("an expression", "a gate", "steps", 0),
        ("with one number", "a gate", "steps", 8),
        # What the first step finds would have to be kept for that.
        ("filled", "a gate", "steps", 0),
        ("in order", "a gate", "steps", 8),
        ("as a mirror", "a gate", "steps", 8),
        ("half filled", "a gate", "steps", 0),
        ("an argument", "a gate", "steps", 0),
        ("but for one", "a gate", "steps", 0),
        ("a copy of what changes", "a gate", "steps", 0),
        ("zeros", "a product", "steps", 8),
        ("zeros", "read in front", "steps", 8),
        ("zeros", "by way of another", "steps", 8),
        ("zeros", "layers", "steps", 16),
        ("zeros", "the one before", "steps", 0),
        ("zeros", "a part", "steps", 0),
        ("zeros", "all, of a part", "steps", 0),
        ("zeros", "some", "steps", 0),
        ("zeros", "in some steps", "steps", 0),
        ("zeros", "pairs", "steps", 0),
        # Loops of two rounds are written out: 8 bytes for each.
        ("zeros", "a gate", "begun again", 16),
        ("zeros", "a gate", "carried on", 16),
        ("zeros", "a gate", "two loops", 16),
        ("zeros", "a gate", "begun many times", 8),
        ("zeros", "a gate", "carried on and on", 0),
        ("zeros", "a gate", "read each time", 8),
        # Of the state behind the layers.
        ("zeros", "some layers", "steps", 8),
    ],
)
def test_less_is_kept(state, step, around, fewer, monkeypatch):
    found = _kept(state, step, around)
    _without(monkeypatch)
    assert _kept(state, step, around) - found == fewer


@pytest.mark.parametrize("step", ["a gate", "layers", "read in front"])
def test_in_batches_and_in_second_order(step):
    assert_batches_and_second_order(_made("a copy", step, "read afterwards"), 4)
