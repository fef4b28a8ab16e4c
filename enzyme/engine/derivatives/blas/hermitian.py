"""Eigenvalues and eigenvectors of symmetric and Hermitian matrices, of which one triangle is stored.

With ``M = V* dA V``: ``dw`` is its diagonal, ``dV = V (F o M)`` with ``F_ij = 1 / (w_j - w_i)`` off the diagonal, and
phases that keep the component of each vector real that LAPACK's reduction leaves alone: the first where it reads the
lower triangle, the last where it reads the upper one. Signs of real vectors have no derivative.
"""

from __future__ import annotations

from enzyme.engine.derivatives.blas.language import (
    Integers,
    Letter,
    Number,
    Numbers,
    Real,
    Reals,
    conj,
    disjoint,
    formula,
    free,
    imag,
    inlined,
    is_complex,
    library,
    pair,
    precision,
    real,
    scratch,
    set_integer,
    zero,
)
from enzyme.engine.derivatives.blas.products import moved, multiply
from enzyme.engine.derivatives.blas.quotients import largest_of, magnitude, over


@disjoint
def put_zeros(m: int, n: int, a: Numbers, lda: int) -> None:
    for j in range(n):
        for i in range(m):
            a[i + lda * j] = zero()


@disjoint
def put_reals(n: int, x: Numbers, to: Reals) -> None:
    for i in range(n):
        to[i] = real(x[i])


@disjoint
def mirrored(uplo: Letter, n: int, a: Numbers, lda: int, to: Numbers) -> None:
    """The whole matrix."""
    for j in range(n):
        start = 0 if uplo == "U" else j + 1
        end = j if uplo == "U" else n
        for i in range(start, end):
            to[i + n * j] = a[i + lda * j]
            to[j + n * i] = conj(a[i + lda * j])
        to[j + n * j] = pair(real(a[j + lda * j]), 0.0)


@disjoint
def clear_triangle(uplo: Letter, n: int, a: Numbers, lda: int) -> None:
    """LAPACK destroys the triangle that it reads: here zeros are left in it."""
    for j in range(n):
        start = 0 if uplo == "U" else j
        end = j + 1 if uplo == "U" else n
        for i in range(start, end):
            a[i + lda * j] = zero()


# Derivatives, of a routine that leaves the vectors where the matrix was ---------------------------------


@inlined
def larger(x: Number, y: Number) -> Real:
    """The larger of the absolute values of two real numbers."""
    one = abs(real(x))
    two = abs(real(y))
    return one if one > two else two


@formula
def eigh_tangent(
    vectors: int,
    uplo: Letter,
    n: int,
    v: Numbers,
    ldv: int,
    w: Numbers,
    of_v: int,
    dv: Numbers,
    lddv: int,
    of_w: int,
    dw: Numbers,
) -> None:
    """That of the matrix stands where that of the vectors will."""
    if n == 0:
        return
    if of_v == 0:
        put_zeros(n, 1, dw, n)
        return
    m = scratch(n * n)
    half = scratch(n * n)
    multiply("N", "N", n, n, n, 1.0, dv, lddv, v, ldv, 0.0, half, n)
    if vectors == 0:
        put_zeros(n, n, dv, lddv)
        if of_w != 0:
            for j in range(n):
                total = 0.0
                for i in range(n):
                    total += real(conj(v[i + ldv * j]) * half[i + n * j])
                dw[j] = pair(total, 0.0)
    else:
        multiply("C", "N", n, n, n, 1.0, v, ldv, half, n, 0.0, m, n)
        if of_w != 0:
            for j in range(n):
                dw[j] = pair(real(m[j + n * j]), 0.0)
        rotations(n, w, m)
        multiply("N", "N", n, n, n, 1.0, v, ldv, m, n, 0.0, dv, lddv)
        if is_complex():
            turn(n, n, n - 1 if uplo == "U" else 0, v, ldv, dv, lddv)
    free(half)
    free(m)


@disjoint
def rotations(n: int, w: Numbers, m: Numbers) -> None:
    """``F o M``."""
    close = n * precision() * larger(w[0], w[n - 1])
    negligible = n * precision() * largest_of(n, n, m, n)
    for j in range(n):
        m[j + n * j] = zero()
        for i in range(j):
            top = m[i + n * j]
            gap = real(w[j]) - real(w[i])
            found = over(top, gap, abs(gap) <= close, magnitude(top), negligible)
            m[i + n * j] = found
            m[j + n * i] = -conj(found)


@disjoint
def turn(n: int, count: int, at: int, v: Numbers, ldv: int, dv: Numbers, lddv: int) -> None:
    """The derivatives of vectors, turned so that one component of each stays real."""
    for k in range(count):
        first = real(v[at + ldv * k])
        if abs(first) > n * precision():
            by = -imag(dv[at + lddv * k]) / first
            for i in range(n):
                dv[i + lddv * k] += pair(0.0, by) * v[i + ldv * k]


@formula
def eigh_adjoint(
    vectors: int,
    uplo: Letter,
    n: int,
    v: Numbers,
    ldv: int,
    w: Numbers,
    of_v: int,
    dv: Numbers,
    lddv: int,
    of_w: int,
    dw: Numbers,
) -> None:
    """That of the vectors stands where that of the matrix will."""
    if n == 0:
        return
    if of_v != 0:
        half = scratch(n * n)
        if vectors == 0:
            put_zeros(n, n, half, n)
            if of_w != 0:
                for j in range(n):
                    for i in range(n):
                        half[i + n * j] = real(dw[i]) * conj(v[j + ldv * i])
        else:
            k = scratch(n * n)
            if is_complex():
                turn_back(n, n, n - 1 if uplo == "U" else 0, v, ldv, dv, lddv)
            multiply("C", "N", n, n, n, 1.0, v, ldv, dv, lddv, 0.0, k, n)
            rotated_back(n, w, k)
            if of_w != 0:
                for j in range(n):
                    k[j + n * j] = pair(real(dw[j]), 0.0)
            multiply("N", "C", n, n, n, 1.0, k, n, v, ldv, 0.0, half, n)
            free(k)
        multiply("N", "N", n, n, n, 1.0, v, ldv, half, n, 0.0, dv, lddv)
        free(half)
    if of_w != 0:
        put_zeros(n, 1, dw, n)


@disjoint
def rotated_back(n: int, w: Numbers, k: Numbers) -> None:
    """The adjoint of `rotations`, on Hermitian matrices."""
    close = n * precision() * larger(w[0], w[n - 1])
    negligible = n * precision() * largest_of(n, n, k, n)
    for j in range(n):
        k[j + n * j] = zero()
        for i in range(j):
            gap = real(w[j]) - real(w[i])
            above = k[i + n * j]
            below = k[j + n * i]
            half = 0.5 * (above - conj(below))
            size = magnitude(above) + magnitude(below)
            found = over(half, gap, abs(gap) <= close, size, negligible)
            k[i + n * j] = found
            k[j + n * i] = conj(found)


@disjoint
def turn_back(n: int, count: int, at: int, v: Numbers, ldv: int, dv: Numbers, lddv: int) -> None:
    """The adjoint of `turn`."""
    for k in range(count):
        first = real(v[at + ldv * k])
        if abs(first) > n * precision():
            along = 0.0
            for i in range(n):
                along += imag(conj(v[i + ldv * k]) * dv[i + lddv * k])
            dv[at + lddv * k] += pair(0.0, -along / first)


# Routines -----------------------------------------------------------------------------------------------


@inlined
def wrong_argument(jobz: Letter, uplo: Letter, n: int, lda: int) -> int:
    if jobz != "N" and jobz != "V":
        return -1
    if uplo != "U" and uplo != "L":
        return -2
    if n < 0:
        return -3
    if lda < max(1, n):
        return -5
    return 0


@inlined
def solve_hermitian(
    divide: bool,
    jobz: Letter,
    uplo: Letter,
    n: int,
    a: Numbers,
    lda: int,
    w: Reals,
    lwork: int,
    info: Integers,
) -> None:
    v = scratch(n * n)
    values = scratch(n)
    mirrored(uplo, n, a, lda, v)
    if jobz == "V":
        if divide:
            library("syevd", uplo, n, v, n, values, lwork, info)
        else:
            library("syev", uplo, n, v, n, values, lwork, info)
        moved(1.0, n, n, v, n, a, lda)
    else:
        if divide:
            library("syevd_values", uplo, n, v, n, values, lwork, info)
        else:
            library("syev_values", uplo, n, v, n, values, lwork, info)
        clear_triangle(uplo, n, a, lda)
    put_reals(n, values, w)
    free(values)
    free(v)


@inlined
def solve_within(
    enough: int,
    jobz: Letter,
    uplo: Letter,
    n: int,
    a: Numbers,
    lda: int,
    w: Reals,
    work: Numbers,
    lwork: int,
    info: Integers,
) -> None:
    """What `syev` and `heev` do; they need a workspace of another size."""
    status = wrong_argument(jobz, uplo, n, lda)
    if status == 0 and lwork != -1 and lwork < enough:
        status = -8
    set_integer(info, 0, status)
    if status == 0:
        work[0] = pair(0.0 + enough, 0.0)
        if lwork != -1:
            solve_hermitian(False, jobz, uplo, n, a, lda, w, lwork, info)


@formula
def syev(
    jobz: Letter,
    uplo: Letter,
    n: int,
    a: Numbers,
    lda: int,
    w: Reals,
    work: Numbers,
    lwork: int,
    info: Integers,
) -> None:
    solve_within(max(1, 3 * n - 1), jobz, uplo, n, a, lda, w, work, lwork, info)


@formula
def heev(
    jobz: Letter,
    uplo: Letter,
    n: int,
    a: Numbers,
    lda: int,
    w: Reals,
    work: Numbers,
    lwork: int,
    rwork: Reals,
    info: Integers,
) -> None:
    solve_within(max(1, 2 * n - 1), jobz, uplo, n, a, lda, w, work, lwork, info)


@formula
def syevd(
    jobz: Letter,
    uplo: Letter,
    n: int,
    a: Numbers,
    lda: int,
    w: Reals,
    work: Numbers,
    lwork: int,
    iwork: Integers,
    liwork: int,
    info: Integers,
) -> None:
    status = wrong_argument(jobz, uplo, n, lda)
    enough = 2 * n + 1
    integers = 1
    if jobz == "V":
        enough = 1 + 6 * n + 2 * n * n
        integers = 3 + 5 * n
    if n <= 1:
        enough = 1
        integers = 1
    if lwork != -1 and liwork != -1 and status == 0:
        if lwork < enough:
            status = -8
        elif liwork < integers:
            status = -10
    set_integer(info, 0, status)
    if status == 0:
        work[0] = pair(0.0 + enough, 0.0)
        set_integer(iwork, 0, integers)
        if lwork != -1 and liwork != -1:
            solve_hermitian(True, jobz, uplo, n, a, lda, w, lwork, info)


@formula
def heevd(
    jobz: Letter,
    uplo: Letter,
    n: int,
    a: Numbers,
    lda: int,
    w: Reals,
    work: Numbers,
    lwork: int,
    rwork: Reals,
    lrwork: int,
    iwork: Integers,
    liwork: int,
    info: Integers,
) -> None:
    status = wrong_argument(jobz, uplo, n, lda)
    enough = n + 1
    reals = max(1, n)
    integers = 1
    if jobz == "V":
        enough = 2 * n + n * n
        reals = 1 + 5 * n + 2 * n * n
        integers = 3 + 5 * n
    if n <= 1:
        enough = 1
        reals = 1
        integers = 1
    asked = lwork == -1 or lrwork == -1 or liwork == -1
    if status == 0 and not asked:
        if lwork < enough:
            status = -8
        elif lrwork < reals:
            status = -10
        elif liwork < integers:
            status = -12
    set_integer(info, 0, status)
    if status == 0:
        work[0] = pair(0.0 + enough, 0.0)
        rwork[0] = 0.0 + reals
        set_integer(iwork, 0, integers)
        if not asked:
            solve_hermitian(True, jobz, uplo, n, a, lda, w, lwork, info)
