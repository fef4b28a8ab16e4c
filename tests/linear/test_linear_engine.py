"""What numba never asks of a product: factors, gaps between columns, operations known only at run time."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from enzyme.backend.jit import JittedModule
from enzyme.engine.analysis.kinds import Activity, DiffMode
from enzyme.engine.differentiate import differentiate
from enzyme.engine.synthesis.request import DiffRequest
from enzyme.errors import EnzymeNoDerivativeError
from enzyme.frontend import linear_algebra, runtime_pieces

# c = 2 op(a) op(b) + 0.5 c with columns 4, 5 and 6 apart; then a and b are overwritten.
PRODUCT = """
declare void @enzyme_gemm_d(i8, i8, i64, i64, i64, double, ptr readonly captures(none), i64,
  ptr readonly captures(none), i64, double, ptr captures(none), i64) nounwind memory(argmem: readwrite)

define void @product(ptr noalias %a, ptr noalias %b, ptr noalias %c) {
  call void @enzyme_gemm_d(i8 TA, i8 TB, i64 2, i64 3, i64 2, double 2.0, ptr %a, i64 4, ptr %b, i64 5,
    double 0.5, ptr %c, i64 6)
  store double 7.0, ptr %a
  store double 7.0, ptr %b
  ret void
}
"""
TREE = "{[-1]:Pointer, [-1,-1]:Float@double}"


def derivative(text: str, mode: DiffMode, active: str = "abc"):
    request = DiffRequest(
        "product",
        mode,
        tuple(Activity.DUPLICATED if x in active else Activity.CONST for x in "abc"),
        return_primal=False,
        seeds=(TREE,) * 3,
        distinct_arguments=True,
    )
    made = differentiate(text, request, stand_alone=False)
    runtime_pieces.register((), linear_algebra.pieces_for(made.text))
    return JittedModule(made.text), made.symbol


def call(function, *arrays: np.ndarray) -> None:
    function(*(a.ctypes.data for a in arrays))


def columns(rng, rows: int, count: int, ld: int) -> np.ndarray:
    """Column-major memory with gaps: row k of the array is column k of the matrix."""
    made = np.full((count, ld), 99.0)
    made[:, :rows] = rng.standard_normal((count, rows))
    return made


@pytest.mark.parametrize("letters", ["nn", "nt", "tn", "tt", "cc"])
def test_factors_and_gaps(letters):
    ta, tb = (letter != "n" for letter in letters)
    rng = np.random.default_rng(3)
    shapes = [(2, 2, 4), (3, 2, 5) if tb else (2, 3, 5), (2, 3, 6)]
    a, b, c = (columns(rng, *shape) for shape in shapes)
    da, db, dc = (columns(rng, *shape) for shape in shapes)
    text = PRODUCT.replace("TA", str(ord(letters[0]))).replace("TB", str(ord(letters[1])))

    def matrix(memory, transposed=False, rows=2):
        made = memory[:, :rows].T
        return made.T if transposed else made

    rows_b = shapes[1][0]
    op_a, op_b = matrix(a, ta), matrix(b, tb, rows_b)
    d_a, d_b, d_c = matrix(da, ta), matrix(db, tb, rows_b), matrix(dc)

    before = [m.copy() for m in (a, da, b, db, c, dc)]
    module, symbol = derivative(text, DiffMode.FORWARD)
    tangents = [m.copy() for m in before]
    call(module.function(symbol, None, *[ctypes.c_void_p] * 6), *tangents)
    expected = 2 * (d_a @ op_b + op_a @ d_b) + 0.5 * d_c
    np.testing.assert_allclose(matrix(tangents[5]), expected, rtol=1e-13)

    module, symbol = derivative(text, DiffMode.REVERSE)
    adjoints = [m.copy() for m in before]
    call(module.function(symbol, None, *[ctypes.c_void_p] * 6), *adjoints)
    bar_a, bar_b = d_a.copy(), d_b.copy()
    bar_a[0, 0] = bar_b[0, 0] = 0.0  # what the stores take away
    np.testing.assert_allclose(
        matrix(adjoints[1], ta), bar_a + 2 * d_c @ op_b.T, rtol=1e-12, atol=1e-13
    )
    np.testing.assert_allclose(
        matrix(adjoints[3], tb, rows_b), bar_b + 2 * op_a.T @ d_c, rtol=1e-12, atol=1e-13
    )
    np.testing.assert_allclose(matrix(adjoints[5]), 0.5 * d_c, rtol=1e-13)
    for memory, used in zip(adjoints, (2, 2, rows_b, rows_b, 2, 2), strict=True):
        np.testing.assert_array_equal(memory[:, used:], 99.0)


@pytest.mark.parametrize("gap", [0, 3])
@pytest.mark.parametrize("beta", [0.5, 0.0])
@pytest.mark.parametrize("active", ["c", "ac", "bc", "abc"])
def test_what_the_target_had_counts_by_its_factor(active, beta, gap):
    rng = np.random.default_rng(4)
    text = PRODUCT.replace("TA", "110").replace("TB", "110")
    text = text.replace("double 0.5", f"double {beta}").replace(
        "ptr %c, i64 6", f"ptr %c, i64 {2 + gap}"
    )
    a, b, c = columns(rng, 2, 2, 4), columns(rng, 2, 3, 5), columns(rng, 2, 3, 2 + gap)
    da, db, dc = (columns(rng, 2, len(m), m.shape[1]) for m in (a, b, c))
    expected = beta * dc[:, :2].T
    if "a" in active:
        expected = expected + 2 * da[:, :2].T @ b[:, :2].T
    if "b" in active:
        expected = expected + 2 * a[:, :2].T @ db[:, :2].T
    backwards = beta * dc[:, :2].T
    for mode, result in ((DiffMode.FORWARD, expected), (DiffMode.REVERSE, backwards)):
        shadow = dc.copy()
        if mode is DiffMode.FORWARD and not beta:
            shadow[:, :2] = np.nan  # is not read
        module, symbol = derivative(text, mode, active)
        pairs = zip("abc", (a, b, c), (da, db, shadow))
        given = [m for x, *both in pairs for m in (both if x in active else both[:1])]
        copies = [m.copy() for m in given]
        call(module.function(symbol, None, *[ctypes.c_void_p] * len(given)), *copies)
        np.testing.assert_allclose(copies[-1][:, :2].T, result, rtol=1e-13)
        np.testing.assert_array_equal(copies[-1][:, 2:], 99.0)


@pytest.mark.parametrize("mode", DiffMode)
def test_an_operation_known_only_at_run_time_is_refused(mode):
    text = PRODUCT.replace("TA", "%t").replace("TB", "110")
    text = text.replace("  call void", "  %t = load i8, ptr @letter\n  call void", 1)
    with pytest.raises(EnzymeNoDerivativeError, match="enzyme_gemm_d"):
        derivative("@letter = external global i8\n" + text, mode)


@pytest.mark.parametrize("mode", DiffMode)
def test_an_active_factor_is_refused(mode):
    text = (
        PRODUCT.replace("TA", "110")
        .replace("TB", "110")
        .replace("double 2.0, ptr", "double %f, ptr")
    )
    text = text.replace("  call void", "  %f = load double, ptr %b\n  call void", 1)
    with pytest.raises(EnzymeNoDerivativeError, match="active factor"):
        derivative(text, mode)
