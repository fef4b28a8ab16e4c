"""Programs that a generator wrote, and whose derivatives could not be made."""

from __future__ import annotations

import pytest

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


@pytest.mark.parametrize("lines", [A_LOOP_THAT_IS_OVER, TWO_CASES], ids=["over", "cases"])
def test_generated(lines):
    first = "s = 0.0\nm = n + 1"
    f = program("x, y, w, n", first, lines.strip(), "", "s + (x * y).sum()")
    assert_modes_agree(f, (0, 1, 2, 3))
