"""Routines of LAPACK that eliminate with pivots: blocks of columns by loops, the rest by products.

Pivots, and what `info` says, are those of the library.
"""

from __future__ import annotations

from enzyme.engine.derivatives.blas.cholesky import set_unit, zero_on_diagonal
from enzyme.engine.derivatives.blas.language import (
    Integers,
    Letter,
    Numbers,
    disjoint,
    formula,
    free,
    imag,
    integer,
    pair,
    real,
    scratch,
    set_integer,
)
from enzyme.engine.derivatives.blas.products import accumulate, moved, solve_triangle

PANEL = 16


@formula
def swap_rows(columns: int, a: Numbers, lda: int, i: int, k: int) -> None:
    for j in range(columns):
        mine = a[i + lda * j]
        theirs = a[k + lda * j]
        a[i + lda * j] = theirs
        a[k + lda * j] = mine


@disjoint
def interchange(
    columns: int, a: Numbers, lda: int, start: int, end: int, ipiv: Integers, back: bool
) -> None:
    """Rows as the pivots from `start` to `end` say, or backwards."""
    for step in range(end - start):
        i = end - 1 - step if back else start + step
        other = integer(ipiv, i) - 1
        if other != i:
            swap_rows(columns, a, lda, i, other)


@disjoint
def eliminate_panel(m: int, n: int, offset: int, a: Numbers, lda: int, ipiv: Integers) -> int:
    """L and U of a few columns; pivots, counted from `offset`, and the first that is zero, from one."""
    failed = 0
    for j in range(min(m, n)):
        best = j
        largest = abs(real(a[j + lda * j])) + abs(imag(a[j + lda * j]))
        for i in range(j + 1, m):
            size = abs(real(a[i + lda * j])) + abs(imag(a[i + lda * j]))
            if size > largest:
                largest = size
                best = i
        set_integer(ipiv, j, offset + best + 1)
        pivot = a[best + lda * j]
        if pivot != 0.0:
            if best != j:
                swap_rows(n, a, lda, j, best)
            for i in range(j + 1, m):
                a[i + lda * j] = a[i + lda * j] / pivot
        elif failed == 0:
            failed = j + 1
        for k in range(j + 1, n):
            factor = a[j + lda * k]
            for i in range(j + 1, m):
                a[i + lda * k] += -(a[i + lda * j] * factor)
    return failed


@disjoint
def getrf(m: int, n: int, a: Numbers, lda: int, ipiv: Integers, info: Integers) -> None:
    set_integer(info, 0, 0)
    steps = min(m, n)
    for j in range(0, steps, PANEL):
        width = min(PANEL, steps - j)
        start = j + width
        diagonal = a + (j + lda * j)
        failed = eliminate_panel(m - j, width, j, diagonal, lda, ipiv + j)
        if failed > 0 and integer(info, 0) == 0:
            set_integer(info, 0, j + failed)
        interchange(j, a, lda, j, start, ipiv, False)
        interchange(n - start, a + lda * start, lda, j, start, ipiv, False)
        rows = m - start
        columns = n - start
        right = a + (j + lda * start)
        solve_triangle("L", "L", "N", "U", width, columns, diagonal, lda, right, lda)
        w = scratch(rows * width)
        v = scratch(width * columns)
        moved(-1.0, rows, width, a + (start + lda * j), lda, w, rows)
        moved(1.0, width, columns, right, lda, v, width)
        accumulate(
            "N", "N", rows, columns, width, w, rows, v, width, a + (start + lda * start), lda
        )
        free(w)
        free(v)


@disjoint
def getrs(
    trans: Letter,
    n: int,
    nrhs: int,
    a: Numbers,
    lda: int,
    ipiv: Integers,
    b: Numbers,
    ldb: int,
    info: Integers,
) -> None:
    set_integer(info, 0, 0)
    if trans == "N":
        interchange(nrhs, b, ldb, 0, n, ipiv, False)
        solve_triangle("L", "L", "N", "U", n, nrhs, a, lda, b, ldb)
        solve_triangle("L", "U", "N", "N", n, nrhs, a, lda, b, ldb)
    else:
        solve_triangle("L", "U", trans, "N", n, nrhs, a, lda, b, ldb)
        solve_triangle("L", "L", trans, "U", n, nrhs, a, lda, b, ldb)
        interchange(nrhs, b, ldb, 0, n, ipiv, True)


@disjoint
def gesv(
    n: int,
    nrhs: int,
    a: Numbers,
    lda: int,
    ipiv: Integers,
    b: Numbers,
    ldb: int,
    info: Integers,
) -> None:
    getrf(n, n, a, lda, ipiv, info)
    if integer(info, 0) == 0:
        getrs("N", n, nrhs, a, lda, ipiv, b, ldb, info)


@disjoint
def getri(
    n: int, a: Numbers, lda: int, ipiv: Integers, work: Numbers, lwork: int, info: Integers
) -> None:
    """The solution for the columns of the unit matrix."""
    set_integer(info, 0, 0)
    work[0] = pair(0.0 + max(1, n), 0.0)
    if lwork == -1:
        return
    failed = zero_on_diagonal(n, a, lda)
    set_integer(info, 0, failed)
    if failed > 0:
        return
    w = scratch(n * n)
    set_unit(n, w)
    getrs("N", n, n, a, lda, ipiv, w, n, info)
    moved(1.0, n, n, w, n, a, lda)
    free(w)
