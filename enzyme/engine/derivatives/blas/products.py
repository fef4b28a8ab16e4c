"""Level 3 of BLAS: products of matrices, and triangular equations. All numbers go through `gemm` of the library.

`accumulate`, C += op(A) op(B), is what the rest is made of. A factor that the program computes is multiplied into a
copy first: the routine's own factors are constants. Triangles are taken in blocks of columns; what stands on the
diagonal of a block is made in scratch memory and its triangle copied, so that the other triangle is neither read
nor written.
"""

from __future__ import annotations

from enzyme.engine.derivatives.blas.language import (
    Letter,
    Number,
    Numbers,
    Real,
    conj_if,
    disjoint,
    formula,
    free,
    inlined,
    is_complex,
    known,
    pair,
    product,
    real,
    scratch,
    zero,
)
from enzyme.engine.derivatives.blas.letters import conjugates, plain, transposes

# Columns of a triangle that loops take, and of one that is multiplied as a whole.
BLOCK = 16
TRIANGLE = 96


@inlined
def multiply(
    transa: Letter,
    transb: Letter,
    m: int,
    n: int,
    k: int,
    alpha: Number,
    a: Numbers,
    lda: int,
    b: Numbers,
    ldb: int,
    beta: Number,
    c: Numbers,
    ldc: int,
) -> None:
    """The routine itself, where there is something to do."""
    if m > 0 and n > 0:
        if k > 0:
            multiply_by_letters(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
        else:
            scale(m, n, beta, c, ldc)


@inlined
def multiply_by_letters(
    transa: Letter,
    transb: Letter,
    m: int,
    n: int,
    k: int,
    alpha: Number,
    a: Numbers,
    lda: int,
    b: Numbers,
    ldb: int,
    beta: Number,
    c: Numbers,
    ldc: int,
) -> None:
    """Letters that are not known here choose among calls."""
    ta = plain(transa)
    tb = plain(transb)
    if ta == "N":
        if tb == "N":
            product("N", "N", m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
        elif tb == "T":
            product("N", "T", m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
        elif is_complex():
            product("N", "C", m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
    elif ta == "T":
        if tb == "N":
            product("T", "N", m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
        elif tb == "T":
            product("T", "T", m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
        elif is_complex():
            product("T", "C", m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
    elif is_complex():
        if tb == "N":
            product("C", "N", m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
        elif tb == "T":
            product("C", "T", m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
        else:
            product("C", "C", m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)


@inlined
def accumulate(
    transa: Letter,
    transb: Letter,
    m: int,
    n: int,
    k: int,
    a: Numbers,
    lda: int,
    b: Numbers,
    ldb: int,
    c: Numbers,
    ldc: int,
) -> None:
    """C += op(A) op(B)."""
    multiply(transa, transb, m, n, k, 1.0, a, lda, b, ldb, 1.0, c, ldc)


@formula
def scale(m: int, n: int, beta: Number, c: Numbers, ldc: int) -> None:
    """What a factor of zero clears is not read."""
    for j in range(n):
        for i in range(m):
            if beta == 0:
                c[i + ldc * j] = zero()
            else:
                c[i + ldc * j] *= beta


@disjoint
def scaled(
    conjugated: bool, m: int, n: int, alpha: Number, a: Numbers, lda: int, to: Numbers, ldt: int
) -> None:
    """A copy of alpha A, or of alpha conj(A)."""
    for j in range(n):
        for i in range(m):
            to[i + ldt * j] = alpha * conj_if(conjugated, a[i + lda * j])


@disjoint
def moved(sign: Real, m: int, n: int, a: Numbers, lda: int, to: Numbers, ldt: int) -> None:
    """A copy of A, or of -A."""
    for j in range(n):
        for i in range(m):
            to[i + ldt * j] = a[i + lda * j] * sign


@formula
def conjugate(m: int, n: int, a: Numbers, lda: int) -> None:
    """In place."""
    for j in range(n):
        for i in range(m):
            a[i + lda * j] = conj_if(True, a[i + lda * j])


@inlined
def gemm(
    transa: Letter,
    transb: Letter,
    m: int,
    n: int,
    k: int,
    alpha: Number,
    a: Numbers,
    lda: int,
    b: Numbers,
    ldb: int,
    beta: Number,
    c: Numbers,
    ldc: int,
) -> None:
    if is_complex() and (transa == "R" or transb == "R"):
        gemm_of_conjugates(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
        return
    if known(alpha) and known(beta):
        multiply(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
        return
    scale(m, n, beta, c, ldc)
    rows = k if transposes(transa) else m
    columns = m if transposes(transa) else k
    w = scratch(rows * columns)
    scaled(False, rows, columns, conj_if(conjugates(transa), alpha), a, lda, w, rows)
    accumulate(transa, transb, m, n, k, w, rows, b, ldb, c, ldc)
    free(w)


@formula
def gemm_of_conjugates(
    transa: Letter,
    transb: Letter,
    m: int,
    n: int,
    k: int,
    alpha: Number,
    a: Numbers,
    lda: int,
    b: Numbers,
    ldb: int,
    beta: Number,
    c: Numbers,
    ldc: int,
) -> None:
    """What the library has no letters for: copies of op(A) and op(B)."""
    scale(m, n, beta, c, ldc)
    v = scratch(m * k)
    operated(transa, m, k, alpha, a, lda, v)
    w = scratch(k * n)
    operated(transb, k, n, 1.0, b, ldb, w)
    accumulate("N", "N", m, n, k, v, m, w, k, c, ldc)
    free(v)
    free(w)


@disjoint
def operated(
    trans: Letter, m: int, n: int, alpha: Number, a: Numbers, lda: int, to: Numbers
) -> None:
    """Alpha op(A), of m rows."""
    for j in range(n):
        for i in range(m):
            at = j + lda * i if transposes(trans) else i + lda * j
            to[i + m * j] = alpha * conj_if(conjugates(trans), a[at])


@disjoint
def whole(
    hermitian: bool, uplo: Letter, n: int, alpha: Number, a: Numbers, lda: int, to: Numbers
) -> None:
    """Alpha A, of which one triangle is stored, with all its entries."""
    for j in range(n):
        start = 0 if uplo == "U" else j + 1
        end = j if uplo == "U" else n
        for i in range(start, end):
            to[i + n * j] = alpha * a[i + lda * j]
            to[j + n * i] = alpha * conj_if(hermitian, a[i + lda * j])
        diagonal = a[j + lda * j]
        if hermitian:
            diagonal = pair(real(diagonal), 0.0)
        to[j + n * j] = alpha * diagonal


@formula
def symm(
    hermitian: bool,
    side: Letter,
    uplo: Letter,
    m: int,
    n: int,
    alpha: Number,
    a: Numbers,
    lda: int,
    b: Numbers,
    ldb: int,
    beta: Number,
    c: Numbers,
    ldc: int,
) -> None:
    """C = alpha A B + beta C, or alpha B A + beta C, for a symmetric or Hermitian A."""
    scale(m, n, beta, c, ldc)
    order = m if side == "L" else n
    w = scratch(order * order)
    whole(hermitian, uplo, order, alpha, a, lda, w)
    if side == "L":
        accumulate("N", "N", m, n, m, w, m, b, ldb, c, ldc)
    else:
        accumulate("N", "N", m, n, n, b, ldb, w, n, c, ldc)
    free(w)


@formula
def scale_triangle(
    hermitian: bool, uplo: Letter, n: int, beta: Number, c: Numbers, ldc: int
) -> None:
    for j in range(n):
        start = 0 if uplo == "U" else j
        end = j + 1 if uplo == "U" else n
        for i in range(start, end):
            if beta == 0:
                c[i + ldc * j] = zero()
            else:
                c[i + ldc * j] *= beta
        if hermitian:
            c[j + ldc * j] = pair(real(c[j + ldc * j]), 0.0)


@disjoint
def add_triangle(hermitian: bool, uplo: Letter, n: int, w: Numbers, c: Numbers, ldc: int) -> None:
    """The triangle of w is added to that of C."""
    for j in range(n):
        start = 0 if uplo == "U" else j
        end = j + 1 if uplo == "U" else n
        for i in range(start, end):
            c[i + ldc * j] += w[i + n * j]
        if hermitian:
            c[j + ldc * j] = pair(real(c[j + ldc * j]), 0.0)


@formula
def accumulate_triangle(
    hermitian: bool,
    uplo: Letter,
    trans: Letter,
    n: int,
    k: int,
    a: Numbers,
    lda: int,
    b: Numbers,
    ldb: int,
    c: Numbers,
    ldc: int,
) -> None:
    """One triangle of C += op(A) op(B)^T, or op(A) op(B)^* in a Hermitian matrix."""
    for j in range(0, n, TRIANGLE):
        width = min(TRIANGLE, n - j)
        start = 0 if uplo == "U" else j + width
        rows = j if uplo == "U" else n - start
        w = scratch(width * width)
        if trans == "N":
            if hermitian:
                multiply("N", "C", width, width, k, 1.0, a + j, lda, b + j, ldb, 0.0, w, width)
                accumulate(
                    "N", "C", rows, width, k, a + start, lda, b + j, ldb, c + (start + ldc * j), ldc
                )
            else:
                multiply("N", "T", width, width, k, 1.0, a + j, lda, b + j, ldb, 0.0, w, width)
                accumulate(
                    "N", "T", rows, width, k, a + start, lda, b + j, ldb, c + (start + ldc * j), ldc
                )
        elif hermitian:
            multiply(
                "C", "N", width, width, k, 1.0, a + lda * j, lda, b + ldb * j, ldb, 0.0, w, width
            )
            accumulate(
                "C",
                "N",
                rows,
                width,
                k,
                a + lda * start,
                lda,
                b + ldb * j,
                ldb,
                c + (start + ldc * j),
                ldc,
            )
        else:
            multiply(
                "T", "N", width, width, k, 1.0, a + lda * j, lda, b + ldb * j, ldb, 0.0, w, width
            )
            accumulate(
                "T",
                "N",
                rows,
                width,
                k,
                a + lda * start,
                lda,
                b + ldb * j,
                ldb,
                c + (start + ldc * j),
                ldc,
            )
        add_triangle(hermitian, uplo, width, w, c + (j + ldc * j), ldc)
        free(w)


@formula
def syrk(
    hermitian: bool,
    uplo: Letter,
    trans: Letter,
    n: int,
    k: int,
    alpha: Number,
    a: Numbers,
    lda: int,
    beta: Number,
    c: Numbers,
    ldc: int,
) -> None:
    """One triangle of C = alpha op(A) op(A)^T + beta C; Hermitian: with * for T."""
    scale_triangle(hermitian, uplo, n, beta, c, ldc)
    rows = n if trans == "N" else k
    columns = k if trans == "N" else n
    w = scratch(rows * columns)
    scaled(False, rows, columns, alpha, a, lda, w, rows)
    accumulate_triangle(hermitian, uplo, trans, n, k, w, rows, a, lda, c, ldc)
    free(w)


@formula
def syr2k(
    hermitian: bool,
    uplo: Letter,
    trans: Letter,
    n: int,
    k: int,
    alpha: Number,
    a: Numbers,
    lda: int,
    b: Numbers,
    ldb: int,
    beta: Number,
    c: Numbers,
    ldc: int,
) -> None:
    """One triangle of C = alpha op(A) op(B)^T + alpha op(B) op(A)^T + beta C; Hermitian: with * for T, and
    conj(alpha) in the second product."""
    scale_triangle(hermitian, uplo, n, beta, c, ldc)
    rows = n if trans == "N" else k
    columns = k if trans == "N" else n
    outside = hermitian and trans != "N"
    w = scratch(rows * columns)
    scaled(False, rows, columns, conj_if(outside, alpha), a, lda, w, rows)
    accumulate_triangle(hermitian, uplo, trans, n, k, w, rows, b, ldb, c, ldc)
    free(w)
    v = scratch(rows * columns)
    scaled(False, rows, columns, conj_if(outside != hermitian, alpha), b, ldb, v, rows)
    accumulate_triangle(hermitian, uplo, trans, n, k, v, rows, a, lda, c, ldc)
    free(v)


@disjoint
def triangle(
    uplo: Letter, trans: Letter, diag: Letter, n: int, a: Numbers, lda: int, to: Numbers
) -> None:
    """op(A) for a triangular matrix, with all its entries."""
    for j in range(n):
        for i in range(n):
            row = j if transposes(trans) else i
            column = i if transposes(trans) else j
            if row == column:
                if diag == "N":
                    to[i + n * j] = conj_if(conjugates(trans), a[row + lda * column])
                else:
                    to[i + n * j] = pair(1.0, 0.0)
            elif (row < column) == (uplo == "U"):
                to[i + n * j] = conj_if(conjugates(trans), a[row + lda * column])
            else:
                to[i + n * j] = zero()


@formula
def trmm(
    side: Letter,
    uplo: Letter,
    trans: Letter,
    diag: Letter,
    m: int,
    n: int,
    alpha: Number,
    a: Numbers,
    lda: int,
    b: Numbers,
    ldb: int,
) -> None:
    """B = alpha op(A) B, or alpha B op(A), for a triangular A."""
    if is_complex() and trans == "R":
        conjugate(m, n, b, ldb)
        trmm(side, uplo, "N", diag, m, n, conj_if(True, alpha), a, lda, b, ldb)
        conjugate(m, n, b, ldb)
        return
    order = m if side == "L" else n
    w = scratch(order * order)
    triangle(uplo, trans, diag, order, a, lda, w)
    v = scratch(m * n)
    scaled(False, m, n, alpha, b, ldb, v, m)
    if side == "L":
        multiply("N", "N", m, n, m, 1.0, w, m, v, m, 0.0, b, ldb)
    else:
        multiply("N", "N", m, n, n, 1.0, v, m, w, n, 0.0, b, ldb)
    free(w)
    free(v)


@disjoint
def solve_columns(upper: bool, unit: bool, n: int, columns: int, d: Numbers, x: Numbers) -> None:
    """X = D^-1 x for a small triangular D; both without gaps, n rows each."""
    for j in range(columns):
        column = x + n * j
        for step in range(n):
            k = n - 1 - step if upper else step
            own = column[k]
            if not unit:
                own = own / d[k + n * k]
            column[k] = own
            start = 0 if upper else k + 1
            end = k if upper else n
            for i in range(start, end):
                column[i] += -own * d[i + n * k]


@disjoint
def turned_copy(rows: int, columns: int, a: Numbers, lda: int, to: Numbers, ldt: int) -> None:
    """The transpose of a matrix."""
    for j in range(columns):
        for i in range(rows):
            to[j + ldt * i] = a[i + lda * j]


@inlined
def remove_left(
    trans: Letter,
    rest: int,
    others: int,
    width: int,
    start: int,
    j: int,
    a: Numbers,
    lda: int,
    y: Numbers,
    b: Numbers,
    ldb: int,
) -> None:
    """The rows from `start` += op(A) of these rows and the columns from j, times y."""
    if trans == "N":
        at = a + (start + lda * j)
        accumulate("N", "N", rest, others, width, at, lda, y, width, b + start, ldb)
    else:
        at = a + (j + lda * start)
        accumulate(trans, "N", rest, others, width, at, lda, y, width, b + start, ldb)


@inlined
def remove_right(
    trans: Letter,
    rest: int,
    others: int,
    width: int,
    start: int,
    j: int,
    a: Numbers,
    lda: int,
    y: Numbers,
    b: Numbers,
    ldb: int,
) -> None:
    """The columns from `start` += the transpose of y, times op(A) of the rows from j and these columns."""
    if trans == "N":
        at = a + (j + lda * start)
        accumulate("T", "N", others, rest, width, y, width, at, lda, b + ldb * start, ldb)
    else:
        at = a + (start + lda * j)
        accumulate("T", trans, others, rest, width, y, width, at, lda, b + ldb * start, ldb)


@formula
def solve_triangle(
    side: Letter,
    uplo: Letter,
    trans: Letter,
    diag: Letter,
    m: int,
    n: int,
    a: Numbers,
    lda: int,
    b: Numbers,
    ldb: int,
) -> None:
    """B = op(A)^-1 B, or B op(A)^-1: block by block, a small triangle by loops and the rest of B by a product.

    On the right the transposed equations are solved.
    """
    left = side == "L"
    order = m if left else n
    others = n if left else m
    upper = (uplo == "U") != (transposes(trans) == left)
    for step in range(0, order, BLOCK):
        width = min(BLOCK, order - step)
        j = order - step - width if upper else step
        start = 0 if upper else j + width
        rest = j if upper else order - start
        d = scratch(width * width)
        x = scratch(width * others)
        y = scratch(width * others)
        triangle(uplo, trans, diag, width, a + (j + lda * j), lda, d)
        if left:
            moved(1.0, width, others, b + j, ldb, x, width)
            solve_columns(upper, diag != "N", width, others, d, x)
            moved(1.0, width, others, x, width, b + j, ldb)
            moved(-1.0, width, others, x, width, y, width)
            remove_left(trans, rest, others, width, start, j, a, lda, y, b, ldb)
        else:
            e = scratch(width * width)
            turned_copy(width, width, d, width, e, width)
            turned_copy(others, width, b + ldb * j, ldb, x, width)
            solve_columns(upper, diag != "N", width, others, e, x)
            turned_copy(width, others, x, width, b + ldb * j, ldb)
            moved(-1.0, width, others, x, width, y, width)
            remove_right(trans, rest, others, width, start, j, a, lda, y, b, ldb)
            free(e)
        free(d)
        free(x)
        free(y)


@formula
def trsm(
    side: Letter,
    uplo: Letter,
    trans: Letter,
    diag: Letter,
    m: int,
    n: int,
    alpha: Number,
    a: Numbers,
    lda: int,
    b: Numbers,
    ldb: int,
) -> None:
    """B = alpha op(A)^-1 B, or alpha B op(A)^-1, for a triangular A."""
    scale(m, n, alpha, b, ldb)
    if is_complex() and trans == "R":
        conjugate(m, n, b, ldb)
        solve_triangle(side, uplo, "N", diag, m, n, a, lda, b, ldb)
        conjugate(m, n, b, ldb)
    else:
        solve_triangle(side, uplo, trans, diag, m, n, a, lda, b, ldb)
