"""Loops that look for the smallest of many candidates: the one that won is computed once more."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    Reverse,
    ReverseWithPrimal,
    autodiff,
    enzyme_code_llvm,
    explain,
    grad,
    hessian,
)
from enzyme.engine.preprocess.winners import find_winners
from enzyme.engine.synthesis import prepare

pytestmark = pytest.mark.rotating(39)

CANDIDATES = {
    "square": "c = (x[k] - y[i]) ** 2",
    "root": "c = np.sqrt(1.0 + x[k] * y[i])",
    "branch": "if x[k] > y[i]:\n    c = x[k] * x[k]\nelse:\n    c = 1.5 * x[k] + y[i]",
    "inner_loop": "c = 0.0\nfor q in range(2):\n    c += x[(k + q) % x.size] * y[i] * (q + 1.0)",
    "by_counter": "c = x[(k * 3) % x.size] / (k + 1.0) + y[i]",
    "constant": "c = 0.3 * k",
}
FORMS = {
    "min": "for k in range(x.size):\n    {c}\n    best = min(best, c)\n",
    "max_of_sizes": "for k in range(x.size):\n    {c}\n    best = max(abs(c), best)\n",
    "branch": "for k in range(x.size):\n    {c}\n    if c < best:\n        best = c\n        arg = k\n",
    "last_wins": "for k in range(x.size):\n    {c}\n    if c <= best:\n        best = c\n        arg = k\n",
    "with_another": "for k in range(x.size):\n    {c}\n    if c < best:\n        best = c\n        other = x[k] * c\n",
    "backwards": "for k in range(x.size - 1, -1, -1):\n    {c}\n    best = min(best, c)\n",
    "first_is_start": "k = 0\n{c0}\nbest = c\nfor k in range(1, x.size):\n    {c}\n    best = min(best, c)\n",
    "left_early": (
        "k = 0\nwhile k < x.size:\n    {c}\n    if c < best:\n        best = c\n"
        "    if best < 0.4:\n        break\n    k += 1\n"
    ),
    "left_before": "for k in range(x.size):\n    {c}\n    if c > 2.0:\n        break\n    best = min(best, c)\n",
    "some": "for k in range(x.size):\n    if (k + i) % 3 == 1:\n        continue\n    {c}\n    best = min(best, c)\n",
    "both_ends": "for k in range(x.size):\n    {c}\n    best = min(best, c)\n    other = max(other, c)\n",
    "two_searches": (
        "for k in range(x.size):\n    {c}\n    best = min(best, c)\n    if x[k] > other:\n        other = x[k]\n"
    ),
    "two_counters": (
        "j = 5\nfor k in range(x.size):\n    {c}\n    c += 0.1 * j\n    j = (j * 7) % 11\n    best = min(best, c)\n"
    ),
    "in_a_grid": (
        "for h in range(2):\n    for k in range(x.size):\n        {cc}\n        c += 0.2 * h\n"
        "        best = min(best, c)\n"
    ),
    "none": "for k in range(0):\n    {c}\n    best = min(best, c)\n",
    "nobody_wins": "best = -5.0 * y[i]\nfor k in range(x.size):\n    {c}\n    best = min(best, c)\n",
    "numpy": "for k in range(x.size):\n    {c}\n    best = np.minimum(best, c)\n",
    "fmin": "for k in range(x.size):\n    {c}\n    best = np.fmin(c, best)\n",
    # What follows is not rewritten.
    "of_the_best": "for k in range(x.size):\n    {c}\n    c += 0.1 * best\n    if c < best:\n        best = c\n",
    "of_a_sum": "for k in range(x.size):\n    {c}\n    other += c * x[k]\n    best = min(best, c + other)\n",
    "used_inside": "for k in range(x.size):\n    {c}\n    best = min(best, c)\n    other += best * y[i]\n",
    "written": "for k in range(x.size):\n    {c}\n    z[k] = c * x[k]\n    best = min(best, z[k // 2])\n",
    "two_candidates": "for k in range(x.size):\n    {c}\n    best = min(best, c)\n    best = min(best, x[k] + 0.1)\n",
    "mixed": "for k in range(x.size):\n    {c}\n    if c < best:\n        best = 0.5 * (best + c)\n",
    "sum_beside": "for k in range(x.size):\n    {c}\n    other += c\n    best = min(best, c)\n",
}
USES = {
    "sum": "total += best * best + 0.1 * other * y[i] + 0.01 * arg * x[arg]",
    "chosen": "if best < 1.0:\n    total += best\nelse:\n    total += y[i] * other",
}


def indented(text, levels):
    pad = "    " * levels
    return text.replace("\n", f"\n{pad}")


def program(form, candidate, use):
    made = CANDIDATES[candidate]
    loop = FORMS[form].format(c=indented(made, 1), c0=made, cc=indented(made, 2))
    body = f"best, other, arg = 3.0, 0.0, 0\n{loop}{USES[use]}\n"
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    source = (
        "def f(x, y):\n    total = 0.0\n    z = np.zeros(x.size)\n"
        f"    for i in range(y.size):\n{lines}    return total\n"
    )
    space = {"np": np}
    exec(source, space)
    return njit(space["f"])


def gradient(mode, f, x, y):
    dx, dy = np.zeros_like(x), np.zeros_like(y)
    found = autodiff(mode, f, Active, Duplicated(x, dx), Duplicated(y, dy))
    return found, dx, dy


CASES = [
    (form, candidate, use)
    for number, (form, candidate) in enumerate(itertools.product(FORMS, CANDIDATES))
    for use in [list(USES)[number % len(USES)]]
]


@pytest.mark.parametrize(("form", "candidate", "use"), CASES)
def test_the_derivative_is_that_of_the_program(form, candidate, use):
    f = program(form, candidate, use)
    rng = np.random.default_rng(len(form) + 7 * len(candidate))
    x, y = rng.uniform(0.2, 1.8, 7), rng.uniform(0.5, 1.5, 3)
    v, w = rng.standard_normal(7), rng.standard_normal(3)
    (_, value), dx, dy = gradient(ReverseWithPrimal, f, x, y)
    assert value == pytest.approx(f(x, y), rel=1e-14)
    (forward,) = autodiff(Forward, f, Duplicated(x, v), Duplicated(y, w))
    size = np.abs(dx * v).sum() + np.abs(dy * w).sum()
    assert abs(dx @ v + dy @ w - forward) <= 1e-12 * size
    h = 1e-6
    moved = (f(x + h * v, y + h * w) - f(x - h * v, y - h * w)) / (2 * h)
    assert forward == pytest.approx(moved, rel=1e-6, abs=1e-8)


# Searches of so many rounds that LLVM knows that there are some, and behind them the function ends; and what calls it.
ENDS = {
    "returned": ("return best\n", "return search(x, y)"),
    "squared": ("return best * best\n", "return search(x, y)"),
    "pair": ("return best, 2.0 * best + other\n", "a, b = search(x, y)\n    return a + 0.5 * b"),
    "stored": ("y[0] = best\n", "search(x, y)\n    return y[0]"),
}
CERTAIN = {
    "min": "for k in range(20):\n    c = (0.1 * k - x[0]) ** 2 + x[1] * x[1]\n    best = min(best, c)\n",
    "branch": (
        "for k in range(20):\n    c = (0.1 * k - x[0]) ** 2 + x[1] * x[1]\n    if c < best:\n        best = c\n"
    ),
    "both": (
        "for k in range(24):\n    c = (0.1 * k - x[0]) ** 2 + x[1] * x[1]\n    best = min(best, c)\n"
        "    other = max(other, c)\n"
    ),
    "with_another": (
        "for k in range(20):\n    c = (0.1 * k - x[0]) ** 2 + x[1] * x[1]\n    if c < best:\n        best = c\n"
        "        other = x[0] * c\n"
    ),
    "some": (
        "for k in range(20):\n    if k % 3 == 1:\n        continue\n    c = (0.1 * k - x[0]) ** 2 + x[1] * x[1]\n"
        "    best = min(best, c)\n"
    ),
    "while": (
        "k = 0\nwhile True:\n    c = (0.1 * k - x[0]) ** 2 + x[1] * x[1]\n    best = min(best, c)\n    k += 1\n"
        "    if k >= 10 * x.size:\n        break\n"
    ),
}


def ending(form, end):
    """The search, and a function of `x` that is what it found."""
    body = f"best, other = 9.0, 0.0\n{CERTAIN[form]}{ENDS[end][0]}"
    space = {"np": np, "njit": njit}
    exec("def f(x, y):\n" + "".join(f"    {line}\n" for line in body.splitlines()), space)
    space["search"] = njit(space["f"])
    exec(f"def value(x):\n    y = np.zeros(1)\n    {ENDS[end][1]}\n", space)
    return space["search"], njit(space["value"])


def differences(f, x, h=1e-5):
    return np.array([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(x.size)])


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("form", CERTAIN)
def test_a_search_that_ends_the_function(form, end):
    """In itself, in a function that calls it, and twice."""
    search, value = ending(form, end)
    x, v = np.array([0.73, 0.5]), np.array([1.0, 2.0])
    wanted = differences(value, x)
    for mode in ("forward", "reverse"):
        np.testing.assert_allclose(grad(value, mode=mode)(x), wanted, rtol=1e-7, atol=1e-9)
    second = differences(grad(value), x)
    np.testing.assert_allclose(hessian(value)(x), second, rtol=1e-6, atol=1e-8)
    if end == "stored":
        y, dy = np.zeros(1), np.array([7.0])
        autodiff(Forward, search, Const, Duplicated(x, v), Duplicated(y, dy))
        assert dy[0] == pytest.approx(wanted @ v, rel=1e-7)
        dx, seed = np.zeros(2), np.array([1.0])
        autodiff(Reverse, search, Const, Duplicated(x, dx), Duplicated(y, seed))
        np.testing.assert_allclose(dx, wanted, rtol=1e-7, atol=1e-9)


@njit
def nearest(points, place):
    best = np.inf
    for k in range(points.size):
        d = (points[k] - place) ** 2
        if d < best:
            best = d
    return best


@njit
def farthest(points, place):
    best = -1.0
    for k in range(points.size):
        best = max(best, np.sqrt((points[k] - place) ** 2))
    return best


@pytest.mark.parametrize(
    "points",
    [
        [2.5, 2.0, 3.0, 0.5, 2.25],
        [0.5, 2.0, 3.0, 2.0, 0.5],  # equal ones: the first is taken
        [1.0, np.nan, 2.5, -4.0, 3.0],
        [np.nan, np.nan],
        [2.0, 2.0, 2.0],
        [],
    ],
)
@pytest.mark.parametrize("f", [nearest, farthest])
def test_one_candidate_has_the_derivative(f, points):
    points = np.array(points)
    expected, place = np.zeros(points.size), 2.0
    best, chosen = (np.inf, None) if f is nearest else (-1.0, None)
    for k, point in enumerate(points):
        away = (point - place) ** 2 if f is nearest else abs(point - place)
        if away < best if f is nearest else away > best:
            best, chosen = away, k
    slope = 0.0
    if chosen is not None:
        away = points[chosen] - place
        slope = expected[chosen] = 2 * away if f is nearest else np.sign(away)
    dx = np.zeros(points.size)
    ((_, dplace), value) = autodiff(
        ReverseWithPrimal, f, Active, Duplicated(points, dx), Active(place)
    )
    assert value == best
    np.testing.assert_array_equal(dx, expected)
    assert dplace == -slope
    tangents = np.arange(1.0, points.size + 1)
    (forward,) = autodiff(Forward, f, Duplicated(points, tangents), Duplicated(place, 0.5))
    assert forward == expected @ tangents - 0.5 * slope


def test_second_derivatives_are_those_of_the_winner():
    points = np.array([2.5, 2.0, 3.0, 0.5, 2.25])
    found = hessian(lambda p: nearest(p, 2.1) * p[0])(points)
    expected = np.zeros((5, 5))
    expected[1, 1] = 2 * points[0]
    expected[0, 1] = expected[1, 0] = 2 * (points[1] - 2.1)
    np.testing.assert_allclose(found, expected, rtol=1e-14)


REWRITTEN = (
    "min branch with_another both_ends in_a_grid left_before two_counters some numpy".split()
)

LEFT_ALONE = "left_early none of_the_best of_a_sum used_inside written two_candidates mixed".split()


@pytest.mark.parametrize("form", REWRITTEN)
def test_nothing_is_kept_of_each_candidate(form):
    x, y = np.ones(4), np.ones(3)
    arguments = Duplicated(x, x.copy()), Duplicated(y, y.copy())
    (found,) = explain(program(form, "root", "sum"), Reverse, Active, *arguments).functions
    lines = {place.line for storage in found.storages for place in storage.loops}
    assert lines <= {4}, found  # the loop around


@pytest.mark.parametrize("form", FORMS)
def test_a_search_is_written_once(form, monkeypatch):
    """And nothing is found in what was written."""
    rounds = []

    def counting(*given):
        rounds.append(find_winners(*given))
        return rounds[-1]

    monkeypatch.setattr(prepare, "find_winners", counting)
    gradient(Reverse, program(form, "root", "sum"), np.ones(4), np.ones(3))
    assert sum(rounds) == (0 if form in LEFT_ALONE else 2 if form == "in_a_grid" else 1)


def test_the_nearest_of_many_costs_one_candidate():
    """Where an infinite slope would show that the others have been visited."""

    @njit
    def f(x):
        best = np.inf
        for k in range(x.size):
            best = min(best, np.sqrt(x[k]) + k)
        return best

    x = np.array([0.25, 0.0, 0.0])
    dx = np.zeros(3)
    autodiff(Reverse, f, Active, Duplicated(x, dx))
    assert dx.tolist() == [1.0, 0.0, 0.0]
    assert autodiff(Forward, f, Duplicated(x, np.ones(3))) == (1.0,)


def test_the_number_is_that_of_the_loop():
    """What won is not computed again for its value, only for its derivative."""

    @njit
    def f(x):
        best = 0.0
        for k in range(x.size):
            best = max(best, np.log(x[k]) + 0.5)
        return best * best

    x = np.array([2.0, 5.0, 3.0])
    dx = np.zeros(3)
    autodiff(Reverse, f, Active, Duplicated(x, dx))
    best = np.log(5.0) + 0.5
    np.testing.assert_allclose(dx, [0.0, 2 * best / 5.0, 0.0], rtol=1e-14)
    text = enzyme_code_llvm(f, Active, (Duplicated(x, dx),))
    forward, _, reverse = text.partition("\nrev.")
    assert "log" in forward
    for block in forward.split("\n\n"):
        assert not (".winner" in block.partition(":")[0] and "log" in block), block
    assert reverse


@njit
def steps_to_the_surface(x):
    """The smallest of many distances, again and again from where the last one has led to."""
    t, total = np.float32(0.0), np.float32(0.0)
    for _ in range(3):
        near = np.float32(9.0)
        for k in range(x.size):
            near = min(near, np.exp(x[k] - t) + x[k] * x[k])
        t += near * np.float32(0.5)
        total += near * t
    return total


def test_in_single_precision_and_of_what_was_found_before():
    x, v = np.array([0.4, -0.3, 0.9, 0.1], np.float32), np.ones(4, np.float32)
    dx = np.zeros_like(x)
    autodiff(Reverse, steps_to_the_surface, Active, Duplicated(x, dx))
    (along,) = autodiff(Forward, steps_to_the_surface, Duplicated(x, v))
    assert dx.sum() == pytest.approx(along, rel=1e-5)
    second = hessian(steps_to_the_surface)(x)
    h = np.float32(1e-2)
    slope = grad(steps_to_the_surface)
    moved = (slope(x + h * v) - slope(x - h * v)) / (2 * h)
    np.testing.assert_allclose(second @ v, moved, rtol=2e-2, atol=2e-2)
