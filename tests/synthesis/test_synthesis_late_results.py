"""Results that wait for sums of fused loops: with its primal, a derivative runs such a loop once.

A table of where a loop adds to a sum, what the function makes of it, what is added and with which options it is
compiled. The result is the program's, bit by bit where functions are the C library's, and the gradient is that without
the primal.
"""

from __future__ import annotations

import itertools
import math

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
    clear_vector_math,
    compile_report,
    gradient,
)

pytestmark = pytest.mark.rotating(16)

TERMS = {
    "product": "a * b",
    "quotient": "a / b",
    "function": "math.exp(a * b)",
    "root": "math.sqrt(a * a + b)",
}

# Where it is added; `v` is the term of x[i] and y[j].
PLACES = {
    "straight": "for i in range(n): s += v(x[i], y[i])",
    "subtracted": "for i in range(n): s -= v(x[i], y[i])",
    "backwards": "for i in range(n): s += v(x[n - 1 - i], y[i])",
    "gathered": "for i in range(n): s += v(x[k[i]], y[i])",
    "on one way": "for i in range(n):\n    if x[i] > 0.6: s += v(x[i], y[i])",
    "on both ways": "for i in range(n):\n    if x[i] > 0.6: s += v(x[i], y[i])\n    else: s -= v(y[i], y[i])",
    "twice": "for i in range(n):\n    s += v(x[i], y[i])\n    s += x[i]",
    "once or twice": "for i in range(n):\n    s += v(x[i], y[i])\n    if k[i] > 2: s -= x[i]",
    "never": "for i in range(0): s += v(x[i], y[i])",
    "pairs": "for i in range(n):\n    for j in range(i): s += v(x[i], y[j])",
    "before pairs": "for i in range(n):\n    s += x[i]\n    for j in range(i): s += v(x[i], y[j])",
    "behind pairs": "for i in range(n):\n    for j in range(i): s += v(x[i], y[j])\n    s += x[i]",
    "around pairs": "for i in range(n):\n    s += x[i]\n    for j in range(i): s += v(x[i], y[j])\n    s -= y[i]",
    "pairs or not": (
        "for i in range(n):\n    if k[i] % 2:\n        for j in range(i): s += v(x[i], y[j])\n    else: s += y[i]"
    ),
    "pairs on one way": (
        "for i in range(n):\n    s -= y[i]\n    if k[i] % 2:\n        for j in range(i): s += v(x[i], y[j])"
    ),
    "two inner loops": (
        "for i in range(n):\n    for j in range(i): s += v(x[i], y[j])\n    for j in range(3): s -= v(x[j], y[i])"
    ),
    "triples": "for i in range(n):\n    for j in range(i):\n        for q in range(j): s += v(x[i], y[j]) * y[q]",
    "triples at all levels": (
        "for i in range(n):\n    s += x[i]\n    for j in range(i):\n        s -= y[j]\n"
        "        for q in range(j): s += v(x[i], y[j]) * y[q]"
    ),
    "a sum of sums": "for i in range(n):\n    t = 0.0\n    for j in range(n): t += v(x[j], y[j])\n    s += t * x[i]",
    "the smallest": (
        "for i in range(n):\n    t = 1e300\n    for j in range(n): t = min(t, (x[i] - y[j]) ** 2)\n    s += t"
    ),
    "dropped on one way": (
        "r = 0.5\nfor i in range(n):\n    t = s\n    for j in range(n):\n"
        "        t += x[i] * y[j] if y[j] > x[i] else v(x[i], y[j])\n"
        "    if x[i] > 0.6:\n        s = t; r += math.log(x[i])\ns = s + r"
    ),
    "taken back on one way": (
        "r = 0.5\nfor i in range(n):\n    old = s\n    s += v(x[i], y[i])\n    if x[i] > 0.7:\n"
        "        for j in range(n): s += v(x[i], y[j])\n    elif x[i] > 0.5: r += math.log(x[i])\n"
        "    else: s = old; r += math.sin(y[i])\ns = s + r"
    ),
    "a loop that is left in between": (
        "for i in range(n):\n    for j in range(n):\n        if y[j] > 100.0: break\n        s += math.sin(y[j])\n"
        "        for q in range(3): s += v(x[i], y[q]) * x[q]"
    ),
    "in two loops": "for i in range(n): s += v(x[i], y[i])\nfor i in range(n - 1): s += v(x[i], y[i + 1])",
    "with another sum": "r = 0.5\nfor i in range(n):\n    s += v(x[i], y[i])\n    r -= x[i] * x[i]\ns = s + 2.0 * r",
    "with a constant sum": "r = 0.5\nfor i in range(n):\n    s += v(x[i], y[i])\n    r += c[i]\ns = s + 2.0 * r",
    "with work": (
        "z = np.empty(3)\nfor i in range(n):\n    for j in range(3): z[j] = x[i] * y[j]\n"
        "    s += v(z[0], z[1]) + z[2]"
    ),
    "checked": "for i in range(n):\n    if x[i] > 90.0: raise ValueError('large')\n    s += v(x[i], y[i])",
    "written meanwhile": "for i in range(n):\n    s += v(x[i], y[i])\n    o[i] = x[i]",
    "while": "i = 0\nwhile i < n:\n    s += v(x[i], y[i])\n    i += 1",
    "left": "for i in range(n):\n    if k[i] == 4: break\n    s += v(x[i], y[i])",
}

# What becomes of it.
RESULTS = {
    "itself": "return s",
    "a mean": "return s / n",
    "with a penalty": "return -s / n + 0.5 * (x[0] * x[0] + y[1])",
    "with a chosen one": "return s * 2.0 if u > 0.5 else y[0] - s",
    "of two": "t = 0.0\nfor i in range(n): t += x[i] * y[i] * y[i]\nreturn s - 3.0 * t",
    "on two ways": (
        "p = c[0] * 2.0\nif k[0] > 6: r = s * math.sin(c[0]) - p\nelse: r = s + math.exp(c[0])\nreturn r - p"
    ),
    "a root": "return math.sqrt(abs(s) + 1.0)",
    "its square": "return s * s",
    "nothing if none": "if n == 0: return 7.0\nreturn s / n",
    "scaled": "return u * s",
}

OPTIONS = {"plain": {}, "fast": {"fastmath": True}, "narrow": {}}


def indented(text: str) -> str:
    return "\n".join("    " + line for line in text.splitlines())


def program(place: str, term: str, result: str, options: str):
    begin = "s = np.float32(0.5)" if options == "narrow" else "s = 0.5"
    body = PLACES[place]
    source = f"@njit\ndef v(a, b): return {TERMS[term]}\n"
    source += f"def f(x, y, c, k, o, u):\n    n = x.size\n    {begin}\n"
    source += f"{indented(body)}\n{indented(RESULTS[result])}\n"
    space = {"math": math, "np": np, "njit": njit}
    exec(source, space)
    return njit(**OPTIONS[options])(space["f"])


def inputs(options: str = "plain", n: int = 7):
    rng = np.random.default_rng(3)
    made = rng.uniform(0.2, 1.2, n), rng.uniform(0.3, 1.3, n), rng.uniform(0.0, 1.0, n)
    if options == "narrow":
        made = tuple(z.astype(np.float32) for z in made)
    return made, np.arange(n)[::-1].copy()


def derivative(mode, f, options: str = "plain", n: int = 7):
    (x, y, c), k = inputs(options, n)
    dx, dy, do = np.zeros_like(x), np.zeros_like(y), np.zeros_like(x)
    annotated = Duplicated(x, dx), Duplicated(y, dy), Const(c), Const(k)
    found = autodiff(mode, f, Active, *annotated, Duplicated(np.zeros_like(x), do), Active(0.75))
    return found, np.array([*dx, *dy, found[0][-1]])


def value(f, options: str = "plain", n: int = 7):
    (x, y, c), k = inputs(options, n)
    return f(x, y, c, k, np.zeros_like(x), 0.75)


TABLE = [
    (place, list(TERMS)[(i + j) % len(TERMS)], result, list(OPTIONS)[(2 * i + j) % len(OPTIONS)])
    for (i, place), (j, result) in itertools.product(enumerate(PLACES), enumerate(RESULTS))
]


@pytest.mark.parametrize(("place", "term", "result", "options"), TABLE)
def test_the_result_is_that_of_the_program(place, term, result, options):
    f = program(place, term, result, options)
    eps = {"narrow": 2e-6}.get(options, 1e-13)
    for n in (7, 40, 1):
        if n == 1 and (
            "y[1]" in RESULTS[result]
            or "with work" in place
            or "two inner" in place
            or "in between" in place
        ):
            continue
        expected = value(f, options, n)
        _, without = derivative(Reverse, f, options, n)
        for mode in (ReverseWithPrimal, clear_vector_math(ReverseWithPrimal)):
            found, with_primal = derivative(mode, f, options, n)
            exact = options == "plain" and mode != ReverseWithPrimal
            assert found[1] == (expected if exact else pytest.approx(expected, rel=eps))
            assert with_primal == pytest.approx(without, rel=eps, abs=eps)


def again(place, result, term="product", options="plain"):
    """Does a loop run in the reverse pass, with a sum of the primal?"""
    f = program(place, term, result, options)
    (x, y, c), k = inputs(options)
    annotated = [Duplicated(z, np.zeros_like(z)) for z in (x, y)]
    annotated += [Const(c), Const(k), Duplicated(np.zeros(7), np.zeros(7)), Active(0.5)]
    text = compile_report(f, ReverseWithPrimal, Active, *annotated)["ir"]["derivative"]
    return ".again:" in text


WAIT = (
    "straight",
    "subtracted",
    "gathered",
    "on both ways",
    "pairs",
    "before pairs",
    "triples at all levels",
)
DO_NOT = ("behind pairs", "two inner loops", "written meanwhile", "left")


@pytest.mark.parametrize("place", [*WAIT, *DO_NOT])
def test_loops_run_once_where_the_order_of_the_program_can_be_kept(place):
    assert again(place, "with a penalty") == (place in WAIT)
    assert not again(place, "its square")


@pytest.mark.parametrize("place", ["straight", "on one way", "before pairs", "checked"])
def test_nothing_to_add(place):
    f = program(place, "product", "nothing if none", "plain")
    found, d = derivative(ReverseWithPrimal, f, n=0)
    assert found[1] == 7.0 and not d.any()


@pytest.mark.parametrize("place", ["straight", "on one way", "before pairs", "with another sum"])
def test_derivatives_of_derivatives_with_their_primals(place):
    f = program(place, "function", "with a penalty", "plain")
    (x, y, c), k = inputs()
    v = np.linspace(-1.0, 1.0, 7)

    @njit
    def first(x, dx):
        found = autodiff(
            ReverseWithPrimal,
            f,
            Active,
            Duplicated(x, dx),
            Const(y),
            Const(c),
            Const(k),
            Const(np.zeros(7)),
            Const(0.75),
        )
        return found[1]

    dx, ddx = np.zeros(7), np.zeros(7)
    (slope,) = autodiff(Forward, first, Duplicated(x, v), Duplicated(dx, ddx))
    assert slope == pytest.approx(np.vdot(dx, v), rel=1e-12)
    h = 1e-6
    up, down = np.zeros(7), np.zeros(7)
    first(x + h * v, up)
    first(x - h * v, down)
    assert ddx == pytest.approx((up - down) / (2 * h), rel=1e-6, abs=1e-7)


def test_a_batch_has_one_result():
    f = program("before pairs", "function", "with a penalty", "plain")
    (x, y, c), k = inputs()
    shadows = tuple(np.zeros(7) for _ in range(3))
    constants = Const(y), Const(c), Const(k), Const(np.zeros(7)), Const(0.75)
    found = autodiff(ReverseWithPrimal, f, Active, BatchDuplicated(x, shadows), *constants)
    assert found[-1] == pytest.approx(value(f), rel=1e-14)
    once = np.zeros(7)
    autodiff(Reverse, f, Active, Duplicated(x, once), *constants)
    assert all(np.allclose(d, once, rtol=1e-13) for d in shadows)


@pytest.mark.parametrize("bad", [0, 3, 6])
def test_an_error_is_the_programs_and_comes_first(bad):
    f = program("checked", "quotient", "a mean", "plain")
    (x, y, c), k = inputs()
    x[bad] = 91.0
    for at in (6, 0):
        y_bad = y.copy()
        y_bad[at] = 0.0
        with pytest.raises((ValueError, ZeroDivisionError)) as told:
            f(x, y_bad, c, k, np.zeros(7), 0.75)
        with pytest.raises(told.type, match=str(told.value)):
            gradient(
                ReverseWithPrimal,
                f,
                x,
                Const(y_bad),
                Const(c),
                Const(k),
                Const(np.zeros(7)),
                Const(0.75),
            )


def test_minus_zero_and_what_is_no_number():
    @njit
    def f(x, keep):
        s = -0.0
        for i in range(x.size):
            if keep[i]:
                s += x[i]
        return s

    for numbers in ([-0.0, -0.0], [0.0, -0.0], [np.inf, -np.inf], [np.nan, 1.0], [1.0, np.inf]):
        x = np.array(numbers * 5)
        for keep in (np.zeros(10, np.bool_), np.ones(10, np.bool_), np.arange(10) % 3 == 0):
            found = autodiff(
                ReverseWithPrimal, f, Active, Duplicated(x, np.zeros(10)), Const(keep)
            )[1]
            assert np.array_equal(found, f(x, keep), equal_nan=True)
            assert np.signbit(found) == np.signbit(f(x, keep)) or np.isnan(found)


@njit(fastmath=True)
def added_fast(s, t):
    return s + t


def test_sums_in_order_stay_in_order_beside_others():
    @njit
    def f(x, y):
        s = 0.5
        for i in range(x.size):
            if y[i] > 0.0:
                s = s + math.sqrt(y[i]) * x[i]
            else:
                s = added_fast(s, y[i] * x[i])
        return s

    rng = np.random.default_rng(2)
    x, y = rng.normal(size=400) * 1e8, rng.normal(size=400) + 1.0
    given = Duplicated(x, np.zeros(400)), Const(np.abs(y))
    assert autodiff(clear_vector_math(ReverseWithPrimal), f, Active, *given)[1] == f(x, np.abs(y))


def test_long_programs_behind_the_loop_and_in_it():
    tail = "".join(f"    s = s * c[0] + {k}.5\n" for k in range(400))
    ways = "".join(f"        if x[i] > {k}: t = s + math.exp(y[i] + {k})\n" for k in range(200))
    for source in (
        f"def f(x, y, c):\n    s = 0.0\n    for i in range(x.size): s += x[i] * y[i]\n{tail}    return s\n",
        f"def f(x, y, c):\n    s = 0.0\n    for i in range(9):\n        t = s\n{ways}        s = t\n    return s\n",
    ):
        space = {"math": math}
        exec(source, space)
        f = njit(space["f"])
        x, y, c = np.linspace(0.1, 3.0, 9), np.linspace(0.5, 1.0, 9), np.array([0.5])
        given = Duplicated(x, np.zeros(9)), Duplicated(y, np.zeros(9)), Const(c)
        assert autodiff(ReverseWithPrimal, f, Active, *given)[1] == pytest.approx(
            f(x, y, c), rel=1e-13
        )


def test_results_without_a_derivative():
    """The reverse pass of such a function goes through none of its loops."""

    @njit
    def f(x, n, flag):
        s = r = 0.0
        for i in range(n):
            t = s + math.sin(x[i])
            if x[i] != x[i]:
                t = t + math.sin(x[i])
            s = t
        for i in range(n):
            r += x[i] * x[i]
        if flag == 0:
            s = s * 0.3 + math.sin(x[0])
        else:
            s = r * 2.0 - math.exp(x[0])
        return s, r, n

    x = np.linspace(0.1, 1.0, 7)
    for flag in (0, 1):
        mode = clear_vector_math(ReverseWithPrimal)
        found = autodiff(mode, f, Const, Duplicated(x, np.zeros(7)), Const(7), Const(flag))
        assert found[-1] == f(x, 7, flag)
