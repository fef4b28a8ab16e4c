"""Ways through a program that the reverse pass need not know."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Const, Duplicated, Forward, Reverse, ReverseWithPrimal, autodiff, explain

pytestmark = pytest.mark.rotating(14)

SEARCHED = {
    "while": "k = 0\nwhile k < n.size - 1 and n[k] < i:\n    k += 1\n",
    "bits": "k = 0\nbit = 4\nwhile i & bit:\n    k |= bit & 1\n    bit >>= 1\nk = (k + i) % 3\n",
    "branch": "if n[i % n.size] > 2:\n    k = 1\nelif i > 3:\n    k = 2\nelse:\n    k = 0\n",
    "for_break": "k = 0\nfor q in range(n.size):\n    if n[q] > i:\n        k = q\n        break\n",
    "two_loops": "k = 0\nfor q in range(i):\n    for r in range(q):\n        k = (k + n[r % 4]) % 5\n",
    "fails": "k = 0\nwhile n[k] < i:\n    k += 1\n    if k == n.size:\n        raise ValueError('all')\n",
}
USED = {
    "product": "s = s * x[k] + x[i]\n",
    "chosen": "if k > 0:\n    s = s * x[k]\nelse:\n    s = s + x[i] * x[i]\n",
    "in_place": "y[i] = y[k] * s + x[i]\ns = s + y[k]\n",
}


def program(search, use):
    body = "".join(f"        {line}\n" for line in (SEARCHED[search] + USED[use]).splitlines())
    source = (
        "def f(x, n):\n    s = 1.0\n    y = x.copy()\n"
        f"    for i in range(x.size):\n{body}    return s + y[1]\n"
    )
    space = {}
    exec(source, space)
    return njit(space["f"])


@pytest.mark.parametrize("use", USED)
@pytest.mark.parametrize("search", SEARCHED)
def test_the_law_holds_behind_a_search(search, use):
    f = program(search, use)
    rng = np.random.default_rng(2)
    x, v, n = rng.uniform(0.5, 1.1, 6), rng.standard_normal(6), np.array([1, 4, 2, 5, 7])
    (forward,) = autodiff(Forward, f, Duplicated(x, v), Const(n))
    for mode in (Reverse, ReverseWithPrimal):
        dx = np.zeros(6)
        autodiff(mode, f, Active, Duplicated(x, dx), Const(n))
        bound = np.abs(dx * v).sum() + abs(forward)
        assert abs(np.dot(dx, v) - forward) <= 1e-12 * bound
    h = 1e-6
    moved = (f(x + h * v, n) - f(x - h * v, n)) / (2 * h)
    assert moved == pytest.approx(forward, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("search", ["while", "bits", "for_break"])
def test_nothing_is_kept_of_a_search_but_what_it_found(search):
    x = np.ones(6)
    annotated = Duplicated(x, np.zeros(6)), Const(np.array([1, 4, 2, 5, 7]))
    function = explain(program(search, "product"), Reverse, Active, *annotated).functions[0]
    kept = [v for storage in function.storages if storage.loops for v in storage.values]
    assert sorted(v.type for v in kept) == ["double", "i64"]  # s and k
