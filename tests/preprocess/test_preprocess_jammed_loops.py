"""Iterations of a loop that need nothing from each other run side by side in the loops inside of it."""

from __future__ import annotations

import ctypes
import itertools
import math
import mmap
import sys

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    Forward,
    ForwardMode,
    ForwardWithPrimal,
    Reverse,
    ReverseWithPrimal,
    autodiff,
    hvp,
)
from enzyme.engine.preprocess.jammed_bodies import JAMMED
from enzyme.support.watching import watch
from tests.arrays.law import assert_law, branches, filled

MODES = (Reverse, ReverseWithPrimal, Forward, ForwardWithPrimal)

# `x` has rows and columns, `a` a number per row and `b` one per column; n, m = x.shape, `z` is n times m, of zeros,
# and `y` has a zero per row and one more. The inner loop makes `h`.
OUTER = {
    "rows": "for i in range(n):\n    {inner}\n    s += h * h",
    "rows_backwards": "for i in range(n - 1, -1, -1):\n    {inner}\n    s += a[i] * h",
    "every_third": "for i in range(1, n, 3):\n    {inner}\n    s += h",
    "while": "i = 0\nwhile i < n:\n    {inner}\n    s += h * a[i]\n    i += 1",
    "one_behind": "for j in range(1, n + 1):\n    i = j - 1\n    {inner}\n    s += h",
    "narrow": "for r in range(np.int32(n)):\n    i = np.int32(r)\n    {inner}\n    s += h",
    "in_steps": "for t in range(len(b)):\n    for i in range(n):\n        {inner}\n        s += h * b[0]",
    "in_rows": "for r in range(2):\n    for i in range(r, n):\n        {inner}\n        s += h * (r + 1)",
    "under_a_flag": "for i in range(n):\n    h = a[i]\n    if b[0] > 0.0:\n        {inner}\n    s += h",
    "under_a_choice": "for i in range(n):\n    h = a[i]\n    if a[i] > 0.5:\n        {inner}\n    s += h",
    "stored": "for i in range(n):\n    {inner}\n    y[i] = h\ns += (y * y).sum()",
    "stored_before": "for i in range(n):\n    y[i] = 2.0 * a[i]\n    {inner}\n    y[i] += h\ns += (y * y).sum()",
    "stored_behind": "for i in range(n):\n    {inner}\n    y[i + 1] = y[i] + h\ns += (y * y).sum()",
    "stored_in_another": "for i in range(n):\n    {inner}\n    y[n - i] += h * y[i]\ns += (y * y).sum()",
    "scattered": "for i in range(n):\n    {inner}\n    y[int(abs(a[i]) * 9.0) % (n + 1)] += h\ns += (y * y).sum()",
    "in_place": "v = x.copy()\nfor i in range(n):\n    {inner}\n    v[i, 0] = h\ns += v.sum()",
    "read_and_written": "v = a.copy()\nfor i in range(n):\n    {inner}\n    v[i] = v[i] * h\ns += (v * v).sum()",
    "one_place": "y[0] = 0.3\nfor i in range(n):\n    {inner}\n    y[0] = 0.5 * y[0] + h\ns += y[0]",
    "previous": "p = 0.4\nfor i in range(n):\n    {inner}\n    s += h * p\n    p = h\ns += p",
    "leaky": "p = 0.4\nfor i in range(n):\n    {inner}\n    p = 0.6 * p + h\ns += p",
    "largest": "p = -5.0\nfor i in range(n):\n    {inner}\n    p = max(p, h)\ns += p",
    "counted": "c = 0\nfor i in range(n):\n    {inner}\n    c += 2\n    s += h * c",
    "count_of": "c = 0\nfor i in range(n):\n    {inner}\n    if h > 0.3:\n        c += 1\n    s += h * c",
    "until": "for i in range(n):\n    {inner}\n    s += h\n    if s > 3.0:\n        break",
    "last_one": "h = 0.0\nfor i in range(n):\n    {inner}\ns += h",
    "added_up": "for i in range(n):\n    {inner}",
    "added_up_too": "for i in range(n):\n    {inner}\n    s += 0.3 * h",
    "added_up_twice": "for j in range(2):\n    for i in range(n):\n        {inner}\ns = s / (1.0 + s * s)",
    "added_if_any": "for i in range(n):\n    if m > 1:\n        {inner}\n        s += h * h",
    "two_of_them": "for i in range(n):\n    {inner}\n    s += h\n    {inner}\n    s += h * h",
}
INNER = {
    "columns": "h = a[i]\nfor k in range(m):\n    {step}",
    "backwards": "h = 0.2\nfor k in range(m - 1, -1, -1):\n    {step}",
    "while": "h, k = a[i], 0\nwhile k < m:\n    {step}\n    k += 1",
    "triangle": "h = 0.1\nfor k in range(min(i + 1, m)):\n    {step}",
    "twice": "h = 0.3\nfor k in range(m):\n    {step}\nfor k in range(m):\n    {step}",
    "nested": "h = a[i]\nfor r in range(2):\n    for k in range(m):\n        {step}\n    h = 0.5 * h + r",
    "until_a_column": "h = a[i]\nfor k in range(m):\n    if b[k] > 1.5:\n        break\n    {step}",
    "until_large": "h = a[i]\nfor k in range(m):\n    if h > 1.5:\n        break\n    {step}",
    "adds": "h = a[i]\nfor k in range(m):\n    {step}\n    s += h * b[k]",
    "doubles": "h = a[i]\nfor k in range(m):\n    {step}\n    s += s\ns = 0.1 * s + h",
    "takes_off": "h = a[i]\nfor k in range(m):\n    s -= h * x[i, k]\n    {step}",
    "adds_until": "h = a[i]\nfor k in range(m):\n    {step}\n    s += h\n    if s > 5.0:\n        break",
    "carried_on": "h = np.tanh(0.1 * s)\nfor k in range(m):\n    {step}",
    "stores": "h = a[i]\nfor k in range(m):\n    {step}\n    z[i, k] = h\ns += 0.1 * z[i].sum() if m else 0.0",
    "reads_earlier": "h = a[i]\nfor k in range(m):\n    {step}\n    z[i, k] = h + (z[i - 1, k] if i else 0.0)",
    "columns_of_z": "h = a[i]\nfor k in range(m):\n    {step}\n    z[0, k] = 0.5 * z[0, k] + h",
}
STEPS = {
    "polynomial": "h = 0.5 * h * x[i, k] + b[k]",
    "sum": "h += x[i, k] * b[k]",
    "map": "h = a[i] * h * (1.0 - h)",
    "sines": "h = np.sin(h + x[i, k])",
    "checked": "h = 0.5 * h + b[k] / (2.0 + x[i, k] * x[i, k])",
    "divides": "h = 1.0 / (1.5 + h * h) + 0.1 * x[i, k]",
    "clipped": "h = max(0.8 * h, x[i, k])",
    "chosen": "h = 0.7 * h + (x[i, k] if x[i, k] > 0.0 else b[k] * h)",
    "two_numbers": "g = 0.5 * h\nh = 0.3 * h + math.exp(-g * g) * b[k]",
    "branches": "if h > 0.4:\n    h = 0.5 * h * h + x[i, k]\nelse:\n    h = h + math.log(2.0 + h * h)",
}


def program(outer, inner, step):
    body = filled(OUTER[outer], "{inner}", filled(INNER[inner], "{step}", STEPS[step]))
    return f"n, m = x.shape\nz, y = np.zeros((n, m)), np.zeros(n + 1)\n{body}\ns += z.sum()"


PROGRAMS = {"-".join(names): program(*names) for names in itertools.product(OUTER, INNER, STEPS)}
GROUP = 10
GROUPS = [list(PROGRAMS)[at : at + GROUP] for at in range(0, len(PROGRAMS), GROUP)]


def arguments(rows=19, columns=4):
    rng = np.random.default_rng(rows)
    return [
        0.5 * rng.normal(size=(rows, columns)),
        rng.uniform(0.1, 0.9, max(rows, 1)),
        rng.uniform(0.3, 1.0, max(columns, 1)),
    ]


@pytest.mark.rotating(60)
@pytest.mark.parametrize("names", GROUPS, ids=lambda names: names[0])
def test_law(names):
    f = branches("jammed loops", [PROGRAMS[n] for n in names], ["x", "a", "b"])
    f.py_func.__globals__["math"] = math
    for which, name in enumerate(names):
        for rows, columns in ((19, 4), (8, 1), (7, 3), (17, 0), (0, 3), (1, 2)):
            if columns == 0 and "in_place" in name:
                continue
            assert_law(f, which, arguments(rows, columns), f"{name} {rows} {columns}")


def call(mode, function, *annotated):
    """What `autodiff` returns for a function that returns a number."""
    returned = Duplicated if isinstance(mode, ForwardMode) else Active
    return autodiff(mode, function, returned, *annotated)


def jams(function, *annotated, mode=Reverse):
    """Do several iterations of a loop run at once?"""
    texts = []
    with watch(lambda r: texts.append(r.text()) if r.stage == "jammed_loops" else None):
        call(mode, function, *annotated)
    return any(JAMMED in text for text in texts)


def jitted(name):
    lines = ["def f(x, a, b):", "s = 0.0", *PROGRAMS[name].split("\n"), "return s"]
    scope = {"np": np, "math": math}
    exec("\n    ".join(lines), scope)
    return njit(scope["f"])


# Sums over both loops: tangents are added up in the order of the program.
ORDERED = (
    "added_up-adds-polynomial",
    "added_up-takes_off-divides",
    "added_up_too-adds-polynomial",
    "stored-adds-polynomial",
)


@pytest.mark.rotating(5)
@pytest.mark.parametrize(
    "name, expected",
    [
        ("rows-columns-polynomial", True),
        ("rows-columns-map", True),
        ("rows-columns-sines", True),
        ("rows-columns-divides", True),
        ("rows-columns-clipped", True),
        ("rows-backwards-polynomial", True),
        ("rows-while-polynomial", True),
        ("rows-nested-polynomial", True),
        ("rows-twice-polynomial", True),
        ("rows-stores-polynomial", True),
        ("rows_backwards-columns-polynomial", True),
        ("every_third-columns-polynomial", True),
        ("while-columns-polynomial", True),
        ("in_steps-columns-polynomial", True),
        ("stored-columns-polynomial", True),
        ("stored-columns-divides", True),
        ("read_and_written-columns-polynomial", True),
        ("previous-columns-polynomial", True),
        ("leaky-columns-polynomial", True),
        ("one_place-columns-polynomial", True),
        ("stored_behind-columns-polynomial", False),
        ("counted-columns-polynomial", True),
        ("added_up-adds-polynomial", True),
        ("added_up-takes_off-divides", True),
        ("added_up_too-adds-polynomial", True),
        ("added_up_twice-adds-polynomial", False),
        ("stored-adds-polynomial", True),
        ("added_if_any-columns-polynomial", True),
        ("added_up-doubles-polynomial", False),
        ("until-adds-polynomial", False),
        ("added_up-adds_until-polynomial", False),
        ("rows-columns-branches", False),
        ("rows-triangle-polynomial", False),
        ("rows-until_large-polynomial", False),
        ("rows-carried_on-polynomial", False),
        ("rows-reads_earlier-polynomial", False),
        ("until-columns-polynomial", False),
        ("under_a_choice-columns-polynomial", False),
        ("scattered-columns-polynomial", False),
        ("stored_in_another-columns-polynomial", False),
    ],
)
def test_which_loops_run_at_once(name, expected):
    for mode in (Reverse, Forward):
        given = [Duplicated(v, np.zeros_like(v)) for v in arguments()]
        sums = mode is Forward and name in ORDERED
        assert jams(jitted(name), *given, mode=mode) is (expected and not sums)


@njit
def polynomials(c, x):
    s = 0.0
    for i in range(len(x)):
        h = 0.0
        for k in range(len(c)):
            h = h * x[i] + c[k]
        s += h * h
    return s


@njit
def likelihood(c, x):
    s = 0.0
    for i in range(len(x)):
        h = 1.0
        for k in range(len(c)):
            h = 0.3 * h + c[k] * c[k] + x[i] * x[i]
            s += np.sqrt(h)
    return s


@pytest.mark.parametrize("function", [polynomials, likelihood], ids=lambda f: f.__name__)
def test_the_value_is_the_same_to_the_bit(function):
    rng = np.random.default_rng(1)
    for n in range(27):
        c, x = rng.normal(size=5), rng.normal(size=n)
        given = Duplicated(c, np.zeros(5)), Duplicated(x, np.zeros(n))
        _, value = autodiff(ReverseWithPrimal, function, Active, *given)
        assert value == function(c, x)
        _, value = autodiff(ForwardWithPrimal, function, Duplicated, *given)
        assert value == function(c, x)


@pytest.mark.parametrize("width", [2, 4, 8])
@pytest.mark.parametrize("function", [polynomials, likelihood], ids=lambda f: f.__name__)
def test_several_directions_at_once(function, width):
    rng = np.random.default_rng(1)
    for n in (3, 8, 27):
        c, x = rng.normal(size=5), rng.normal(size=n)
        along = [tuple(rng.normal(size=v.shape) for _ in range(width)) for v in (c, x)]
        given = [BatchDuplicated(v, d) for v, d in zip((c, x), along)]
        found = autodiff(Forward, function, BatchDuplicated, *given)[-1]
        slopes = np.zeros(5), np.zeros(n)
        autodiff(Reverse, function, Active, *map(Duplicated, (c, x), slopes))
        expected = [sum(np.vdot(s, d) for s, d in zip(slopes, lane)) for lane in zip(*along)]
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@njit
def reciprocals(x, a, bad, kept):
    s = 0.0
    out = np.zeros(len(x))
    for i in range(len(x)):
        h = 0.5 + 0.1 * i
        for k in range(len(a)):
            if i * len(a) + k == bad[0]:
                raise ValueError("this one", 1)
            h = 0.5 * h + a[k] * np.cos(h)
        if i == bad[1]:
            raise OverflowError("that one")
        q = 1.0 / (i - float(bad[2]))
        out[i] = x[i] * q * h
        s += out[i]
    kept[:] = out
    return s


@pytest.mark.rotating(8)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "bad", [*itertools.product([-1, 0, 13, 30], [-1, 2, 4, 15], [-1, 4, 5, 16])], ids=str
)
def test_errors_are_those_of_the_first_iteration_that_fails(bad, mode):
    x, a, kept = np.linspace(3.0, 5.0, 17), np.array([0.3, 0.2, 0.5]), np.zeros(17)
    error = None
    try:
        expected = reciprocals(x, a, np.array(bad), kept)
    except (ValueError, OverflowError, ZeroDivisionError) as raised:
        error = raised
    given = [Duplicated(v, np.zeros_like(v)) for v in (x, a)]
    given += [Const(np.array(bad)), Const(kept)]
    if error is None:
        for with_primal in (ReverseWithPrimal, ForwardWithPrimal):
            assert call(with_primal, reciprocals, *given)[1] == expected
        assert_law(reciprocals_of, 0, [x, a], str(bad))
        return
    with pytest.raises(type(error)) as found:
        call(mode, reciprocals, *given)
    assert found.value.args == error.args
    assert not kept.any()


@njit
def reciprocals_of(which, x, a):
    return reciprocals(x, a, np.full(3, -1), np.zeros(len(x)))


def test_checks_of_several_iterations_at_once():
    x, a = np.linspace(3.0, 5.0, 17), np.array([0.3, 0.2, 0.5])
    given = [Duplicated(v, np.zeros_like(v)) for v in (x, a)]
    given += [Const(np.full(3, -1)), Const(np.zeros(17))]
    for mode in (Reverse, Forward):
        assert jams(njit(reciprocals.py_func), *given, mode=mode)


@njit
def sentinel(x, rounds, most):
    """What lies behind the zero may not be there."""
    s = 0.0
    for i in range(most):
        h = 0.1
        for _ in range(rounds):
            h = x[i] * h * (1.0 - h)
        if x[i] == 0.0:
            raise StopIteration
        s += h
    return s


def test_nothing_is_loaded_behind_what_fails():
    x = np.append(np.linspace(2.0, 3.0, 12), 0.0)
    given = Duplicated(x, np.zeros(13)), Const(5)
    for mode in (Reverse, Forward):
        assert jams(njit(sentinel.py_func), *given, Const(12), mode=mode)
        with pytest.raises(StopIteration):
            call(mode, sentinel, *given, Const(1 << 40))


@njit
def uniform(x, c, most):
    s = 0.0
    for i in range(most):
        h = x[i]
        for k in range(len(c)):
            if c[k] == 0.0:
                raise ValueError("no factor")
            h = 0.5 * h * c[k] + x[i]
        s += h
    return s


@njit
def uniform_quotients(x, c, most):
    s = 0.0
    for i in range(most):
        h = x[i]
        for k in range(len(c)):
            h = 0.5 * h / c[k] + x[i]
        s += h
    return s


def before_a_guard(numbers):
    """An array behind which memory must not be touched, and what keeps it alive."""
    page = mmap.PAGESIZE
    memory = mmap.mmap(-1, 2 * page)
    begin = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(begin + page), page, 0) == 0
    made = np.frombuffer(memory, dtype=np.float64, count=page // 8)[page // 8 - len(numbers) :]
    made[:] = numbers
    return made, memory


@pytest.mark.skipif(sys.platform != "linux", reason="protects memory as Linux does")
@pytest.mark.parametrize("function", [uniform, uniform_quotients], ids=["raises", "divides"])
def test_no_memory_is_touched_that_an_error_keeps_the_program_from(function):
    c, fine = np.array([0.3, 0.5, 0.0]), np.array([0.3, 0.5, 0.7])
    for n in (1, 3, 9, 33):
        x, _kept = before_a_guard(np.linspace(0.5, 1.0, n))
        x_too, dx = x.copy(), np.zeros(n)
        for mode in MODES:
            with pytest.raises((ValueError, ZeroDivisionError)):
                given = Duplicated(x, dx), Duplicated(c, np.zeros(3)), Const(n + 40)
                call(mode, function, *given)
        for mode in (ReverseWithPrimal, ForwardWithPrimal):
            given = Duplicated(x, dx), Duplicated(fine, np.zeros(3)), Const(n)
            assert call(mode, function, *given)[1] == function(x_too, fine, n)


@njit
def stores_ahead(x, c, stop, most):
    """What is behind the error has no room in `w`."""
    w = np.zeros(stop)
    s = 0.0
    for i in range(most):
        h = x[0]
        for k in range(len(c)):
            h = 0.5 * h * c[k] + 0.1 * i
        w[i] = h
        if i == stop - 1:
            raise ValueError("no room")
        s += h
    return s + (w * w).sum()


def test_no_memory_is_written_that_an_error_keeps_the_program_from():
    x, c = np.ones(1), np.array([0.4, 0.5, 0.6])
    given = [Duplicated(v, np.zeros_like(v)) for v in (x, c)]
    assert not jams(stores_ahead, *given, Const(20), Const(19))
    for stop in range(1, 20):
        for _ in range(20):
            for mode in (Reverse, Forward):
                with pytest.raises(ValueError, match="no room"):
                    call(mode, stores_ahead, *given, Const(stop), Const(stop + 64))


@njit
def every_fourth(x, c, most):
    s = 0.0
    for i in range(most):
        v = x[4 * i]
        h = v
        for k in range(len(c)):
            h = 0.5 * h * c[k] + v
        if v == 0.0:
            raise StopIteration
        s += h
    return s


@pytest.mark.skipif(sys.platform != "linux", reason="protects memory as Linux does")
@pytest.mark.parametrize("most", [6, 40, 1 << 40, 1 << 61, 1 << 62, (1 << 63) - 1])
def test_counts_that_wrap_around(most):
    x, _kept = before_a_guard([*np.linspace(0.5, 1.0, 20), 0.0])
    given = [Duplicated(v, np.zeros_like(v)) for v in (x, np.array([0.4, 0.5]))]
    for mode in (Reverse, Forward):
        with pytest.raises((StopIteration, MemoryError)):
            call(mode, every_fourth, *given, Const(most))


RESULTS = {
    "abs(s)": False,
    "np.sqrt(s * s)": False,
    "1.0 / s": False,
    "x[0] / (1.0 + s)": False,
    "math.copysign(x[0], s)": False,
    "np.trunc(s + 1.0) * x[0]": False,
    "s if s > 0.0 else 2.0 * s": False,
    "s * (s + x[1])": False,
    "x[2] - 0.5 * s": True,
    "-(s * x[0]) / x[1] + x[2] * x[2]": True,
}


@pytest.mark.rotating(3)
@pytest.mark.parametrize("result, may_round", RESULTS.items(), ids=RESULTS.get)
def test_sums_that_decide_on_a_derivative_are_not_rounded_otherwise(result, may_round):
    lines = [
        "def f(x, c, s):",
        "for i in range(len(x)):",
        "    h = x[i]",
        "    for k in range(len(c)):",
        "        h = 0.5 * h + c[k]",
        "        s += h * x[i]",
        f"return {result}",
    ]
    scope = {"np": np, "math": math}
    exec("\n    ".join(lines), scope)
    f = njit(scope["f"])
    rng = np.random.default_rng(3)
    x, c = rng.normal(size=20), rng.normal(size=3)
    given = [Duplicated(v, np.zeros_like(v)) for v in (x, c)]
    assert jams(f, *given, Const(0.0)) is may_round
    for start in (0.0, -njit(summed)(x, c)):
        slopes = []
        for mode in (Reverse, ReverseWithPrimal):
            given = [Duplicated(v, np.zeros_like(v)) for v in (x, c)]
            autodiff(mode, f, Active, *given, Const(start))
            slopes.append(np.concatenate([g.dval for g in given]))
        np.testing.assert_allclose(*slopes, rtol=1e-12)


@njit
def doubled(x, c):
    s = 1.0
    for i in range(len(x)):
        h = x[i]
        for k in range(len(c)):
            h = 0.5 * h + c[k] * x[i]
            s += s
        s += h
    return s


def test_what_is_added_to_itself_is_no_sum():
    x, c = np.linspace(0.1, 0.5, 20), np.array([0.3, 0.2])
    given = [Duplicated(v, np.zeros_like(v)) for v in (x, c)]
    autodiff(Reverse, doubled, Active, *given)
    slope = 4.0 ** np.arange(19, -1, -1) * (0.25 + 0.5 * c[0] + c[1])
    np.testing.assert_allclose(given[0].dval, slope, rtol=1e-13)


def summed(x, c):
    s = 0.0
    for i in range(len(x)):
        h = x[i]
        for k in range(len(c)):
            h = 0.5 * h + c[k]
            s += h * x[i]
    return s


@njit
def handed_over(x, c, bad):
    w = np.zeros(len(x))
    s = 0.0
    for i in range(len(x)):
        h = 0.1 * i
        for k in range(len(c)):
            h = 0.5 * h * c[k] + 0.01 * i
        w[i] = h
        if i == bad:
            x[:] = w
            raise ValueError(w[0] + w[min(bad + 1, 16)])
        s += h * x[i]
    return s + w.sum()


@pytest.mark.parametrize("bad", [0, 3, 7, 13, 16])
def test_memory_that_the_report_of_an_error_reads(bad):
    c, x, expected = np.array([0.4, 0.5, 0.6]), np.linspace(0.1, 1, 17), np.linspace(0.1, 1, 17)
    with pytest.raises(ValueError) as error:
        handed_over(expected, c, bad)
    for mode in (Reverse, Forward):
        with pytest.raises(ValueError) as found:
            given = Duplicated(x, np.zeros(17)), Duplicated(c, np.zeros(3)), Const(bad)
            call(mode, handed_over, *given)
        assert found.value.args == error.value.args
        if mode is Reverse:
            np.testing.assert_array_equal(x, expected)
            x = np.linspace(0.1, 1, 17)
    np.testing.assert_array_equal(x, expected)


@njit
def overlaid(x, y):
    """`y` may be where `x` is, or one element further."""
    for i in range(len(x)):
        h = x[i]
        for k in range(3):
            h = 0.5 * h + 0.1 * x[k] * h
        y[i] = h
    return np.sum(y * y)


@pytest.mark.parametrize("shift", [0, 1, 5, 8])
def test_memory_that_is_written_under_another_name(shift):
    n = 21
    rng = np.random.default_rng(shift)
    start, u = rng.uniform(0.5, 1.0, n + shift), rng.normal(size=n + shift)

    def along(h):
        memory = start + h * u
        return overlaid(memory[:n], memory[shift : shift + n])

    memory, shadow = start.copy(), np.zeros(n + shift)
    autodiff(
        Reverse,
        overlaid,
        Active,
        Duplicated(memory[:n], shadow[:n]),
        Duplicated(memory[shift : shift + n], shadow[shift : shift + n]),
    )
    slope = (along(1e-6) - along(-1e-6)) / 2e-6
    np.testing.assert_allclose(shadow @ u, slope, rtol=1e-7)
    memory, shadow = start.copy(), u.copy()
    given = Duplicated(memory[:n], shadow[:n]), Duplicated(memory[shift:], shadow[shift:])
    np.testing.assert_allclose(
        autodiff(Forward, overlaid, Duplicated, *given)[-1], slope, rtol=1e-7
    )


@pytest.mark.parametrize("function", [polynomials, likelihood], ids=lambda f: f.__name__)
def test_fastmath(function):
    """LLVM adds nothing where the inner loop does not run."""
    rng = np.random.default_rng(2)
    for n, m in ((19, 5), (16, 0), (3, 4), (33, 1)):
        c, x = rng.normal(size=m), rng.normal(size=n)
        found, expected = [], []
        for options, shadows in (({"fastmath": True}, found), ({}, expected)):
            shadows += np.zeros(m), np.zeros(n)
            given = [Duplicated(v, d) for v, d in zip((c, x), shadows, strict=True)]
            assert jams(njit(function.py_func, **options), *given)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)


@njit
def approaches(x, rounds):
    s = 0.0
    for i in range(len(x)):
        h = 0.0
        for _ in range(rounds):
            h = 0.99999 * h + 1e-5 * x[i]
        s += h * h
    return s


@pytest.mark.parametrize("rounds", [1 << 12, (1 << 20) + 7])
def test_long_inner_loops(rounds):
    x, dx = np.linspace(0.5, 1.0, 17), np.zeros(17)
    autodiff(Reverse, approaches, Active, Duplicated(x, dx), Const(rounds))
    reached = 1.0 - 0.99999**rounds
    np.testing.assert_allclose(dx, 2.0 * x * reached**2, rtol=1e-9)


def test_second_derivatives():
    rng = np.random.default_rng(4)
    c, x, v = rng.normal(size=5), rng.normal(size=19), rng.normal(size=19)

    def slope(at):
        shadow = np.zeros(19)
        autodiff(Reverse, polynomials, Active, Const(c), Duplicated(at, shadow))
        return shadow

    expected = (slope(x + 1e-6 * v) - slope(x - 1e-6 * v)) / 2e-6
    found = hvp(lambda x, c: polynomials(c, x), x, v, c)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
