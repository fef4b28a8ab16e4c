"""Routines of LAPACK with reflectors, column by column."""

from __future__ import annotations

from enzyme.engine.derivatives.blas.cholesky import zero_on_diagonal
from enzyme.engine.derivatives.blas.language import (
    Integers,
    Letter,
    Number,
    Numbers,
    conj,
    conj_if,
    disjoint,
    formula,
    free,
    imag,
    norm,
    pair,
    real,
    scratch,
    set_integer,
    sqrt,
    zero,
)
from enzyme.engine.derivatives.blas.products import solve_triangle
from enzyme.engine.derivatives.blas.quotients import zero_without_derivative


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
            tau += pair(zero_without_derivative(real(x[i]) + imag(x[i])), 0.0)
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
def reflect_left(tau: Number, m: int, n: int, v: Numbers, c: Numbers, ldc: int) -> None:
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
def reflect_right(tau: Number, m: int, n: int, v: Numbers, c: Numbers, ldc: int) -> None:
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
    trans: Letter,
    m: int,
    n: int,
    nrhs: int,
    a: Numbers,
    lda: int,
    tau: Numbers,
    b: Numbers,
    ldb: int,
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
