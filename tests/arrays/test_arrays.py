"""Array expressions become loops of ours: the same bits as numba's, the same errors, and derivatives by law."""

from __future__ import annotations

import linecache
import os
import re

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    ForwardWithPrimal,
    Reverse,
    ReverseWithPrimal,
    autodiff,
    clear_vector_math,
    compile_report,
)
from tests.arrays.table import buffers, programs, source

pytestmark = pytest.mark.rotating(27)

# Elementary functions of several numbers at once may differ from those of the C library by a unit in the last place.
EXACT = clear_vector_math(ForwardWithPrimal)
SIZE = 8
TABLE = programs()
GROUPS = [TABLE[start : start + SIZE] for start in range(0, len(TABLE), SIZE)]
WALKED = range(len(GROUPS)) if "ALL_ARRAYS" in os.environ else range(1)
# Sines that are computed in vectors have other last digits.
EXACT = clear_vector_math(ForwardWithPrimal)
# Derivatives of every so many groups.
LAW_IN = 4


def made(number: int):
    name, text = f"<arrays {number}>", source(GROUPS[number])
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope = {"np": np}
    exec(compile(text, name, "exec"), scope)
    return njit(scope["group"])


def outcome(call, *args):
    """The value of a call, or the exception that it raised."""
    try:
        return call(*args)
    except (ValueError, ZeroDivisionError) as error:
        # The line that numba names for shapes that do not fit is that of a function which it made itself.
        return type(error), re.sub(r"line \d+", "", str(error))


def bits(*values):
    return [np.asarray(value).tobytes() for value in values]


def test_the_table_is_large():
    assert len(TABLE) >= 300


@pytest.mark.parametrize("number", WALKED)
def test_programs(number: int):
    function = made(number)
    with_law = number % LAW_IN == 0
    wrong = []
    for which, program in enumerate(GROUPS[number]):
        m, n = buffers()
        expected = outcome(function, which, m, n)
        mine, yours = buffers()
        dm, dn = np.random.default_rng(which).uniform(-1, 1, (2, 60))
        v = dm.copy(), dn.copy()
        given = (
            (Duplicated(mine, dm), Duplicated(yours, dn)) if with_law else map(Const, (mine, yours))
        )
        activity = Duplicated if with_law else Const
        got = outcome(autodiff, EXACT, function, activity, Const(which), *given)
        if program.fails != isinstance(expected, tuple):
            wrong.append((program, "the table", expected))
        elif isinstance(expected, tuple):
            if got != expected or bits(m, n) != bits(mine, yours):
                wrong.append((program, expected, got))
        elif bits(m, n, expected) != bits(mine, yours, got[-1]):
            wrong.append((program, expected, got))
        elif with_law and not _law_holds(function, which, program, v, (dm, dn, got[0])):
            wrong.append((program, "law", got))
    assert not wrong, "\n".join(map(str, wrong))


def _law_holds(function, which, program, v, jv) -> bool:
    m, n = buffers()
    w = np.random.default_rng(which + 1).uniform(-1, 1, (2, 60))
    wm, wn = w.copy()
    autodiff(Reverse, function, Active, Const(which), Duplicated(m, wm), Duplicated(n, wn))
    terms = np.concatenate([w[0] * jv[0], w[1] * jv[1], [float(jv[2])], -wm * v[0], -wn * v[1]])
    single = program.dtype in ("f4", "mixed") or "converted" in program.name
    allowed = 1e-5 if single else 1e-11
    return bool(abs(terms.sum()) <= allowed * np.abs(terms).sum())


def _allocations(function, *args) -> int:
    report = compile_report(function, Reverse, Active, *args)
    return len(re.findall(r"call .*@NRT_MemInfo_alloc", report["ir"]["before"]))


def _sum(x, y):
    return np.sum(np.sin(x + y) * x)


def _named(x, y):
    s = x + y
    return (np.sin(s) * x).mean()


def _two_readers(x, y):
    s = x + y
    return np.sum(s * s) + s[0]


def _into_new(x, y):
    new = np.zeros(x.size)
    new[1:] = x[1:] * y[:-1]
    new[:-1] += x[1:] * 2.0
    return new[3]


@pytest.mark.parametrize(
    ("program", "arrays"), [(_sum, 0), (_named, 0), (_two_readers, 1), (_into_new, 1)]
)
def test_arrays_that_are_left(program, arrays):
    x, y = np.ones(5), np.ones(5)
    given = Duplicated(x, np.zeros(5)), Duplicated(y, np.zeros(5))
    assert _allocations(njit(program), *given) == arrays


def test_a_target_of_another_shape_is_an_error():
    @njit
    def add(x, y):
        x += y
        return x[0]

    x, y = np.ones(3), np.ones(2)
    with pytest.raises(ValueError, match="non-broadcastable output operand"):
        autodiff(Reverse, add, Active, Duplicated(x, np.ones(3)), Duplicated(y, np.ones(2)))
    assert x.tolist() == [1.0, 1.0, 1.0]


def test_a_target_with_fewer_axes_is_an_error_where_it_is_reached():
    @njit
    def add(x, y, reached):
        if reached:
            x += y
        return x[0] * y[0, 0]

    x, y = np.ones(3), np.ones((1, 3))
    dx, dy = np.zeros(3), np.zeros((1, 3))
    autodiff(Reverse, add, Active, Duplicated(x, dx), Duplicated(y, dy), Const(False))
    assert dx.tolist() == [1.0, 0.0, 0.0]
    with pytest.raises(ValueError, match="non-broadcastable output operand"):
        autodiff(Reverse, add, Active, Duplicated(x, dx), Duplicated(y, dy), Const(True))


def _step(x, y):
    x[1:] += np.sin(y[:-1]) * x[1:]
    y[...] = x * y
    return np.sum(x * y)


@pytest.mark.parametrize("far", [0, 1, 3])
def test_arguments_that_share_memory(far):
    def views(buffer):
        return buffer[: -far or None], buffer[far:]

    function, start = njit(_step), np.linspace(0.5, 1.5, 9)
    expected, mine = start.copy(), start.copy()
    value = function(*views(expected))
    tangent, w = np.random.default_rng(far).uniform(-1, 1, (2, 9))
    moved, adjoint = tangent.copy(), w.copy()
    given = map(Duplicated, views(mine), views(moved))
    slope, got = autodiff(ForwardWithPrimal, function, Duplicated, *given)
    assert bits(value, expected) == bits(got, mine)
    autodiff(Reverse, function, Active, *map(Duplicated, views(start), views(adjoint)))
    assert w @ moved + slope == pytest.approx(adjoint @ tangent, rel=1e-12)


@pytest.mark.skipif("ALL_ARRAYS" not in os.environ, reason="takes long")
def test_hessians_are_symmetric():
    function = njit(_step)

    @njit
    def gradient(x, y, dx, dy):
        autodiff(Reverse, function, Active, Duplicated(x, dx), Duplicated(y, dy))

    def product(v):
        x, y = np.linspace(0.5, 1.5, 18).reshape(2, 9)
        dx, dy, hx, hy = np.zeros((4, 9))
        shadows = v[0].copy(), v[1].copy(), hx, hy
        autodiff(Forward, gradient, Const, *map(Duplicated, (x, y, dx, dy), shadows))
        return np.array([hx, hy])

    v, w = np.random.default_rng(0).uniform(-1, 1, (2, 2, 9))
    assert np.sum(product(v) * w) == pytest.approx(np.sum(product(w) * v), rel=1e-12)


def weighted(a, u):
    return (a * np.outer(u[0], u[1])).sum()


def products(a, u, v):
    m = a.copy()
    for k in range(len(u)):
        m += np.outer(u[k], v[k] * 2.0)
        m *= 0.9
    return (m * np.outer(u[0], u[1])).sum()


def test_outer_products_are_computed_where_they_are_used():
    a, u, v = np.ones((4, 4)), np.arange(8.0).reshape(2, 4), np.linspace(1.0, 2.0, 8).reshape(2, 4)
    annotated = [Duplicated(x, np.zeros_like(x)) for x in (a, u, v)]
    report = compile_report(weighted, Reverse, Active, *annotated[:2])
    assert "call ptr @NRT_MemInfo_alloc" not in report["ir"]["before"]
    value = autodiff(ReverseWithPrimal, products, Active, *annotated)[1]
    assert value == njit(products)(a, u, v)
    steps = [np.random.default_rng(k).normal(size=x.shape) for k, x in enumerate((a, u, v))]
    tangent = autodiff(Forward, products, *map(Duplicated, (a, u, v), steps))[0]
    found = sum(float((x.dval * step).sum()) for x, step in zip(annotated, steps, strict=True))
    assert found == pytest.approx(tangent, rel=1e-12)


def beyond(x, k):
    part = x[k:]
    total = part.sum() + x[k:][1:].sum() + x[-k:].sum() * 2.0 + x[k::2].sum() - x[: k - 1].sum()
    y = x.copy()
    y[k:] += 3.0 * x[k:]
    y[k + 1 :] = x[k + 1 :] * x[k:-1]
    y[k:][::-1] *= 2.0
    z = y.reshape(2, -1)
    return total + (y * y).sum() + z[k:].sum() + z[:, k:].sum() * z[1:, ::-1].sum() + len(x[k:])


def test_views_that_begin_behind_the_end():
    x = np.linspace(0.5, 1.5, 6)
    compiled = njit(beyond)
    for k in (0, 1, 2, 4, 5, 6, 7, 8, 100, 2**62):
        dx, step = np.zeros(6), np.linspace(-1.0, 1.0, 6)
        value = autodiff(ReverseWithPrimal, beyond, Active, Duplicated(x, dx), Const(k))[1]
        assert value == compiled(x, k)
        tangent = autodiff(Forward, beyond, Duplicated(x, step), Const(k))[0]
        assert dx @ step == pytest.approx(tangent, rel=1e-12)
