"""What a gradient keeps between its passes, counted in the compiler's own report."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    Reverse,
    autodiff,
    compile_report,
    explain,
)
from tests.memory.test_memory_programs import resident


def duplicated(n=5):
    return Duplicated(np.linspace(0.5, 1.5, n), np.zeros(n))


def walk(x):
    """An iterator is a pointer that moves along the array; so is its shadow."""
    total = 0.0
    for value in np.nditer(x):
        total += value.item() * value.item()
    return total


def library_sum(x):
    return (x * x).sum()


def last_to_first(x):
    total = 0.0
    for i in range(len(x) - 1, -1, -1):
        total += x[i] * x[i]
    return total


def centred(x):
    return ((x - 1.0) * (x + 1.0) + 1.0).sum()


@pytest.mark.parametrize("f", [walk, library_sum, last_to_first, centred])
def test_nothing_is_kept_of_an_array_that_is_only_read(f):
    x = duplicated()
    report = compile_report(njit(f), Reverse, Active, x)
    assert report["cache"] == "", report["cache"]
    autodiff(Reverse, f, Active, x)
    np.testing.assert_allclose(x.dval, 2 * x.val, rtol=1e-15)


def test_operands_of_an_array_expression_are_read_again():
    """Where an axis has length one its index stands still: that is computed, not kept."""

    @njit
    def weighted(x, y, w):
        return (x * y * w).sum()

    rng = np.random.default_rng(3)
    x, y, w = rng.normal(size=(4, 5)), rng.normal(size=(1, 5)), rng.normal(size=(4, 1))
    args = [Duplicated(a, np.zeros_like(a)) for a in (x, y, w)]
    report = compile_report(weighted, Reverse, Active, *args)
    assert report["cache_bytes_per_iteration"] <= 8  # where each row of the result begins
    autodiff(Reverse, weighted, Active, *args)
    product = x * y * w
    for arg, axis in zip(args, (None, 0, 1), strict=True):
        expected = product / arg.val
        expected = expected if axis is None else expected.sum(axis=axis, keepdims=True)
        np.testing.assert_allclose(arg.dval, expected, rtol=1e-12)


def unused_index(x, steps):
    """LLVM counts such a loop down, from `steps` while the rest is greater than one."""
    y = x.copy()
    for _ in range(steps):
        for i in range(len(y)):
            y[i] = y[i] * y[i]
    return y.sum()


def steps_of_three(x, steps):
    y = x.copy()
    for i in range(3 * steps, 0, -3):
        y[i % 2] = y[i % 2] * y[i % 2]
    return y.sum()


@pytest.mark.parametrize("f", [unused_index, steps_of_three])
def test_counted_loops_keep_their_values_in_one_allocation(f):
    x = duplicated()
    report = compile_report(njit(f), Reverse, Active, x, Const(3))
    assert "growing" not in report["cache"]
    assert report["cache_bytes_per_iteration"] == 8
    calls = report["ir"]["derivative"].count("call ptr @enzyme_allocate")
    assert calls == 1


def power_iteration(a, x, steps):
    for _ in range(steps):
        y = np.zeros(len(x))
        for i in range(len(x)):
            s = 0.0
            for j in range(len(x)):
                s += a[i, j] * x[j]
            y[i] = s
        x = y / np.sqrt((y * y).sum())
    return x[0]


def test_a_new_vector_in_each_iteration_is_still_there():
    """At most three numbers are kept for each element of each vector, and none for each of the matrix."""
    a = Duplicated(np.ones((6, 6)), np.zeros((6, 6)))
    report = compile_report(njit(power_iteration), Reverse, Active, a, duplicated(6), Const(4))
    lines = [line for line in report["cache"].splitlines() if line]
    depths = [int(line.split(" bytes")[0].rsplit(" ", 1)[1]) for line in lines]
    assert len(lines) <= 4 and sum(depths[1:]) <= 24, report["cache"]


def recurrent(w, x, steps):
    """The state is read once per row of the matrix and overwritten in each step."""
    h, z = x.copy(), np.zeros(len(x))
    for _ in range(steps):
        for i in range(len(x)):
            s = 0.0
            for j in range(len(x)):
                s += w[i, j] * h[j]
            z[i] = s
        for i in range(len(x)):
            h[i] = math.tanh(z[i])
    return h.sum()


def recurrent_until(w, x, steps):
    """The same, with a number of steps that nobody knows before."""
    h, z = x.copy(), np.zeros(len(x))
    step, change = 0, 1.0
    while step < steps and change > 1e-300:
        for i in range(len(x)):
            s = 0.0
            for j in range(len(x)):
                s += w[i, j] * h[j]
            z[i] = s
        change = 0.0
        for i in range(len(x)):
            new = math.tanh(z[i])
            change += abs(new - h[i])
            h[i] = new
        step += 1
    return h.sum()


def sometimes_read(w, x, steps):
    """Read again only in some rows, in an order that depends on the row."""
    h = x.copy()
    n = len(x)
    s = 0.0
    for _ in range(steps):
        for i in range(n):
            for j in range(n):
                if w[i, j] > 0.0:
                    s += w[i, j] * h[j] * h[(i + j) % n]
        for i in range(n):
            h[i] = math.sin(h[i] + 0.1 * s)
    return s


@pytest.mark.parametrize("f", [recurrent, recurrent_until, sometimes_read])
def test_what_is_stored_once_per_version_is_right(f):
    rng = np.random.default_rng(0)
    n, steps = 60, 20
    w = Duplicated(0.2 * rng.normal(size=(n, n)), np.zeros((n, n)))
    x = Duplicated(rng.normal(size=n), np.zeros(n))
    function = njit(f)
    direction = rng.normal(size=(n, n)), rng.normal(size=n)
    autodiff(Reverse, function, Active, w, x, Const(steps))
    found = (w.dval * direction[0]).sum() + (x.dval * direction[1]).sum()
    tangents = Duplicated(w.val, direction[0]), Duplicated(x.val, direction[1])
    (expected,) = autodiff(Forward, function, *tangents, Const(steps))
    assert found == pytest.approx(expected, rel=1e-12)


def test_a_vector_read_in_every_row_has_room_for_one_row():
    n = 30
    w, x = Duplicated(np.eye(n), np.zeros((n, n))), duplicated(n)
    for f in (recurrent, recurrent_until):
        (account,) = explain(njit(f), Reverse, Active, w, x, Const(3)).functions
        assert all(len(storage.loops) <= 2 for storage in account.storages), account.storages


def log_sum_exp(x):
    largest = x.max()
    total = 0.0
    for i in range(len(x)):
        total += np.exp(x[i] - largest)
    return largest + np.log(total)


def added_calls(f, *args):
    """Calls in the text of the derivative, which stands beside the primal's."""
    ir = compile_report(f, Reverse, Active, *args)["ir"]
    counts = {}
    for name in ("exp", "tanh", "cosh"):
        call = re.compile(rf"call [^\n]*@(?:llvm\.)?{name}(?:\.f64)?\(")
        counts[name] = len(call.findall(ir["derivative"])) - len(call.findall(ir["before"]))
    return counts


def test_an_exponential_is_computed_once():
    assert added_calls(njit(log_sum_exp), duplicated()) == {"exp": 1, "tanh": 0, "cosh": 0}


def cell(z, c):
    s = 0.0
    for i in range(len(c)):
        gate = 1.0 / (1.0 + math.exp(-z[0, i]))
        c[i] = gate * c[i] + (1.0 - gate) * math.tanh(z[1, i])
        s += math.tanh(c[i]) * gate
    return s


def test_a_hyperbolic_tangent_is_computed_once_and_no_cosine():
    z = Duplicated(np.ones((2, 5)), np.zeros((2, 5)))
    # One exponential and one tangent stand in functions of their own, for where 1 - tanh² has lost its digits.
    assert added_calls(njit(cell), z, duplicated()) == {"exp": 2, "tanh": 3, "cosh": 0}


@njit
def deep(x, n):
    if n == 0:
        return x
    return math.sin(deep(x * 1.0001, n - 1)) * 1.01 + x


def test_deep_recursion():
    depth, x = 10_000, 0.3
    values = [x * 1.0001**depth]
    for k in range(depth):
        values.append(math.sin(values[-1]) * 1.01 + x * 1.0001 ** (depth - 1 - k))
    slope = 1.0001**depth
    for k in range(depth):
        slope = math.cos(values[k]) * 1.01 * slope + 1.0001 ** (depth - 1 - k)
    ((got, _),) = autodiff(Reverse, deep, Active, Active(x), Const(depth))
    assert got == pytest.approx(slope, rel=1e-9)


def while_loop(x, n):
    i = 0
    s = x
    while i < n:
        s = math.sin(s) * x + 0.5
        i += 1
        if s > 1e9:
            break
    return s


def test_a_long_loop_of_unknown_length_keeps_little_more_than_it_needs():
    f, count = njit(while_loop), 3_000_000
    report = compile_report(f, Reverse, Active, Active(0.7), Const(1))
    assert "growing" in report["cache"]
    autodiff(Reverse, f, Active, Active(0.7), Const(10))
    before = resident()
    autodiff(Reverse, f, Active, Active(0.7), Const(count))
    assert resident() - before <= 1.6 * report["cache_bytes_per_iteration"] * count
