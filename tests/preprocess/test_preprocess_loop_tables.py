"""Numbers that an inner loop computes alike in each iteration of the loops around it stand in a table."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Const, Duplicated, Reverse, ReverseWithPrimal, autodiff, hvp
from enzyme.support.watching import watch
from tests.arrays.law import assert_law, branches

pytestmark = pytest.mark.rotating(12)

# `x` and `w` are two-dimensional, `a` and `b` have one number per column of x.
OUTER = {
    "rows": "for i in range(x.shape[0]):\n    {inner}",
    "rows_backwards": "for i in range(x.shape[0] - 1, -1, -1):\n    {inner}",
    "no_rows": "for i in range(x.shape[0] - 4):\n    {inner}",
    "steps": "y = x[0].copy()\nfor t in range(len(w)):\n    for i in range(x.shape[0]):\n        {inner}\n    y *= 0.9",
    "behind_a_loop": (
        "for i in range(x.shape[0]):\n    m = 0.0\n    for k in range(w.shape[1]):\n        m += w[i, k]\n"
        "    s += m * m\n    {inner}"
    ),
    "behind_a_choice": (
        "for i in range(x.shape[0]):\n    if x[i, 0] > 0.0:\n        s += x[i, 0] ** 2\n"
        "    else:\n        s += np.sin(x[i, 0])\n    {inner}"
    ),
    "under_a_choice": "for i in range(x.shape[0]):\n    if x[i, 0] > 0.2:\n        {inner}",
    "under_a_flag": "for i in range(x.shape[0]):\n    if a[0] > 0.2:\n        {inner}",
    "until": "i = 0\nwhile s < 40.0 and i < x.shape[0]:\n    {inner}\n    s += 0.1\n    i += 1",
    "writes_what_it_reads": "for i in range(x.shape[0]):\n    {inner}\n    a *= 1.1",
    "writes_another": "o = np.zeros(x.shape[0])\nfor i in range(x.shape[0]):\n    {inner}\n    o[i] = s\ns += o.sum()",
}
INNER = {
    "columns": "for j in range(x.shape[1]):\n    {number}\n    s += q * x[i, j]",
    "backwards": "for j in range(x.shape[1] - 1, -1, -1):\n    {number}\n    s += np.sin(q + x[i, j])",
    "every_other": "for j in range(0, x.shape[1], 2):\n    {number}\n    s += q * x[i, j] ** 2",
    "triangle": "for j in range(min(i + 1, x.shape[1])):\n    {number}\n    s += q * x[i, j]",
    "left_early": (
        "for j in range(x.shape[1]):\n    {number}\n    if x[i, j] > 0.7:\n        break\n    s += q * x[i, j]"
    ),
    "some": "for j in range(x.shape[1]):\n    if x[i, j] > 0.0:\n        continue\n    {number}\n    s += q * x[i, j]",
    "nested": "for j in range(x.shape[1]):\n    {number}\n    for k in range(2):\n        s += q * w[i, k] * x[i, j]",
    "vectors": "e = np.exp(a) * x[i]\ns += np.sum(e * e)",
}
NUMBERS = {
    "exp": "q = np.exp(-a[j])",
    "log_and_root": "q = np.log(1.0 + a[j] * a[j]) / np.sqrt(2.0 + b[j] ** 2)",
    "both": "p = np.cos(a[j])\nq = p * x[i, j] + np.sin(b[j] * j)",
    "checked": "q = math.exp(a[j] / (0.5 + b[j] * b[j])) + 1.0 / (3.0 + a[j])",
    "of_a_counter": "q = np.sin(0.3 * j * a[0])",
    "of_both": "q = np.exp(0.1 * a[j] * x[i, j])",
}

# Loops over the elements of w, flat, that must run one iteration after the other; `u` is one, `q` made of it.
STATES = {
    "leaky": "h = 0.1\nfor k in range(w.size):\n    {number}\n    h = 0.7 * h + q\n    s += h * h",
    "divides": "h = 1.0\nfor k in range(w.size):\n    {number}\n    h = q + 1.0 / (2.0 + h * h)\ns += h",
    "running_sum": (
        "y = np.zeros(w.size + 1)\nfor k in range(w.size):\n    {number}\n    y[k + 1] = y[k] + q\ns += (y * y).sum()"
    ),
    "scatter": (
        "y = np.zeros(5)\nfor k in range(w.size):\n    {number}\n    y[int(abs(u) * 7.0) % 5] += q\ns += (y * y).sum()"
    ),
    "over_itself": (
        "z = w.copy()\ny = z.reshape(w.size)\nh = 0.0\nfor k in range(w.size - 1):\n    u = y[k]\n    {number}\n"
        "    h = 0.5 * h + q\n    y[k + 1] += 0.05 * h\ns += h + (y * y).sum()"
    ),
    "of_the_state": "h = 0.3\nfor k in range(w.size):\n    {number}\n    h = np.sin(h) * q\n    s += np.exp(-h)",
    "backwards": "h = 0.0\nfor k in range(w.size - 1, -1, -1):\n    {number}\n    h = h * q + 1.0\ns += h",
    "until": (
        "h = 0.0\nfor k in range(w.size):\n    {number}\n    h = 0.9 * h + q\n    if h > 3.0:\n        break\ns += h"
    ),
    "refuses": (
        "h = 0.0\nfor k in range(w.size):\n    if u > 9.0:\n        raise ValueError('too large')\n    {number}\n"
        "    h = 0.5 * h + q\ns += h"
    ),
    "in_a_loop": (
        "for i in range(b.size):\n    h = b[i]\n    for k in range(w.size):\n        {number}\n"
        "        h = h * q + 0.1\n    s += h"
    ),
}
OF_ELEMENTS = {
    "exp": "q = np.exp(0.3 * u)",
    "two": "q = 0.5 * np.sin(u) * np.cos(2.0 * u)",
    "checked": "q = 0.1 * math.log(2.0 + u * u) + 0.3 / (1.0 + u * u)",
    "power": "q = (1.0 + u * u) ** -0.7",
}


def of_states():
    for (state, loop), (number, text) in itertools.product(STATES.items(), OF_ELEMENTS.items()):
        lines = text if "u = y[k]" in loop else f"u = v[k]\n{text}"
        if state == "refuses":
            loop, lines = loop.replace("    if u", "    u = v[k]\n    if u"), text
        yield (
            f"{state}-{number}",
            f"v = w.copy().reshape(w.size)\n{_filled(loop, '{number}', lines)}",
        )


def programs():
    for outer, inner, number in itertools.product(OUTER, INNER, NUMBERS):
        if inner == "vectors" and number != "exp":
            continue
        body = _filled(OUTER[outer], "{inner}", _filled(INNER[inner], "{number}", NUMBERS[number]))
        yield f"{outer}-{inner}-{number}", f"a, b = a.copy(), b.copy()\n{body}"


def _filled(text, place, inside):
    lines = []
    for line in text.split("\n"):
        if place in line:
            indent = line[: len(line) - len(line.lstrip())]
            lines += [line.replace(place, first) for first in inside.split("\n")[:1]]
            lines += [indent + more for more in inside.split("\n")[1:]]
        else:
            lines.append(line)
    return "\n".join(lines)


PROGRAMS = {**dict(programs()), **dict(of_states())}
GROUP = 14
GROUPS = [list(PROGRAMS)[at : at + GROUP] for at in range(0, len(PROGRAMS), GROUP)]


def arguments(rows=5, columns=4):
    rng = np.random.default_rng(rows)
    return [
        rng.normal(size=(rows, columns)),
        rng.normal(size=(rows, 3)),
        rng.uniform(0.3, 1.0, columns),
        rng.normal(size=columns),
    ]


@pytest.mark.parametrize("names", GROUPS, ids=lambda names: names[0])
def test_law(names):
    f = branches("loop tables", [PROGRAMS[n] for n in names], ["x", "w", "a", "b"])
    f.py_func.__globals__["math"] = math
    for which, name in enumerate(names):
        for rows, columns in ((5, 4), (1, 1), (0, 4), (3, 0)):
            if ("behind_a_choice" in name or "under_a_choice" in name) and not columns:
                continue
            if columns < 1 and ("a[0]" in PROGRAMS[name]):
                continue
            assert_law(f, which, arguments(rows, columns), f"{name} {rows} {columns}")


def tables(function, *annotated):
    """How many loops fill tables."""
    texts = []
    with watch(lambda r: texts.append(r.text()) if r.stage == "loop_tables" else None):
        autodiff(Reverse, function, Active, *annotated)
    return sum(text.count("filling = phi") for text in texts)


def jitted(name):
    lines = ["def f(x, w, a, b):", "s = 0.0", *PROGRAMS[name].split("\n"), "return s"]
    scope = {"np": np, "math": math}
    exec("\n    ".join(lines), scope)
    return njit(scope["f"])


@pytest.mark.parametrize(
    "name, expected",
    [
        ("rows-columns-exp", 1),
        ("steps-columns-log_and_root", 1),
        ("behind_a_loop-backwards-exp", 1),
        ("under_a_flag-columns-exp", 1),
        ("writes_another-columns-exp", 1),
        ("rows-vectors-exp", 1),
        ("leaky-exp", 1),
        ("running_sum-two", 1),
        ("scatter-checked", 1),
        ("of_the_state-power", 1),
        ("refuses-exp", 1),
        ("divides-exp", 0),
        ("over_itself-exp", 0),
        ("until-exp", 0),
        ("in_a_loop-exp", 1),
        ("rows-columns-of_both", 0),
        ("under_a_choice-columns-exp", 0),
        ("writes_what_it_reads-columns-exp", 0),
        ("rows-triangle-exp", 0),
        ("rows-some-exp", 0),
        ("rows-left_early-exp", 0),
    ],
)
def test_where_tables_are_filled(name, expected):
    given = [Duplicated(v, np.zeros_like(v)) for v in arguments()]
    assert tables(jitted(name), *given) == expected


@njit
def decay(y0, rate, steps):
    y = y0.copy()
    for _ in range(steps):
        for j in range(len(y)):
            y[j] = y[j] * np.exp(-0.1 * rate[j]) + 0.01
    return np.sum(y * y)


def test_a_rate_of_many_steps_is_taken_once():
    y, rate = np.linspace(1, 2, 7), np.linspace(0.1, 0.9, 7)
    dy, d_rate = np.zeros(7), np.zeros(7)
    assert tables(decay, Duplicated(y, dy), Duplicated(rate, d_rate), Const(50)) == 1
    dy[:], d_rate[:] = 0.0, 0.0
    _, value = autodiff(
        ReverseWithPrimal, decay, Active, Duplicated(y, dy), Duplicated(rate, d_rate), Const(50)
    )
    np.testing.assert_allclose(value, decay(y, rate, 50), rtol=1e-14)
    v = np.cos(np.arange(7.0))
    step = 1e-6
    numeric = (decay(y, rate + step * v, 50) - decay(y, rate - step * v, 50)) / (2 * step)
    np.testing.assert_allclose(d_rate @ v, numeric, rtol=1e-6)


@njit
def shared(y, rate):
    """`y` may be where `rate` is."""
    for _ in range(3):
        for j in range(len(y)):
            y[j] = y[j] * np.exp(-0.1 * rate[j])
    return np.sum(y * y)


def test_memory_that_is_written_under_another_name():
    v = np.linspace(0.5, 1.0, 5)
    dv = np.zeros(5)
    autodiff(Reverse, shared, Active, Duplicated(v.copy(), dv), Duplicated(v.copy(), np.zeros(5)))
    both, d_both = v.copy(), np.zeros(5)
    autodiff(Reverse, shared, Active, Duplicated(both, d_both), Duplicated(both, d_both))
    u = np.cos(np.arange(5.0))

    def along(h):
        z = v + h * u
        return shared(z, z)

    np.testing.assert_allclose(d_both @ u, (along(1e-6) - along(-1e-6)) / 2e-6, rtol=1e-7)


def guarded(x, a):
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            if j >= len(a):
                raise IndexError("no such rate")
            if a[j] == 0.0:
                raise ValueError("no rate")
            s += x[i, j] * np.exp(-1.0 / a[j])
    return s


@pytest.mark.parametrize("a, error", [([1.0, 0.0, 2.0], ValueError), ([1.0, 2.0], IndexError)])
def test_errors_stay(a, error):
    x, fine = np.ones((4, 3)), np.array([1.0, 3.0, 2.0])
    f = njit(guarded)
    d = np.zeros(3)
    assert tables(f, Duplicated(x, np.zeros((4, 3))), Duplicated(fine, d)) == 1
    np.testing.assert_allclose(d, 4.0 * np.exp(-1.0 / fine) / fine**2, rtol=1e-14)
    for mode in (Reverse, ReverseWithPrimal):
        with pytest.raises(error, match="rate"):
            given = Duplicated(np.array(a), np.zeros(len(a)))
            autodiff(mode, f, Active, Duplicated(x, np.zeros((4, 3))), given)


@njit
def seen(x, a, out):
    s = 0.0
    for i in range(x.shape[0]):
        out[i] = 1.0
        for j in range(x.shape[1]):
            if a[j] == 0.0:
                raise ValueError("no rate")
            s += x[i, j] * np.exp(-1.0 / a[j])
            out[i] += x[i, j]
    return s + out.sum()


def test_what_was_written_before_an_error():
    x, a, out = np.ones((2, 3)), np.array([1.0, 0.0, 2.0]), np.zeros(2)
    with pytest.raises(ValueError, match="no rate"):
        autodiff(
            Reverse,
            seen,
            Active,
            Duplicated(x, np.zeros((2, 3))),
            Duplicated(a, np.zeros(3)),
            Duplicated(out, np.zeros(2)),
        )
    assert out.tolist() == [2.0, 0.0]


@njit
def of_rates(rate, y, steps):
    return decay(y, rate, steps)


def test_second_derivatives():
    rate, y, v = np.linspace(0.2, 0.8, 5), np.linspace(1.0, 2.0, 5), np.cos(np.arange(5.0))

    def slope(r):
        shadow = np.zeros(5)
        autodiff(Reverse, of_rates, Active, Duplicated(r, shadow), Const(y), Const(6))
        return shadow

    expected = (slope(rate + 1e-6 * v) - slope(rate - 1e-6 * v)) / 2e-6
    np.testing.assert_allclose(hvp(of_rates, rate, v, y, 6), expected, rtol=1e-6)


@njit
def sentinel(x, a, m):
    s = 0.0
    for i in range(len(x)):
        for j in range(m):
            if a[j] > 2.0:
                raise ValueError("large")
            s += x[i] * np.exp(a[j])
    return s


@njit
def cyclic(x, a, m):
    s = 0.0
    for i in range(len(x)):
        for j in range(m):
            if a[j % len(a)] > 2.0:
                raise ValueError("large")
            s += x[i] * np.exp(a[j % len(a)])
    return s


@pytest.mark.parametrize("f", [sentinel, cyclic])
@pytest.mark.parametrize("bound", [10**13, 2**61 + 1, 4 * 10**18])
def test_bounds_that_no_memory_has_room_for(f, bound):
    x, a = np.ones(3), np.array([0.5, 1.0, 3.0, 1.0])
    with pytest.raises((ValueError, MemoryError)):
        given = Duplicated(x, np.zeros(3)), Duplicated(a, np.zeros(4)), Const(bound)
        autodiff(Reverse, f, Active, *given)


@njit
def quadrature(x, w, m):
    s = 0.0
    for i in range(len(x)):
        for j in range(m):
            s += x[i] * np.exp(-w[0] * j * 1e-3)
    return s


def test_no_table_is_longer_than_memory_that_is_there():
    x, w = np.ones(2), np.ones(1)
    given = Duplicated(x, np.zeros(2)), Duplicated(w, np.zeros(1)), Const(1000)
    assert tables(quadrature, *given) == 0
