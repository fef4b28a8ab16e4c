"""Neighbours on a ring: the iterations at the ends of loops run apart, and what they read and write is the same."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    Forward,
    Reverse,
    ReverseWithPrimal,
    autodiff,
    hvp,
)
from enzyme.support.watching import watch
from tests.arrays.law import assert_law, branches, filled

# One place of a cell's neighbours `r` and `l`; `n` is the number of cells, and `p`, `q` and `o` are of as many.
NEIGHBOURS = {
    "chosen": "r = j + 1 if j < n - 1 else 0\nl = j - 1 if j > 0 else n - 1",
    "chosen_at": "r = 0 if j == n - 1 else j + 1\nl = n - 1 if j == 0 else j - 1",
    "chosen_unless": "r = j + 1 if j != n - 1 else 0\nl = j - 1 if j != 0 else n - 1",
    "chosen_later": "r = j + 1\nif r >= n:\n    r -= n\nl = j - 1\nif l < 0:\n    l += n",
    "remainders": "r, l = (j + 1) % n, (j - 1) % n",
    "positive": "r, l = (j + 1) % n, (j + n - 1) % n",
    "negative": "r, l = (j + 1) % n, j - 1",
    "clamped": "r, l = min(j + 1, n - 1), max(j - 1, 0)",
    "mirrored": "r = j + 1 if j < n - 1 else max(n - 2, 0)\nl = min(abs(j - 1), n - 1)",
    "two_away": "r, l = (j + 2) % n, (j - 2) % n",
    "around": "r, l = (j + n) % n, (j - n) % n",
    "elsewhere": "r, l = (j + int(9.0 * o[0])) % n, (j - int(9.0 * o[0])) % n",
    "backwards": "r, l = (n - j) % n, (-j) % n",
    "of_some": "r = j + 1 if j < n - 1 else 0\nl = j - 1 if j > n // 2 else j",
    "mixed": "r = j + 1 if j + 1 < n else j - n + 1\nl = (j - 1) % n if o[j] > 0.5 else j",
}
LOOPS = {
    "once": "for j in range(n):\n    {body}",
    "down": "for j in range(n - 1, -1, -1):\n    {body}",
    "but_the_first": "for j in range(1, n):\n    {body}",
    "but_the_last": "for j in range(n - 1):\n    {body}",
    "while": "j = 0\nwhile j < n:\n    {body}\n    j += 1",
    "rows": "for i in range(2):\n    for j in range(n):\n        {body}",
    "steps": "for t in range(3):\n    for j in range(n):\n        {body}\n    p, q = q, p",
    "until": "for j in range(n):\n    {body}\n    if s > 2.0:\n        break",
    "checked": "for j in range(n):\n    if o[j] > 5.0:\n        raise ValueError('large')\n    {body}",
    "counted": "c = 0\nfor j in range(n):\n    {body}\n    c += 2\ns += c * s",
    "on_some": "for j in range(n):\n    if o[j] > 0.4:\n        {body}",
    "every_second": "for j in range(0, n, 2):\n    {body}",
}
BODIES = {
    "gathers": "{place}\nq[j] = p[l] * p[r] - 0.5 * p[j] * p[j]",
    "scatters": "{place}\nq[r] += p[j] * o[j]\nq[l] -= p[j] * p[j]",
    "in_place": "{place}\np[j] = 0.5 * p[l] * p[j] + 0.1 * p[r]",
    "adds": "{place}\ns += p[l] * o[r] + p[j]",
    "carries": "{place}\ns = 0.7 * s + p[l] * p[r]\nq[j] += s",
    "chooses": "{place}\nq[j] += p[r] * p[j] if j < n - 1 else o[j]\ns += p[l] if j == 0 else 0.5 * p[r]",
}


def program(loop, body, place):
    inside = filled(BODIES[body], "{place}", NEIGHBOURS[place])
    text = filled(LOOPS[loop], "{body}", inside)
    return f"n = len(x)\np, q, o = x.copy(), y.copy(), y\n{text}\ns += (p * p * q).sum() + (q * q).sum()"


PROGRAMS = {
    "-".join(names): program(*names) for names in itertools.product(LOOPS, BODIES, NEIGHBOURS)
}
GROUP = 12
GROUPS = [list(PROGRAMS)[at : at + GROUP] for at in range(0, len(PROGRAMS), GROUP)]


def arguments(n):
    rng = np.random.default_rng(n)
    return [rng.uniform(0.2, 0.9, n), rng.uniform(0.1, 0.8, n)]


@pytest.mark.rotating(15)
@pytest.mark.parametrize("names", GROUPS, ids=lambda names: names[0])
def test_law(names):
    f = branches("different ends", [PROGRAMS[n] for n in names], ["x", "y"])
    for which, name in enumerate(names):
        for n in (1, 2, 3, 4, 5, 11, 20):
            if "elsewhere" not in name or n > 8:
                assert_law(f, which, arguments(n), f"{name} {n}")


def jitted(name):
    lines = ["def f(x, y):", "s = 0.0", *PROGRAMS[name].split("\n"), "return s"]
    scope = {"np": np}
    exec("\n    ".join(lines), scope)
    return njit(scope["f"])


def loops(function, *annotated):
    """The instructions of each loop of one block, as they are when indices are settled."""
    texts = []
    with watch(lambda r: texts.append(r.text()) if r.stage == "plain_indices" else None):
        autodiff(Reverse, function, Active, *annotated)
    found = []
    for block in re.split(r"\n\n", "\n".join(texts)):
        name = block.strip().split(":")[0].strip('"')
        if name.startswith("B") and re.search(rf'br .*label %"?{re.escape(name)}"?(,|\n|$)', block):
            found.append(block)
    return found


@pytest.mark.rotating(6)
@pytest.mark.parametrize(
    "name, expected",
    [
        ("once-gathers-chosen", True),
        ("once-gathers-chosen_at", True),
        ("once-gathers-chosen_unless", True),
        ("once-gathers-remainders", True),
        ("once-gathers-negative", True),
        ("once-scatters-remainders", True),
        ("once-in_place-remainders", True),
        ("once-in_place-chosen", True),
        ("but_the_first-gathers-remainders", True),
        ("rows-gathers-chosen_later", True),
        ("steps-gathers-remainders", True),
        ("once-gathers-two_away", False),
        ("once-gathers-elsewhere", False),
    ],
)
def test_nothing_is_chosen_in_the_loop(name, expected):
    x, y = arguments(20)
    found = loops(jitted(name), Duplicated(x, 0 * x), Duplicated(y, 0 * y))
    chosen = [block for block in found if re.search(r"srem|select i1 .*, i64", block)]
    assert found
    assert (not chosen) == expected


@pytest.mark.parametrize("name", ["once-gathers-remainders", "steps-in_place-chosen"])
def test_batches_and_second_order(name):
    f = jitted(name)
    x, y = arguments(9)
    shadows = np.zeros((2, 9))
    lanes = BatchDuplicated(x, tuple(shadows))
    autodiff(Reverse, f, Active, lanes, Const(y))
    single = np.zeros(9)
    autodiff(Reverse, f, Active, Duplicated(x, single), Const(y))
    np.testing.assert_allclose(shadows, [single, single], rtol=1e-14)
    v = np.cos(np.arange(9.0))
    product = hvp(f, x, v, y)
    step = 1e-6

    def slopes(at):
        shadow = np.zeros(9)
        autodiff(Reverse, f, Active, Duplicated(at, shadow), Const(y))
        return shadow

    difference = (slopes(x + step * v) - slopes(x - step * v)) / (2 * step)
    np.testing.assert_allclose(product, difference, rtol=1e-6, atol=1e-7)
    slope = autodiff(Forward, f, Duplicated, Duplicated(x, v), Const(y))
    np.testing.assert_allclose(slope[-1], single @ v, rtol=1e-12)


def test_the_error_of_an_iteration_at_the_end():
    """The program's own error comes from wherever it comes from, and what was done before counts."""

    @njit
    def f(x, done):
        s = 0.0
        n = len(x)
        for j in range(n):
            done[0] = j
            if x[j] > 1.0:
                raise ValueError("too large")
            s += x[(j - 1) % n] * x[(j + 1) % n]
        return s

    for place in (0, 1, 4, 5):
        x, done = np.full(6, 0.5), np.zeros(1)
        x[place] = 2.0
        with pytest.raises(ValueError, match="too large"):
            autodiff(Reverse, f, Active, Duplicated(x, 0 * x), Const(done))
        assert done[0] == place


def test_a_loop_that_only_an_error_ends_has_no_last_iteration():
    """Who counts until ``i == n`` from beyond `n` comes to the error, in the derivative as in the program."""

    @njit
    def f(x, i, n):
        s = 0.0
        while True:
            if x[i] > 5.0:
                raise ValueError("beyond")
            r = i + 1 if i != n - 1 else 0
            s += x[i] * x[r]
            i += 1
            if i == n:
                break
        return s

    x = np.random.default_rng(0).uniform(size=20)
    x[9] = 9.0
    for first, n in ((0, 5), (4, 5), (5, 5), (6, 5), (7, 5)):
        given = Duplicated(x, np.zeros(20)), Const(first), Const(n)
        if first < n:
            assert autodiff(ReverseWithPrimal, f, Active, *given)[1] == f(x, first, n)
        else:
            with pytest.raises(ValueError, match="beyond"):
                autodiff(ReverseWithPrimal, f, Active, *given)
