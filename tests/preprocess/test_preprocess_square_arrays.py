"""Programs that take a matrix for square, with square ones and with others."""

from __future__ import annotations

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
    ReverseWithPrimal,
    autodiff,
    compile_report,
    hvp,
)
from enzyme.engine.ir.parser import parse_module
from enzyme.engine.ir.printer import print_module
from enzyme.engine.preprocess.square_arrays import make_for_squares

pytestmark = pytest.mark.rotating(16)


@njit
def cholesky(a, b):
    n = len(a)
    lower = np.zeros_like(a)
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= lower[i, k] * lower[j, k]
            if i == j:
                lower[i, i] = math.sqrt(s)
            else:
                lower[i, j] = s / lower[j, j]
    total = 0.0
    for i in range(n):
        total += math.log(lower[i, i]) * b[i]
    return total


@njit
def elimination(a, b):
    """In a copy, counted by another array."""
    n = len(b)
    m, x = a.copy(), b.copy()
    for k in range(n):
        for i in range(k + 1, n):
            f = m[i, k] / m[k, k]
            for j in range(k, n):
                m[i, j] -= f * m[k, j]
            x[i] -= f * x[k]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= m[i, j] * x[j]
        x[i] /= m[i, i]
    return (x * x).sum()


@njit
def in_place(a, b):
    """In the argument itself."""
    for k in range(len(a)):
        for i in range(k + 1, len(a)):
            a[i, k] /= a[k, k]
            for j in range(k + 1, len(a)):
                a[i, j] -= a[i, k] * a[k, j]
    s = 0.0
    for i in range(len(a)):
        s += a[i, i] * b[i]
    return s


@njit
def spilling(a, b):
    """Columns go beyond the end of a row: what is written there is the next row's."""
    m = a.copy()
    flat = m.reshape(m.size)
    n, wide = len(b), a.shape[1]
    for i in range(1, n - 2):
        for j in range(n):
            flat[i * wide + j] = flat[(i - 1) * wide + j] * flat[i * wide + j] + 0.1 * b[j]
    return (m * m).sum()


@njit
def both_lengths(a, b):
    m = a.copy()
    for i in range(1, a.shape[0]):
        for j in range(a.shape[1]):
            m[i, j] += m[i - 1, j] * m[i, j] * b[i]
    return m.sum()


# How many columns a matrix of n rows has.
PROGRAMS = {
    cholesky: (0, 2),
    elimination: (0, 3),
    in_place: (0, 1),
    spilling: (0, -1, -2, 2),
    both_lengths: (0, -2, 3),
}


def operands(n, columns):
    rng = np.random.default_rng(n)
    a = rng.uniform(0.1, 0.9, (n, n + columns))
    a[:, : min(n, n + columns)] += 2.0 * n * np.eye(n, min(n, n + columns))
    return a, rng.uniform(0.5, 1.5, n), rng.normal(size=a.shape), rng.normal(size=n)


@pytest.mark.parametrize("f", PROGRAMS)
def test_square_and_other_matrices(f):
    for more in PROGRAMS[f]:
        for n in (1, 2, 5, 9):
            if n + more < 1 or (f is spilling and n < 4):
                continue
            a, b, v, w = operands(n, more)
            da, db = np.zeros_like(a), np.zeros_like(b)
            given = a.copy()
            value = autodiff(ReverseWithPrimal, f, Active, Duplicated(given, da), Duplicated(b, db))
            expected = a.copy()
            assert value[1] == pytest.approx(f.py_func(expected, b), rel=1e-12)
            np.testing.assert_allclose(given, expected, rtol=1e-12)
            moved = Duplicated(a.copy(), v.copy()), Duplicated(b.copy(), w.copy())
            (slope,) = autodiff(Forward, f, *moved)
            assert np.vdot(da, v) + db @ w == pytest.approx(slope, rel=1e-11)
            lanes = np.zeros_like(a), np.zeros_like(a)
            unused = np.zeros_like(b), np.zeros_like(b)
            batch = BatchDuplicated(a.copy(), lanes), BatchDuplicated(b, unused)
            autodiff(ReverseWithPrimal, f, Active, *batch)
            np.testing.assert_allclose(lanes[1], da, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("f", [cholesky, elimination])
def test_second_derivatives(f):
    @njit
    def of_matrix(a):
        return f(a, a[:, 0] * 0.1 + 1.0)

    for more in PROGRAMS[f]:
        a, _, v, _ = operands(4, more)
        h = 1e-5

        def slope(a, v=v):
            return autodiff(Forward, of_matrix, Duplicated(a, v))[0]

        along = (slope(a + h * v) - slope(a - h * v)) / (2 * h)
        assert np.vdot(hvp(of_matrix, a, v), v) == pytest.approx(along, rel=1e-6, abs=1e-9)


def test_no_number_is_kept_for_each_step_of_the_innermost_loop():
    a, b, _, _ = operands(5, 0)
    shadows = np.zeros_like(a), np.zeros_like(b)
    args = Duplicated(a, shadows[0]), Duplicated(b, shadows[1])
    report = compile_report(cholesky, ReverseWithPrimal, Active, *args)["cache"]
    homes = [line.split(":")[0] for line in report.splitlines() if "per iteration" in line]
    square = {home for home in homes if ".square" in home}
    others = {home for home in homes if ".square" not in home}
    assert len(square) < len(others)


SQUARE = """
define double @f(ptr %m, i64 %n, i64 %row) {
entry:
  br label %rows
rows:
  %i = phi i64 [ 0, %entry ], [ %i.next, %rows.end ]
  %start = mul i64 %i, %row
  %at = getelementptr double, ptr %m, i64 %start
  br label %columns
columns:
  %j = phi i64 [ 0, %rows ], [ %j.next, %columns ]
  %place = getelementptr double, ptr %at, i64 %j
  %x = load double, ptr %place
  store double %x, ptr %place
  %j.next = add i64 %j, 1
  %j.more = icmp slt i64 %j.next, BOUND
  br i1 %j.more, label %columns, label %rows.end
rows.end:
  %i.next = add i64 %i, 1
  %i.more = icmp slt i64 %i.next, %n
  br i1 %i.more, label %rows, label %end
end:
  ret double 0.0
}
"""


@pytest.mark.parametrize(
    ("change", "made"),
    [
        (("BOUND", "%n"), 1),
        (("BOUND", "%i"), 1),
        (("BOUND", "%row"), 0),
        (("BOUND", "7"), 0),
        (("store double %x, ptr %place", "store double %x, ptr %m"), 0),
    ],
)
def test_when_a_second_body_is_made(change, made):
    module = parse_module(SQUARE.replace(*change).replace("BOUND", "%n"))
    assert make_for_squares(module) == made
    assert ("columns.square" in print_module(module)) == bool(made)


def test_values_that_are_constant():
    a, b, v, _ = operands(4, 0)
    da = np.zeros_like(a)
    autodiff(ReverseWithPrimal, elimination, Active, Duplicated(a, da), Const(b))
    (slope,) = autodiff(Forward, elimination, Duplicated(a, v), Const(b))
    assert np.vdot(da, v) == pytest.approx(slope, rel=1e-12)
