"""Routines of LAPACK: factorisations and what is solved with them.

Blocks of columns are factored by loops, and the rest of the matrix is brought up to date by products, as LAPACK does
it. Pivots, and what `info` says, are those of the library.
"""

from __future__ import annotations

from enzyme.engine.derivatives.blas.language import (
    Integers,
    Letter,
    Number,
    Numbers,
    Real,
    conj,
    conj_if,
    disjoint,
    formula,
    free,
    imag,
    integer,
    is_complex,
    norm,
    pair,
    real,
    scratch,
    set_integer,
    sqrt,
    zero,
)
from enzyme.engine.derivatives.blas.products import BLOCK

PANEL = 16


# Cholesky -------------------------------------------------------------------------------------------


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
            accumulate_triangle(is_complex(), "L", "N", rest, width, w, rest, panel, lda, corner, lda)
        else:
            row = a + (j + lda * start)
            solve_triangle("L", "U", "C", "N", width, rest, diagonal, lda, row, lda)
            moved(-1.0, width, rest, row, lda, w, width)
            accumulate_triangle(is_complex(), "U", "C", rest, width, w, width, row, lda, corner, lda)
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
def trtri(
    uplo: Letter, diag: Letter, n: int, a: Numbers, lda: int, info: Integers
) -> None:
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


# Elimination ----------------------------------------------------------------------------------------


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
        accumulate("N", "N", rows, columns, width, w, rows, v, width, a + (start + lda * start), lda)
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


# Householder ----------------------------------------------------------------------------------------


@disjoint
def reflector(through: bool, n: int, x: Numbers) -> Number:
    """H with H^* x = (beta, 0, ...), in place: beta, and the rest of its vector; tau is returned.

    As LAPACK, a vector whose rest is zero is left alone, unless `through`: there Q and R are not continuous, and so
    have no derivative; what is solved with them has.
    """
    alpha = x[0]
    rest = norm(n - 1, x + 1, 1)
    if rest == 0.0 and imag(alpha) == 0.0 and (n == 1 or not through):
        tau = zero()
        for i in range(1, n):
            # No number as soon as a derivative comes through.
            tau += pair(sqrt(real(x[i]) * real(x[i]) + imag(x[i]) * imag(x[i])), 0.0)
        return tau
    size = sqrt(real(alpha) * real(alpha) + imag(alpha) * imag(alpha) + rest * rest)
    beta = -size if real(alpha) >= 0.0 else size
    tau = pair((beta - real(alpha)) / beta, -imag(alpha) / beta)
    factor = pair(1.0, 0.0) / (alpha - beta)
    for i in range(1, n):
        x[i] = x[i] * factor
    x[0] = pair(beta, 0.0)
    return tau


@disjoint
def reflect_left(
    tau: Number, m: int, n: int, v: Numbers, c: Numbers, ldc: int
) -> None:
    """C = (1 - tau v v^*) C, where v begins with a one that is not stored."""
    for j in range(n):
        column = c + ldc * j
        total = column[0]
        for i in range(1, m):
            total += conj(v[i]) * column[i]
        factor = -tau * total
        column[0] += factor
        for i in range(1, m):
            column[i] += factor * v[i]


@formula
def reflect_right(
    tau: Number, m: int, n: int, v: Numbers, c: Numbers, ldc: int
) -> None:
    """C = C (1 - tau v v^*)."""
    for i in range(m):
        total = c[i]
        for j in range(1, n):
            total += c[i + ldc * j] * v[j]
        factor = -tau * total
        c[i] += factor
        for j in range(1, n):
            c[i + ldc * j] += factor * conj(v[j])


@disjoint
def triangularise(through: bool, m: int, n: int, a: Numbers, lda: int, tau: Numbers) -> None:
    for k in range(min(m, n)):
        at = a + (k + lda * k)
        t = reflector(through, m - k, at)
        tau[k] = t
        reflect_left(conj(t), m - k, n - k - 1, at, at + lda, lda)


@disjoint
def geqrf(
    m: int,
    n: int,
    a: Numbers,
    lda: int,
    tau: Numbers,
    work: Numbers,
    lwork: int,
    info: Integers,
) -> None:
    set_integer(info, 0, 0)
    work[0] = pair(0.0 + max(1, n), 0.0)
    if lwork != -1:
        triangularise(False, m, n, a, lda, tau)


@disjoint
def orgqr(
    m: int,
    n: int,
    k: int,
    a: Numbers,
    lda: int,
    tau: Numbers,
    work: Numbers,
    lwork: int,
    info: Integers,
) -> None:
    """The first n columns of Q, in the place of its reflectors."""
    set_integer(info, 0, 0)
    work[0] = pair(0.0 + max(1, n), 0.0)
    if lwork == -1:
        return
    for j in range(k, n):
        for i in range(m):
            a[i + lda * j] = pair(1.0, 0.0) if i == j else zero()
    for step in range(k):
        i = k - 1 - step
        t = tau[i]
        at = a + (i + lda * i)
        reflect_left(t, m - i, n - i - 1, at, at + lda, lda)
        for row in range(1, m - i):
            at[row] = -t * at[row]
        at[0] = 1.0 - t
        for row in range(i):
            a[row + lda * i] = zero()


@disjoint
def apply_reflectors(
    side: Letter,
    adjoint: bool,
    m: int,
    n: int,
    k: int,
    a: Numbers,
    lda: int,
    tau: Numbers,
    c: Numbers,
    ldc: int,
) -> None:
    """Q C, Q^* C, C Q or C Q^*."""
    left = side == "L"
    for step in range(k):
        i = step if left == adjoint else k - 1 - step
        t = conj_if(adjoint, tau[i])
        v = a + (i + lda * i)
        if left:
            reflect_left(t, m - i, n, v, c + i, ldc)
        else:
            reflect_right(t, m, n - i, v, c + ldc * i, ldc)


@disjoint
def ormqr(
    side: Letter,
    trans: Letter,
    m: int,
    n: int,
    k: int,
    a: Numbers,
    lda: int,
    tau: Numbers,
    c: Numbers,
    ldc: int,
    work: Numbers,
    lwork: int,
    info: Integers,
) -> None:
    set_integer(info, 0, 0)
    work[0] = pair(0.0 + max(1, max(m, n)), 0.0)
    if lwork != -1:
        apply_reflectors(side, trans != "N", m, n, k, a, lda, tau, c, ldc)


@disjoint
def starred_copy(rows: int, columns: int, a: Numbers, lda: int, to: Numbers, ldt: int) -> None:
    """The conjugate transpose of a matrix."""
    for j in range(columns):
        for i in range(rows):
            to[j + ldt * i] = conj(a[i + lda * j])


@formula
def clear_rows(start: int, end: int, n: int, b: Numbers, ldb: int) -> None:
    for j in range(n):
        for i in range(start, end):
            b[i + ldb * j] = zero()


@disjoint
def solve_tall(
    trans: Letter, m: int, n: int, nrhs: int, a: Numbers, lda: int, tau: Numbers, b: Numbers, ldb: int
) -> int:
    """Least squares with a factored A of m >= n; the solution of least norm of A^* x = b for other letters."""
    failed = zero_on_diagonal(n, a, lda)
    if failed > 0:
        return failed
    if trans == "N":
        apply_reflectors("L", True, m, nrhs, n, a, lda, tau, b, ldb)
        solve_triangle("L", "U", "N", "N", n, nrhs, a, lda, b, ldb)
    else:
        solve_triangle("L", "U", "C", "N", n, nrhs, a, lda, b, ldb)
        clear_rows(n, m, nrhs, b, ldb)
        apply_reflectors("L", False, m, nrhs, n, a, lda, tau, b, ldb)
    return 0


@disjoint
def gels(
    trans: Letter,
    m: int,
    n: int,
    nrhs: int,
    a: Numbers,
    lda: int,
    b: Numbers,
    ldb: int,
    work: Numbers,
    lwork: int,
    info: Integers,
) -> None:
    """Least squares, or the solution of least norm, for a matrix of full rank; a wide one by its transpose."""
    set_integer(info, 0, 0)
    work[0] = pair(0.0 + max(1, m + n), 0.0)
    if lwork == -1:
        return
    if min(m, n) == 0:
        clear_rows(0, max(m, n), nrhs, b, ldb)
        return
    tau = scratch(min(m, n))
    if m >= n:
        triangularise(True, m, n, a, lda, tau)
        set_integer(info, 0, solve_tall(trans, m, n, nrhs, a, lda, tau, b, ldb))
    else:
        w = scratch(m * n)
        starred_copy(m, n, a, lda, w, n)
        triangularise(True, n, m, w, n, tau)
        other = "C" if trans == "N" else "N"
        set_integer(info, 0, solve_tall(other, n, m, nrhs, w, n, tau, b, ldb))
        starred_copy(n, m, w, n, a, lda)
        free(w)
    free(tau)
