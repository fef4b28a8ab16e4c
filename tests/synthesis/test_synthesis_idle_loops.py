"""Where a choice drops the result of a loop, the reverse pass leaves the loop out.

A table of choices, of what is chosen and of what is around is walked: reverse mode agrees with forward mode, and with
reverse mode that goes back through all loops.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Const, Duplicated, Reverse, autodiff
from enzyme.engine.synthesis.idle_loops import IdleLoops
from tests.synthesis.around import (
    assert_modes_agree,
    gradient_of,
    inputs_of,
    program,
)

pytestmark = pytest.mark.rotating(12)

# `q` is what a loop computed, `v` what becomes of it.
CHOICES = {
    "the positive part": "v = max(q, 0.0)",
    "a margin": "v = max(0.0, 1.0 - y[i] * q)",
    "its square": "v = max(0.0, 0.5 - q) ** 2",
    "at most": "v = min(q, 0.7)",
    "within bounds": "v = min(max(q, -0.2), 0.6)",
    "or another number": "v = q * q if q > 0.3 else x[i]",
    "by another condition": "v = q if x[i] > 1.0 else y[i] * y[i]",
    "leaky": "v = q if q > 0.0 else 0.1 * q",
    "its size": "v = abs(q)",
    "of NumPy": "v = np.maximum(q, 0.2)",
    "huber": "v = 0.5 * q * q if abs(q) < 0.5 else 0.5 * (abs(q) - 0.25)",
    "used twice": "v = max(q, 0.0) + 0.1 * np.sin(q)",
    "in single precision": "v = max(np.float32(q), np.float32(0.1))",
    "stored, too": "z[i] = q\nv = max(q, 0.0)",
    "one of two": "v = q if q > p else p",
}
LOOPS = {
    "a product": "q = 0.0\nfor k in range(3):\n    q += w[k] * x[k] * (x[i] - 1.0) * n\n",
    "of some length": "q = 0.0\nfor k in range(n):\n    q += w[k % 3] * x[i] * y[k]\n",
    "of functions": "q = 0.0\nfor k in range(i + 1):\n    q += np.sin(3.0 * x[k] * w[k % 3])\n",
    "carried": "q = 0.5\nfor k in range(n):\n    q = np.cos(2.0 * q + x[k] * y[i])\n",
    "with an end": "q = 0.0\nfor k in range(n):\n    q += w[k % 3] * x[i]\n    if q > 0.8:\n        break\n",
    "without length": "q = x[i]\nk = 0\nwhile q < 2.0 and k < 4:\n    q = q * (1.1 + w[k % 3])\n    k += 1\nq -= 1.0\n",
    "in one another": "q = 0.0\nfor k in range(3):\n    for j in range(n):\n        q += w[k] * x[j] * y[i] * y[j]\n",
    "of an array": (
        "for k in range(n):\n    z[k] = x[k] * w[k % 3]\nq = 0.0\n"
        "for k in range(n):\n    q += z[k] * y[i]\n"
    ),
}
AROUND = {
    "sums": "for i in range(n):\n{1}\n    s += v * x[i]",
    "carried on": "for i in range(n):\n{1}\n    s = np.sin(s + v)",
    "a walk": "i = 0\nwhile i < n and s < 1e3:\n{1}\n    s += v * v\n    i += 1",
    "once": "for i in range(1, 2):\n{1}\ns = v * x[0]",
    "an array": "u = np.zeros(n + 1)\nfor i in range(n):\n{1}\n    u[i] = v\nfor i in range(n):\n    s += u[i] * u[i]",
}
LENGTHS = (1, 4, 11)


def _program(choice: str, loop: str, around: str):
    lines = f"p = x[i] * w[0]\n{LOOPS[loop]}{CHOICES[choice]}"
    return program(
        "x, y, w, n", "s = 0.0\nv = 0.0\nz = np.zeros(n + 1)", AROUND[around], lines, "s + z[0]"
    )


CELLS = [cell for k, cell in enumerate(itertools.product(CHOICES, LOOPS, AROUND)) if k % 4 == 1]


@pytest.mark.parametrize(("choice", "loop", "around"), CELLS)
def test_table(choice, loop, around, monkeypatch):
    f = _program(choice, loop, around)
    with monkeypatch.context() as patch:
        patch.setattr(IdleLoops, "find", lambda self: {})
        plain = _program(choice, loop, around)
        expected = [gradient_of(Reverse, plain, inputs_of(n), n) for n in LENGTHS]
    tolerance = 1e-5 if choice == "in single precision" else 1e-12
    assert_modes_agree(f, LENGTHS, expected, tolerance)


def _found(choice, loop, monkeypatch):
    """How many loops may be left out."""
    known = []
    plain = IdleLoops.find

    def noted(self):
        found = plain(self)
        known.append(len(found))
        return found

    monkeypatch.setattr(IdleLoops, "find", noted)
    gradient_of(Reverse, _program(choice, loop, "sums"), inputs_of(2), 2)
    return max(known)


@pytest.mark.parametrize("loop", ["of some length", "of functions", "in one another"])
@pytest.mark.parametrize("choice", ["the positive part", "a margin", "at most", "within bounds"])
def test_the_loop_is_left_out(choice, loop, monkeypatch):
    assert _found(choice, loop, monkeypatch) == 1


@pytest.mark.parametrize(
    ("choice", "loop"),
    [("the positive part", "a product"), ("huber", "a product"), ("its size", "of some length")],
)
def test_nothing_is_left_out(choice, loop, monkeypatch):
    assert _found(choice, loop, monkeypatch) == 0


def test_what_is_not_chosen_has_no_derivative():
    """Also where the derivative of what the loop computes is infinite."""

    @njit
    def f(x, n):
        s = 0.0
        for i in range(n):
            q = 0.0
            for k in range(n):
                q += np.sqrt(x[k])
            s += max(0.0, q - 100.0) + x[i]
        return s

    for n in (3, 20):
        x, dx = np.arange(float(n)), np.zeros(n)
        autodiff(Reverse, f, Active, Duplicated(x, dx), Const(n))
        assert dx.tolist() == [1.0] * n
