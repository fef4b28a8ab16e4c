"""Level 2 of BLAS: a matrix and vectors. As loops, column by column.

Three ways to store half of a matrix are one here. The entry in row i and column j stands at `i + place(j, b, c)`:

    full        a[i + lda j]                           b = lda,      c = 0
    band        a[k + i - j + lda j] (upper)           b = lda - 1,  c = 0, from a + k
                a[i - j + lda j] (lower)               b = lda - 1,  c = 0
    packed      a[i + j (j + 1) / 2] (upper)           b = 0,        c = 1
                a[i + n j - j (j + 1) / 2] (lower)     b = n,        c = -1

and entries further than k from the diagonal are zero.
"""

from __future__ import annotations

from enzyme.engine.derivatives.blas.language import (
    Letter,
    Number,
    Numbers,
    conj_if,
    disjoint,
    formula,
    inlined,
    known,
    pair,
    real,
    zero,
)
from enzyme.engine.derivatives.blas.letters import conjugates, first, transposes


@inlined
def place(j: int, b: int, c: int) -> int:
    return b * j + c * (j * (j + 1) // 2)


@inlined
def band_place(uplo: Letter, k: int) -> int:
    """Where a band begins: so far in front of the first diagonal entry the first column starts."""
    return k if uplo == "U" else 0


@inlined
def packed_b(uplo: Letter, n: int) -> int:
    return 0 if uplo == "U" else n


@inlined
def packed_c(uplo: Letter) -> int:
    return 1 if uplo == "U" else -1


@formula
def scale_vector(n: int, beta: Number, y: Numbers, incy: int) -> None:
    """What a factor of zero clears is not read."""
    y = y + first(n, incy)
    if beta == 0:
        for i in range(n):
            y[i * incy] = zero()
    else:
        for i in range(n):
            y[i * incy] *= beta


@disjoint
def band_times_vector(
    trans: Letter,
    m: int,
    n: int,
    kl: int,
    ku: int,
    alpha: Number,
    a: Numbers,
    lda: int,
    x: Numbers,
    incx: int,
    beta: Number,
    y: Numbers,
    incy: int,
) -> None:
    """Y = alpha op(A) x + beta y, with kl diagonals below the main one and ku above; a[i + lda j].

    Nothing is done to y where A is empty, as BLAS has it.
    """
    if m == 0 or n == 0:
        return
    conjugated = conjugates(trans)
    rows = n if transposes(trans) else m
    columns = m if transposes(trans) else n
    scale_vector(rows, beta, y, incy)
    x = x + first(columns, incx)
    y = y + first(rows, incy)
    if known(alpha) and alpha == 0:
        return
    for j in range(n):
        column = a + lda * j
        start = max(0, j - ku)
        end = min(m, j + kl + 1)
        if transposes(trans):
            total = zero()
            for i in range(start, end):
                total += conj_if(conjugated, column[i]) * x[i * incx]
            y[j * incy] += alpha * total
        else:
            factor = alpha * x[j * incx]
            for i in range(start, end):
                y[i * incy] += factor * conj_if(conjugated, column[i])


@disjoint
def outer(
    conjx: bool,
    conjy: bool,
    m: int,
    n: int,
    alpha: Number,
    x: Numbers,
    incx: int,
    y: Numbers,
    incy: int,
    a: Numbers,
    lda: int,
) -> None:
    """A += alpha x y^T, with the conjugates of the two where asked for."""
    x = x + first(m, incx)
    y = y + first(n, incy)
    for j in range(n):
        factor = alpha * conj_if(conjy, y[j * incy])
        column = a + lda * j
        for i in range(m):
            column[i] += conj_if(conjx, x[i * incx]) * factor


@disjoint
def half_times_vector(
    hermitian: bool,
    turn: bool,
    uplo: Letter,
    n: int,
    k: int,
    alpha: Number,
    a: Numbers,
    b: int,
    c: int,
    x: Numbers,
    incx: int,
    beta: Number,
    y: Numbers,
    incy: int,
) -> None:
    """Y = alpha A x + beta y for a matrix of which one triangle is stored; `turn`: for its transpose."""
    scale_vector(n, beta, y, incy)
    x = x + first(n, incx)
    y = y + first(n, incy)
    if known(alpha) and alpha == 0:
        return
    for j in range(n):
        column = a + place(j, b, c)
        factor = alpha * x[j * incx]
        total = zero()
        start = max(0, j - k) if uplo == "U" else j + 1
        end = j if uplo == "U" else min(n, j + k + 1)
        for i in range(start, end):
            entry = conj_if(turn, column[i])
            y[i * incy] += factor * entry
            total += conj_if(hermitian, entry) * x[i * incx]
        diagonal = column[j]
        if hermitian:
            diagonal = pair(real(diagonal), 0.0)
        y[j * incy] += factor * diagonal + alpha * total


@disjoint
def half_plus_square(
    hermitian: bool,
    turn: bool,
    uplo: Letter,
    n: int,
    alpha: Number,
    x: Numbers,
    incx: int,
    a: Numbers,
    b: int,
    c: int,
) -> None:
    """A += alpha x x^T, or alpha x x^* in a Hermitian matrix, in one triangle; `turn`: with conj(x) for x."""
    x = x + first(n, incx)
    for j in range(n):
        column = a + place(j, b, c)
        factor = alpha * conj_if(turn, conj_if(hermitian, x[j * incx]))
        start = 0 if uplo == "U" else j + 1
        end = j if uplo == "U" else n
        for i in range(start, end):
            column[i] += factor * conj_if(turn, x[i * incx])
        diagonal = column[j] + factor * conj_if(turn, x[j * incx])
        if hermitian:
            diagonal = pair(real(diagonal), 0.0)
        column[j] = diagonal


@disjoint
def half_plus_two(
    hermitian: bool,
    turn: bool,
    uplo: Letter,
    n: int,
    alpha: Number,
    x: Numbers,
    incx: int,
    y: Numbers,
    incy: int,
    a: Numbers,
    b: int,
    c: int,
) -> None:
    """A += alpha x y^T + alpha y x^T; Hermitian: alpha x y^* + conj(alpha) y x^*; `turn`: of the transpose."""
    x = x + first(n, incx)
    y = y + first(n, incy)
    for j in range(n):
        column = a + place(j, b, c)
        of_y = alpha * conj_if(hermitian, y[j * incy])
        of_x = conj_if(hermitian, alpha * x[j * incx])
        start = 0 if uplo == "U" else j + 1
        end = j if uplo == "U" else n
        for i in range(start, end):
            column[i] += conj_if(turn, x[i * incx] * of_y + y[i * incy] * of_x)
        diagonal = column[j] + x[j * incx] * of_y + y[j * incy] * of_x
        if hermitian:
            diagonal = pair(real(diagonal), 0.0)
        column[j] = diagonal


@disjoint
def triangle_times_vector(
    uplo: Letter,
    trans: Letter,
    diag: Letter,
    n: int,
    k: int,
    a: Numbers,
    b: int,
    c: int,
    x: Numbers,
    incx: int,
) -> None:
    """X = op(A) x."""
    x = x + first(n, incx)
    conjugated = conjugates(trans)
    down = (uplo == "U") == transposes(trans)
    for step in range(n):
        j = n - 1 - step if down else step
        column = a + place(j, b, c)
        start = max(0, j - k) if uplo == "U" else j + 1
        end = j if uplo == "U" else min(n, j + k + 1)
        own = x[j * incx]
        if transposes(trans):
            total = zero()
            for i in range(start, end):
                total += conj_if(conjugated, column[i]) * x[i * incx]
            if diag == "N":
                own = own * conj_if(conjugated, column[j])
            x[j * incx] = own + total
        else:
            for i in range(start, end):
                x[i * incx] += own * conj_if(conjugated, column[i])
            if diag == "N":
                x[j * incx] = own * conj_if(conjugated, column[j])


@disjoint
def triangle_solve_vector(
    uplo: Letter,
    trans: Letter,
    diag: Letter,
    n: int,
    k: int,
    a: Numbers,
    b: int,
    c: int,
    x: Numbers,
    incx: int,
) -> None:
    """X = op(A)^-1 x."""
    x = x + first(n, incx)
    conjugated = conjugates(trans)
    down = (uplo == "U") != transposes(trans)
    for step in range(n):
        j = n - 1 - step if down else step
        column = a + place(j, b, c)
        start = max(0, j - k) if uplo == "U" else j + 1
        end = j if uplo == "U" else min(n, j + k + 1)
        own = x[j * incx]
        if transposes(trans):
            total = zero()
            for i in range(start, end):
                total += conj_if(conjugated, column[i]) * x[i * incx]
            own = own - total
        if diag == "N":
            own = own / conj_if(conjugated, column[j])
        x[j * incx] = own
        if not transposes(trans):
            for i in range(start, end):
                x[i * incx] += -own * conj_if(conjugated, column[i])
