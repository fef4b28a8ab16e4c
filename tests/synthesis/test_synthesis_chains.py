"""Sums over chains: loops whose iterations have an inner loop that carries a number along.

A table of chains, of what is around them and of lengths is walked. With its primal a gradient is made without fused
loops: both agree to the last bits, and with forward mode.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numba import njit

import enzyme
from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Reverse,
    ReverseWithPrimal,
    autodiff,
)
from tests.rotation import all_run
from tests.synthesis.around import assert_as_forward, gradient_of, inputs_of, program

pytestmark = pytest.mark.rotating(27)

# An iteration computes `v` of `a` and `b`; its inner loops have `m` rounds.
CHAINS = {
    "one": "v = a\nfor k in range(m):\n    v = v * b + w[k % 3]",
    "backwards": "v = a\nfor k in range(m - 1, -1, -1):\n    v = v * b + w[k % 3]",
    "two numbers": "v = a; u = b\nfor k in range(m):\n    v, u = v * 0.9 + u * w[k % 3], u - v * b\nv = v * u",
    "two loops": (
        "v = a\nfor k in range(m):\n    v = v * b * 0.9\n"
        "u = v * v\nfor k in range(m + 1):\n    u = np.sin(u) + v * w[k % 3]\nv = u"
    ),
    "branches": (
        "v = a\nfor k in range(m):\n    if v > b:\n        v = v * b\n    else:\n        v = v + a * w[k % 3]"
    ),
    "counts": (
        "c = 0; v = a\nfor k in range(m):\n    v = v * b + w[c % 3]\n    c += i + 1\nv = v * w[c % 3]"
    ),
    "a chosen chain": "v = a\nif a > 1.0:\n    for k in range(m):\n        v = v * b + w[k % 3]\nelse:\n    v = v * b",
}

# What is around; {1} and {2} stand for the iteration, so far to the right.
AROUND = {
    "one sum": "for i in range(n):\n    a = x[i]; b = y[i]\n{1}\n    s += v * v",
    "two sums": "t = 0.0\nfor i in range(n):\n    a = x[i]; b = y[i]\n{1}\n    s += v\n    t -= v * a\ns = s - 0.5 * t",
    "carried number": (
        "j = 0\nfor i in range(n):\n    j = (j + 2) % x.size\n    a = x[j]; b = y[i]\n{1}\n    s += v * a"
    ),
    "a walk": "f = 1.0\nfor i in range(n):\n    a = x[i]; b = y[i]\n{1}\n    s += v * f\n    f = -0.5 * f",
    "an outer loop": (
        "for o in range(3):\n    for i in range(n - o):\n        a = x[i]; b = y[i + o]\n{2}\n        s += v * v"
    ),
    "beside others": (
        "for i in range(n):\n    s += x[i] * y[i]\nfor i in range(n):\n    a = x[i]; b = y[i]\n{1}\n    s += v * b\n"
        "for i in range(n):\n    s -= np.exp(-x[i] * x[i])"
    ),
    "left out": "for i in range(n):\n    a = x[i]; b = y[i]\n{1}\n    if v > 0.5:\n        s += v * a",
}
# Iterations, and rounds of the chain.
LENGTHS = [(n, m) for n in (0, 1, 7, 8, 19) for m in (0, 1, 5, 257)]


def _program(chain: str, around: str):
    return program("x, y, w, n, m", "s = 0.0", AROUND[around], CHAINS[chain], "s")


TABLE = [
    (chain, around)
    for k, (chain, around) in enumerate(itertools.product(CHAINS, AROUND))
    if all_run() or k % 2 == 0
]


@pytest.mark.parametrize(("chain", "around"), TABLE)
def test_table(chain, around):
    f = _program(chain, around)
    for n, m in LENGTHS:
        inputs = inputs_of(n)
        found = gradient_of(Reverse, f, inputs, n, m)
        expected = gradient_of(ReverseWithPrimal, f, inputs, n, m)
        scale = max(1.0, float(abs(expected).max()))
        assert abs(found - expected).max() <= 1e-13 * scale, (n, m)
        assert_as_forward(f, found, inputs, n, m)


def test_in_batches():
    f = _program("two numbers", "carried number")
    n, m = 11, 6
    inputs = inputs_of(n)
    batches = [BatchDuplicated(a, tuple(np.zeros_like(a) for _ in range(3))) for a in inputs]
    autodiff(Reverse, f, Active, *batches, Const(n), Const(m))
    expected = gradient_of(ReverseWithPrimal, f, inputs, n, m)
    for lane in range(3):
        found = np.concatenate([b.dval[lane] for b in batches])
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("chain", CHAINS)
def test_second_order(chain):
    f = _program(chain, "one sum")
    x, y, w = inputs_of(9)
    v = np.linspace(-1.0, 1.0, x.size)

    @njit
    def of_x(x, y, w):
        return f(x, y, w, 9, 4)

    gradient = enzyme.grad(of_x)
    h = 1e-6
    expected = (gradient(x + h * v, y, w) - gradient(x - h * v, y, w)) / (2.0 * h)
    found = enzyme.hvp(of_x, x, v, y, w)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
