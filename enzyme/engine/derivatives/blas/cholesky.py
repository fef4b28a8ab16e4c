"""Routines of LAPACK on positive definite and on triangular matrices.

Blocks of columns are factored by loops, and the rest of the matrix is brought up to date by products, as LAPACK does
it. What `info` says is what the library says.
"""

from __future__ import annotations

from enzyme.engine.derivatives.blas.language import (
    Integers,
    Letter,
    Numbers,
    conj,
    disjoint,
    formula,
    free,
    imag,
    integer,
    is_complex,
    pair,
    real,
    scratch,
    set_integer,
    sqrt,
    zero,
)
from enzyme.engine.derivatives.blas.products import (
    BLOCK,
    accumulate_triangle,
    moved,
    solve_triangle,
)


@disjoint
def small_cholesky(lower: bool, n: int, a: Numbers, lda: int) -> int:
    """L L^*, or U^* U, of a small matrix, in place; which minor is not positive definite, or zero."""
    for j in range(n):
        size = real(a[j + lda * j])
        for k in range(j):
            entry = a[j + lda * k if lower else k + lda * j]
            size += -(real(entry) * real(entry) + imag(entry) * imag(entry))
        if not size > 0.0:
            a[j + lda * j] = pair(size, 0.0)
            return j + 1
        size = sqrt(size)
        a[j + lda * j] = pair(size, 0.0)
        for i in range(j + 1, n):
            if lower:
                total = a[i + lda * j]
                for k in range(j):
                    total += -(a[i + lda * k] * conj(a[j + lda * k]))
                a[i + lda * j] = total / size
            else:
                total = a[j + lda * i]
                for k in range(j):
                    total += -(conj(a[k + lda * j]) * a[k + lda * i])
                a[j + lda * i] = total / size
    return 0


@formula
def potrf(uplo: Letter, n: int, a: Numbers, lda: int, info: Integers) -> None:
    set_integer(info, 0, 0)
    lower = uplo == "L"
    for j in range(0, n, BLOCK):
        width = min(BLOCK, n - j)
        failed = small_cholesky(lower, width, a + (j + lda * j), lda)
        if failed > 0:
            set_integer(info, 0, j + failed)
            return
        start = j + width
        rest = n - start
        w = scratch(width * rest)
        diagonal = a + (j + lda * j)
        corner = a + (start + lda * start)
        if lower:
            panel = a + (start + lda * j)
            solve_triangle("R", "L", "C", "N", rest, width, diagonal, lda, panel, lda)
            moved(-1.0, rest, width, panel, lda, w, rest)
            accumulate_triangle(
                is_complex(), "L", "N", rest, width, w, rest, panel, lda, corner, lda
            )
        else:
            row = a + (j + lda * start)
            solve_triangle("L", "U", "C", "N", width, rest, diagonal, lda, row, lda)
            moved(-1.0, width, rest, row, lda, w, width)
            accumulate_triangle(
                is_complex(), "U", "C", rest, width, w, width, row, lda, corner, lda
            )
        free(w)


@formula
def potrs(
    uplo: Letter, n: int, nrhs: int, a: Numbers, lda: int, b: Numbers, ldb: int, info: Integers
) -> None:
    set_integer(info, 0, 0)
    if uplo == "L":
        solve_triangle("L", "L", "N", "N", n, nrhs, a, lda, b, ldb)
        solve_triangle("L", "L", "C", "N", n, nrhs, a, lda, b, ldb)
    else:
        solve_triangle("L", "U", "C", "N", n, nrhs, a, lda, b, ldb)
        solve_triangle("L", "U", "N", "N", n, nrhs, a, lda, b, ldb)


@formula
def posv(
    uplo: Letter, n: int, nrhs: int, a: Numbers, lda: int, b: Numbers, ldb: int, info: Integers
) -> None:
    potrf(uplo, n, a, lda, info)
    if integer(info, 0) == 0:
        potrs(uplo, n, nrhs, a, lda, b, ldb, info)


@formula
def set_unit(n: int, w: Numbers) -> None:
    for j in range(n):
        for i in range(n):
            w[i + n * j] = pair(1.0, 0.0) if i == j else zero()


@disjoint
def put_triangle(uplo: Letter, n: int, w: Numbers, a: Numbers, lda: int) -> None:
    for j in range(n):
        start = 0 if uplo == "U" else j
        end = j + 1 if uplo == "U" else n
        for i in range(start, end):
            a[i + lda * j] = w[i + n * j]


@disjoint
def zero_on_diagonal(n: int, a: Numbers, lda: int) -> int:
    """The first place on the diagonal that is zero, from one; zero if there is none."""
    for j in range(n):
        if a[j + lda * j] == 0.0:
            return j + 1
    return 0


@formula
def potri(uplo: Letter, n: int, a: Numbers, lda: int, info: Integers) -> None:
    """One triangle of the inverse: the solution for the columns of the unit matrix."""
    failed = zero_on_diagonal(n, a, lda)
    set_integer(info, 0, failed)
    if failed > 0:
        return
    w = scratch(n * n)
    set_unit(n, w)
    if uplo == "L":
        solve_triangle("L", "L", "N", "N", n, n, a, lda, w, n)
        solve_triangle("L", "L", "C", "N", n, n, a, lda, w, n)
    else:
        solve_triangle("L", "U", "C", "N", n, n, a, lda, w, n)
        solve_triangle("L", "U", "N", "N", n, n, a, lda, w, n)
    put_triangle(uplo, n, w, a, lda)
    free(w)


@formula
def trtrs(
    uplo: Letter,
    trans: Letter,
    diag: Letter,
    n: int,
    nrhs: int,
    a: Numbers,
    lda: int,
    b: Numbers,
    ldb: int,
    info: Integers,
) -> None:
    failed = 0
    if diag == "N":
        failed = zero_on_diagonal(n, a, lda)
    set_integer(info, 0, failed)
    if failed == 0:
        solve_triangle("L", uplo, trans, diag, n, nrhs, a, lda, b, ldb)


@formula
def trtri(uplo: Letter, diag: Letter, n: int, a: Numbers, lda: int, info: Integers) -> None:
    failed = 0
    if diag == "N":
        failed = zero_on_diagonal(n, a, lda)
    set_integer(info, 0, failed)
    if failed > 0:
        return
    w = scratch(n * n)
    set_unit(n, w)
    solve_triangle("L", uplo, "N", diag, n, n, a, lda, w, n)
    if diag == "N":
        put_triangle(uplo, n, w, a, lda)
    else:
        put_strict(uplo, n, w, a, lda)
    free(w)


@disjoint
def put_strict(uplo: Letter, n: int, w: Numbers, a: Numbers, lda: int) -> None:
    for j in range(n):
        start = 0 if uplo == "U" else j + 1
        end = j if uplo == "U" else n
        for i in range(start, end):
            a[i + lda * j] = w[i + n * j]
