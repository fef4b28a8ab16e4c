"""Programs that a generator wrote, and whose derivatives could not be made."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Duplicated, Forward, Reverse, autodiff
from tests.synthesis.around import assert_modes_agree, program

# The loop over `j` that only adds up is not run by the forward pass, and how it ended is not known there.
A_LOOP_THAT_IS_OVER = """
z = np.zeros(m)
h = x
for t in range(2):
    s += 0.1 * y[0]
    s += 0.1 * x[0]
    for i in range(m):
        for j in range(m):
            s += 0.1 * z[m - 1]
            s += 0.1 * np.sin(x[m // 2])
        for j in range(m // 2):
            y[m - 1 - i] *= 0.5 + 0.5 * np.tanh(h[j])
        y[i] = np.sin(x[(i + 1) % m])
s += (z * z).sum() + (h * h).sum() * 0.5
"""

# Several lengths lead to one block at once: LLVM makes a switch of the tests.
TWO_CASES = """
z = np.ones(m)
h = y[:m].copy()
for t in range(n):
    s += 0.1 * z[t]
    if n > 1:
        for i in range(m - 1, -1, -1):
            h[i] *= 0.5 + 0.5 * np.tanh(np.exp(-np.abs(h[(i * 2) % m] - y[i])))
            for j in range(n - 1):
                s += 0.1 * y[t]
    z[0] = 0.8 * np.exp(-np.abs(x[t]))
    for i in range(1, m):
        y[0] = np.sin(z[t])
        if n > 1:
            for j in range(m):
                y[t] += 0.3 * y[0]
            for j in range(n):
                z[0] += 0.3 * (h[i] + y[i])
                s += 0.1 * x[i]
s += (z * z).sum() + (h * h).sum()
"""


# A copy of `A` is made in front of a loop, in a block that is the beginning of the loop around.
A_COPY_AT_A_HEADER = """
m, k = A.shape
W = np.zeros((k, m))
B = W.T
z = B[0]
for t in range(2):
    for i62 in range(k):
        for j30 in range(1, k):
            if a > 0.3:
                x[m // 2] += 0.3 * A[t % m, i62]
            for p3 in range(m):
                s += 0.1 * (((A[m - 1 - p3, (j30 + 1) % k] + A[(p3 + 1) % m, max(i62 - 1, 0)])
                    + np.exp(-np.abs(B[m - 1 - p3, 0]))) - (A[0, k - 1 - j30] * A[m - 1, i62]))
        for j72 in range(m - 1, -1, -1):
            x[j72] += 0.3 * (z[i62] - ((z[max(i62 - 1, 0)] * A[(j72 + 1) % m, k - 1 - i62])
                * (x[m // 2] * B[m - 1 - j72, i62])))
            z[t % k] += 0.3 * (x[m // 2] - np.sin(np.sin(B[j72, max(i62 - 1, 0)])))
    for i81 in range(1, m):
        B[max(i81 - 1, 0), t % k] = np.sin(A[i81, k // 2])
        if s < 2.0:
            for j64 in range(k):
                for p98 in range(1, k):
                    A[i81, p98] += 0.3 * np.sin((np.sin(x[i81]) - A[i81, p98]))
        a = np.tanh(np.sin(((z[0] + x[min(i81 + 1, m - 1)]) + (x[max(i81 - 1, 0)] + A[i81, k // 2]))))
    A[m - 1, t % k] = np.sin(np.sin(((z[k - 1] * A[m - 1, k - 1]) - (B[m // 2, 0] * x[t % m]))))
    A[0, k // 2] = np.sin((((x[m // 2] * A[t % m, k - 1]) - np.sin(x[m // 2]))
        * ((A[m - 1, k // 2] + B[t % m, k // 2]) + (a + A[t % m, 0]))))
    if s < 2.0:
        for i5 in range(m):
            for j97 in range(m - 1, -1, -1):
                a = np.tanh(np.sin(np.sin((A[i5, 0] + z[0]))))
                z[k - 1] += 0.3 * np.exp(-np.abs(B[j97, k // 2]))
            x[i5] += 0.3 * B[i5, k // 2]
x[0] *= (0.5 + 0.5 * np.tanh(np.sin(A[m // 2, k - 1])))
A[m // 2, k // 2] = 0.8 * x[m // 2]
s += (A * A).sum() + (B * B).sum() * 0.5 + (z * z).sum() + x.sum() * a
"""


@pytest.mark.parametrize("shape", [(1, 1), (3, 4), (4, 3), (2, 2)])
def test_generated_for_matrices(shape):
    text = textwrap.indent(f"s, a = 0.0, 0.5\n{A_COPY_AT_A_HEADER}\nreturn s", "    ")
    scope: dict = {"np": np}
    exec(f"def f(A, x):\n{text}", scope)
    f = njit(scope["f"])
    rng = np.random.default_rng(0)
    inputs = rng.uniform(0.4, 1.6, shape), rng.uniform(0.2, 0.9, shape[0])
    directions = [rng.normal(size=a.shape) for a in inputs]
    given = [Duplicated(a.copy(), np.zeros_like(a)) for a in inputs]
    autodiff(Reverse, f, Active, *given)
    along = [Duplicated(a.copy(), d.copy()) for a, d in zip(inputs, directions, strict=True)]
    (slope,) = autodiff(Forward, f, *along)
    found = sum((g.dval * d).sum() for g, d in zip(given, directions, strict=True))
    np.testing.assert_allclose(found, slope, rtol=1e-11)


@pytest.mark.parametrize("lines", [A_LOOP_THAT_IS_OVER, TWO_CASES], ids=["over", "cases"])
def test_generated(lines):
    first = "s = 0.0\nm = n + 1"
    f = program("x, y, w, n", first, lines.strip(), "", "s + (x * y).sum()")
    assert_modes_agree(f, (0, 1, 2, 3))
