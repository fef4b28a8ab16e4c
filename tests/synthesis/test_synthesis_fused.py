"""Loops whose iterations are reversed as soon as they have run: sums whose value nobody asks for.

A table of nests, bodies and carried numbers is walked; each program obeys the adjoint law without and with its primal,
and raises what the primal raises.
"""

from __future__ import annotations

import itertools
import math
import os

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
    explain,
    set_strong_zero,
)

pytestmark = pytest.mark.rotating(27)

# What is computed of `a` and `b`, into `v`.
BODIES = {
    "product": "v = a * b * b",
    "division": "v = a / (b * b)",
    "raise": "if a > 90.0:\n    raise ValueError('large')\nv = a * a * b",
    "branch": "v = a * b\nif v > 0.1:\n    v = v * math.exp(-a)",
    "branch_division": "v = 0.0\nif a * b < 0.3:\n    v = b / a + a",
    "selected": "v = max(a * a, b) + min(a, b * a)",
    "functions": "v = math.sin(a * b) + math.sqrt(a * a + 1.0) + math.tanh(b)",
    "inner_sum": "t = 0.0\nfor q in range(4):\n    t += math.cos(a * w[q])\nv = t * t * b",
    "inner_while": "t = a\nwhile abs(t) > 0.5:\n    t = t * 0.6 * abs(b)\nv = t * b",
    "inner_product": "t = 1.0\nfor q in range(4):\n    t *= 1.0 + a * w[q]\nv = t + b",
    "normalised": (
        "m = -1e300\nfor q in range(4):\n    m = max(m, a * w[q])\n"
        "t = 0.0\nfor q in range(4):\n    t += math.exp(a * w[q] - m)\nv = m + math.log(t) * b"
    ),
}

# Where `a` and `b` come from; {body} stands where they are used.
NESTS = {
    "straight": "for i in range(x.size):\n    a = x[i]; b = y[i]\n{1}",
    "branching": "for i in range(x.size):\n    if i % 3 != 1:\n        a = x[i]; b = y[i]\n{2}",
    "gathered": "for i in range(x.size):\n    a = x[n[i]]; b = y[i]\n{1}",
    "pairs": "for i in range(x.size):\n    for j in range(i):\n        a = x[i]; b = y[j]\n{2}",
    "square": "for i in range(x.size):\n    for j in range(3):\n        a = x[i]; b = y[j]\n{2}",
    "cube": (
        "for i in range(3):\n    for j in range(2):\n        for k in range(i + j):\n"
        "            a = x[i + k]; b = y[j]\n{3}"
    ),
    "uneven": "for i in range(x.size):\n    for j in range(n[i]):\n        a = x[j]; b = y[i]\n{2}",
    "with_work_between": (
        "for i in range(x.size):\n    c = math.sin(x[i])\n    for j in range(3):\n"
        "        a = c * x[j]; b = y[i]\n{2}"
    ),
    "while": "i = 0\nwhile i < x.size:\n    a = x[i]; b = y[n[i]]\n{1}\n    i += 1 + n[i] % 2",
}

# What is done with `v`, and with what is carried.
CARRIED = {
    "sum": ("s = 0.0", "s += v", "s"),
    "difference": ("s = 2.0", "s -= v * u", "s"),
    "two_sums": ("s = 0.0; r = u", "s += v\nr += v * v", "s + r"),
    "sometimes": ("s = u", "if v > 0.2:\n    s += v\nelse:\n    s -= 2.0 * v", "s"),
    "scaled": ("s = 1.0", "s = 0.9 * s + v", "s"),
    "squared": ("s = 0.0", "s += v", "s * s"),
    "counted": ("s = 0.0; c = 0.0", "c += 1.0\ns += v * c", "s"),
    "largest": ("s = -1e300", "s = max(s, v)", "s * u"),
    "sum_of_sums": ("s = 0.0; r = u", "r += v\ns += r", "s"),
    "area": ("s = 0.0; r = u", "if v > 0.5:\n    r += v\nelse:\n    s += r", "s"),
    "swapped": ("s = u; r = 1.0", "t_ = s + v\ns = r\nr = t_", "s + 2.0 * r"),
    "three_in_turn": (
        "s = u; r = 1.0; q_ = 0.0",
        "t_ = s + v\ns = r\nr = q_\nq_ = t_",
        "s + 2.0 * r - q_",
    ),
    "fibonacci": ("s = u; r = 1.0", "t_ = s + r + v\ns = r\nr = t_", "s"),
    "doubled": ("s = u", "t_ = s + v\ns = s + t_", "s"),
    "subtracted_from": ("s = u", "s = v - s", "s"),
    "moved": (
        "s = 0.0; r = 0.0",
        "if v > 0.5:\n    r += v\nelse:\n    s += r\n    r -= v",
        "s + r",
    ),
}


def indented(text: str, depth: int) -> str:
    return "\n".join("    " * depth + line for line in text.splitlines())


def program(nest: str, body: str, carried: str):
    begin, step, result = CARRIED[carried]
    used = {str(d): indented(f"{BODIES[body]}\n{step}", d) for d in (1, 2, 3)}
    code = NESTS[nest]
    for depth, text in used.items():
        code = code.replace("{" + depth + "}", text)
    source = (
        f"def f(x, y, w, n, u):\n{indented(begin, 1)}\n{indented(code, 1)}\n    return {result}\n"
    )
    space = {"math": math}
    exec(source, space)
    return njit(space["f"])


def inputs():
    rng = np.random.default_rng(5)
    x, y, w = rng.uniform(0.2, 1.2, 6), rng.uniform(0.3, 1.3, 6), rng.uniform(0.1, 1.0, 4)
    return x, y, w, np.array([2, 0, 3, 1, 5, 4])


def gradient(mode, f, x, y, w, n, u):
    shadows = [np.zeros_like(z) for z in (x, y, w)]
    duplicated = [Duplicated(z, d) for z, d in zip((x, y, w), shadows)]
    found = autodiff(mode, f, Active, *duplicated, Const(n), Active(u))
    return [*shadows, np.array([found[0][-1]])]


TABLE = list(itertools.product(NESTS, BODIES, CARRIED))


def sampled():
    """A quarter of the pairs of a nest and a body, with what is carried in turn; all rows with ALL_FUSED."""
    if "ALL_FUSED" in os.environ:
        return TABLE
    pairs = itertools.product(enumerate(NESTS), enumerate(BODIES))
    carried = list(CARRIED)
    return [
        (nest, body, carried[(i + j) % len(carried)])
        for (i, nest), (j, body) in pairs
        if (i + 3 * j) % 4 == 0
    ]


@pytest.mark.parametrize(("nest", "body", "carried"), sampled())
def test_sums_obey_the_law_with_and_without_the_primal(nest, body, carried):
    f = program(nest, body, carried)
    x, y, w, n = inputs()
    u = 0.7
    rng = np.random.default_rng(1)
    v = [rng.standard_normal(z.size) for z in (x, y, w)] + [rng.standard_normal(1)]
    tangents = [Duplicated(z, d) for z, d in zip((x, y, w), v)]
    (forward,) = autodiff(Forward, f, *tangents, Const(n), Duplicated(u, float(v[3][0])))
    with_primal = clear_vector_math(ReverseWithPrimal)
    shadowed = [Duplicated(z, np.zeros_like(z)) for z in (x, y, w)]
    assert autodiff(with_primal, f, Active, *shadowed, Const(n), Active(u))[1] == f(x, y, w, n, u)
    for mode in (Reverse, ReverseWithPrimal, set_strong_zero(Reverse)):
        found = gradient(mode, f, x, y, w, n, u)
        sides = [np.vdot(g, d) for g, d in zip(found, v)]
        bound = np.abs(np.concatenate([g * d for g, d in zip(found, v)])).sum() + abs(forward)
        assert abs(sum(sides) - forward) <= 1e-12 * bound
    h = 1e-6
    moved = [
        f(x + t * v[0], y + t * v[1], w + t * v[2], n, u + t * float(v[3][0])) for t in (h, -h)
    ]
    assert (moved[0] - moved[1]) / (2 * h) == pytest.approx(forward, rel=1e-5, abs=1e-6)


@njit
def guarded(x, y, w, n, u):
    s = 0.0
    for i in range(n.size):
        if y[i] < 0.0:
            raise ValueError("negative")
        v = u / w[i]
        if y[i] > 5.0:
            raise IndexError("large")
        s += v * x[n[i]]  # anywhere, where the checks are not made first
    return s


@njit
def guarded_pairs(x, y, w, n, u):
    s = 0.0
    for i in range(n.size):
        if y[i] < 0.0:
            raise ValueError("negative")
        for j in range(i + 1):
            s += u * x[n[j]] / w[j] * y[i]
    return s


@njit
def looked_up_afterwards(x, y, w, n, u):
    s = 0.0
    for i in range(w.size):
        if y[i] > 5.0:
            raise IndexError("large")
        if w[i] < 0.0:
            raise ValueError("negative")
        if w[i] > 1e-3:
            s += u / w[i]
        else:
            s += u / (w[i] * w[i])
    return s * x[n[2]]


@njit
def guarded_twice(x, y, w, n, u):
    s = 0.0
    for i in range(w.size):
        if w[i] < 1e-3:
            raise ValueError("small")
        if y[i] > 5.0:
            raise IndexError("large")
        if y[i] > 0.5:
            s += u / w[i]
    return s + x[n[2]]  # added, so that the loop's value is asked for by nobody


@njit
def guarded_straight(x, y, w, n, u):
    s = 0.0
    for i in range(w.size):
        if y[i] < 0.0:
            raise ValueError("negative")
        v = u / w[i]
        if y[i] > 5.0:
            raise IndexError("large")
        s += v * v * y[i]
    return s * x[n[2]]


@njit
def guarded_rows(x, y, w, n, u):
    s = 0.0
    for i in range(3):
        t = x[i] * x[i]
        for j in range(w.size):
            s += t * u / (w[j] * (5.5 - y[i]))
            if y[j] < 0.0:
                raise ValueError("negative")
    return s


def outcome(function):
    try:
        return function()
    except Exception as error:
        return type(error), str(error)


GUARDED = [
    guarded,
    guarded_pairs,
    looked_up_afterwards,
    guarded_twice,
    guarded_straight,
    guarded_rows,
]


@pytest.mark.parametrize("f", GUARDED)
@pytest.mark.parametrize("bad_y", [(), (1, -1.0), (2, 6.0), (0, -1.0)], ids=str)
@pytest.mark.parametrize("bad_w", [(), (1,), (2,), (0,)], ids=str)
def test_the_exception_is_the_first_and_nothing_behind_it_is_touched(f, bad_y, bad_w):
    x, y, w = np.ones(4), np.ones(3), np.ones(3)
    n = np.array([0, 1, 2])
    if bad_y:
        y[bad_y[0]] = bad_y[1]
    for k in bad_w:
        w[k] = 0.0
        n[k:] = 2**50  # not an address of anybody's
    expected = outcome(lambda: f(x, y, w, n, 2.0))
    if not isinstance(expected, tuple):
        if f in (looked_up_afterwards, guarded_straight) and bad_w:
            pytest.fail("should have failed")
        assert np.isfinite(gradient(Reverse, f, x, y, w, n, 2.0)[0]).all()
        return
    for mode in (Reverse, ReverseWithPrimal):
        assert outcome(lambda mode=mode: gradient(mode, f, x, y, w, n, 2.0)) == expected


@njit
def passed_by(x, n, u):
    s = 0.0
    for j in range(n.size):
        if n[j] < 0:
            raise ValueError("negative")
        s += x[j] * x[j]
    r = u
    if u > 0.0:
        r = s * math.exp(math.sin(u))
    return r


@pytest.mark.parametrize("u", [0.7, -0.7])
def test_the_exception_is_raised_where_the_sum_has_no_derivative(u):
    x, n = np.ones(4), np.array([1, 2, -1, 0])
    for mode in (Reverse, ReverseWithPrimal):
        with pytest.raises(ValueError, match="negative"):
            autodiff(mode, passed_by, Active, Duplicated(x, np.zeros(4)), Const(n), Const(u))


def annotated():
    x, y, w, n = inputs()
    return [*(Duplicated(z, np.zeros_like(z)) for z in (x, y, w)), Const(n), Active(0.5)]


SUMS = ("sum", "difference", "two_sums", "sometimes", "counted")


@pytest.mark.parametrize("nest", ["branching", "gathered", "pairs", "uneven"])
@pytest.mark.parametrize("carried", CARRIED)
def test_sums_are_fused_and_nothing_else_is(nest, carried):
    f = program(nest, "product", carried)
    text = compile_report(f, Reverse, Active, *annotated())["ir"]["derivative"]
    assert (".again:" in text) == (carried in SUMS)
    asked = compile_report(f, ReverseWithPrimal, Active, *annotated())["ir"]["derivative"]
    assert (".again:" in asked) == (carried in SUMS)


@pytest.mark.parametrize("mode", [Reverse, ReverseWithPrimal])
def test_nothing_is_kept_for_each_observation(mode):
    def loops_of(carried):
        f = program("gathered", "normalised", carried)
        storages = explain(f, mode, Active, *annotated()).functions[0].storages
        return max((len(storage.loops) for storage in storages), default=0)

    assert loops_of("sum") < loops_of("scaled")


def test_an_iteration_is_not_computed_again():
    f = program("pairs", "branch", "sum")
    text = compile_report(f, Reverse, Active, *annotated())["ir"]["derivative"]
    assert ".again:" in text
    assert text.count(".r = load") == 1  # x[i], which LLVM loads where there is a j


def test_straight_loops_keep_nothing_and_make_their_checks_before():
    f = program("straight", "division", "sum")
    assert not explain(f, Reverse, Active, *annotated()).functions[0].storages
    text = compile_report(f, Reverse, Active, *annotated())["ir"]["derivative"]
    assert text.count(".checks:") == 2  # the checks, and the rest of an iteration
    again = text.index(".again:")
    assert "ZeroDivisionError" in text and text.count("fcmp oeq", again) == 0


@pytest.mark.parametrize("body", ["division", "branch", "inner_sum"])
@pytest.mark.parametrize("nest", ["gathered", "pairs"])
def test_second_order_through_a_fused_loop(nest, body):
    f = program(nest, body, "sum")
    x, y, w, n = inputs()
    v = np.linspace(-1.0, 1.0, x.size)

    @njit
    def slope(x, y, w, n, v):
        dx = np.zeros_like(x)
        autodiff(Reverse, f, Active, Duplicated(x, dx), Const(y), Const(w), Const(n), Const(0.5))
        return np.dot(dx, v)

    once = np.zeros_like(x)
    autodiff(Reverse, slope, Active, Duplicated(x, once), Const(y), Const(w), Const(n), Const(v))
    h = 1e-6
    units = np.eye(x.size)
    expected = [
        (slope(x + h * e, y, w, n, v) - slope(x - h * e, y, w, n, v)) / (2 * h) for e in units
    ]
    np.testing.assert_allclose(once, expected, rtol=1e-5, atol=1e-6)


def test_a_batch_of_seeds_goes_through_a_fused_loop():
    f = program("pairs", "branch_division", "two_sums")
    x, y, w, n = inputs()
    lanes = [np.zeros_like(x) for _ in range(3)]
    one = gradient(Reverse, f, x, y, w, n, 0.5)[0]
    rest = [Const(z) for z in (y, w, n, 0.5)]
    autodiff(Reverse, f, Active, BatchDuplicated(x, tuple(lanes)), *rest)
    for lane in lanes:
        np.testing.assert_allclose(lane, one, rtol=1e-13)


def test_a_fused_loop_behind_the_header_of_a_loop_whose_storage_grows():
    """The header is split where storage grows, and is what the inner loop is entered from."""

    @njit
    def pour(v, c):
        for i in range(len(c)):
            v[i % len(v)] = 0.5 * v[i % len(v)] + 0.5 * math.sin(c[i])

    @njit
    def program(x, a, b):
        s = 0.5 * a
        w = x.copy()
        for _ in range(len(x)):
            h = np.zeros(5, np.float32)
            for i in range(5):
                h[i] = s
            k = 0
            while k < 6 and (x[0] > 0.5):
                k += 1
                s = math.tanh(math.sqrt(1.0 + (0.2 * x.sum()) ** 2) - 1.0)
                pour(w, np.diff(h.copy()))
            s = b
        return s

    x, dx = np.array([1.0, 2.0, 3.0]), np.zeros(3)
    found = autodiff(Reverse, program, Active, Duplicated(x, dx), Active(1.0), Active(2.0))
    assert found == ((None, 0.0, 1.0),)
    assert not dx.any()


def test_nothing_is_computed_from_a_sum_that_is_passed_by():
    """LLVM takes a function of C that is given poison for a place that control never comes to."""

    @njit
    def program(x, n):
        for i in range(x.size):
            if n[i] < 0:
                raise ValueError("negative")
            t = 0.0
            for a in x:
                t += a
            math.tanh(math.expm1(t))
        return x[0] * x[1]

    @njit
    def slope(x, dx, n):
        autodiff(Reverse, program, Active, Duplicated(x, dx), Const(n))
        return dx[0]

    x, n = np.array([0.1, 0.2, 0.3]), np.array([1, 2, 3])
    first = Duplicated(x, np.zeros(3))
    text = compile_report(program, Reverse, Active, first, Const(n))["ir"]["derivative"]
    derivative = text[text.index("@grad") :]
    assert ".again:" in derivative
    assert "poison" not in derivative and "@expm1" not in derivative
    once = np.zeros(3)
    autodiff(
        Reverse, slope, Active, Duplicated(x, once), Duplicated(np.zeros(3), np.zeros(3)), Const(n)
    )
    assert once.tolist() == [0.0, 1.0, 0.0]


@njit
def stored_by_the_failure(x, y, z):
    s = 0.0
    for i in range(x.size):
        s += x[i] * x[i]
    c = math.tanh(s)
    if y[0] < 0.0:
        z[0] = c
        z[1] = s
        raise ValueError("negative")
    return s + y[0]


@njit
def told_by_the_failure(x, y, z):
    s = 0.0
    for i in range(x.size):
        s += x[i] * x[i]
    if y[0] < 0.0:
        raise ValueError("negative", s, math.exp(s))
    return s + y[0]


@pytest.mark.parametrize("f", [stored_by_the_failure, told_by_the_failure])
def test_a_failure_behind_the_loop_has_the_sum(f):
    x, y = np.array([1.0, 2.0]), np.array([-1.0])

    def raised_by(function):
        z = np.zeros(2)
        with pytest.raises(ValueError, match="negative") as raised:
            function(z)
        return [*raised.value.args[1:], *z]

    expected = raised_by(lambda z: f(x, y, z))
    shadows = np.zeros(2), np.zeros(1), np.zeros(2)
    for mode in (Reverse, ReverseWithPrimal):
        found = raised_by(
            lambda z, mode=mode: autodiff(mode, f, Active, *map(Duplicated, (x, y, z), shadows))
        )
        assert found == pytest.approx(expected, rel=1e-14)
