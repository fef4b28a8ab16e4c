"""What the engine's routines for eigenvalues and singular values do: they call the program's library, on copies.

A routine is called as the program calls it, with the program's workspace, so that it takes the same way and leaves
vectors of the same signs. `.._values` leaves no vectors. Where a derivative reads the vectors that go with values that
the program asked for alone, it is `.._known` that is called instead: values as without vectors, and the vectors.
"""

from __future__ import annotations

from enzyme.engine.derivatives.blas.language import (
    Integers,
    Letter,
    Numbers,
    Reals,
    disjoint,
    formula,
    fortran,
    free,
    inlined,
    integer,
    integers,
    is_complex,
    pair,
    reals,
    scratch,
)
from enzyme.engine.derivatives.blas.products import moved
from enzyme.engine.derivatives.blas.quotients import magnitude


@disjoint
def spread(n: int, values: Reals, w: Numbers) -> None:
    for i in range(n):
        w[i] = pair(values[i], 0.0)


# Hermitian matrices: uplo n a lda w lwork info ------------------------------------------------------------


@inlined
def call_syev(
    job: Letter, uplo: Letter, n: int, a: Numbers, lda: int, w: Numbers, lwork: int, info: Integers
) -> None:
    ld = max(1, lda)
    values = reals(n)
    work = scratch(lwork)
    if is_complex():
        rwork = reals(3 * n + 1)
        fortran("heev", job, uplo, n, a, ld, values, work, lwork, rwork, info)
        free(rwork)
    else:
        fortran("syev", job, uplo, n, a, ld, values, work, lwork, info)
    spread(n, values, w)
    free(work)
    free(values)


@formula
def library_syev(
    uplo: Letter, n: int, a: Numbers, lda: int, w: Numbers, lwork: int, info: Integers
) -> None:
    call_syev("V", uplo, n, a, lda, w, lwork, info)


@formula
def library_syev_values(
    uplo: Letter, n: int, a: Numbers, lda: int, w: Numbers, lwork: int, info: Integers
) -> None:
    call_syev("N", uplo, n, a, lda, w, lwork, info)


@formula
def library_syev_known(
    uplo: Letter, n: int, a: Numbers, lda: int, w: Numbers, lwork: int, info: Integers
) -> None:
    x = scratch(n * n)
    moved(1.0, n, n, a, lda, x, n)
    call_syev("N", uplo, n, x, n, w, lwork, info)
    if integer(info, 0) == 0:
        again = scratch(n)
        status = integers(1)
        call_syev("V", uplo, n, a, lda, again, lwork, status)
        free(status)
        free(again)
    free(x)


@inlined
def call_syevd(
    job: Letter, uplo: Letter, n: int, a: Numbers, lda: int, w: Numbers, lwork: int, info: Integers
) -> None:
    ld = max(1, lda)
    values = reals(n)
    work = scratch(lwork)
    liwork = 5 * n + 3
    iwork = integers(liwork)
    if is_complex():
        lrwork = 2 * n * n + 5 * n + 1
        rwork = reals(lrwork)
        fortran(
            "heevd", job, uplo, n, a, ld, values, work, lwork, rwork, lrwork, iwork, liwork, info
        )
        free(rwork)
    else:
        fortran("syevd", job, uplo, n, a, ld, values, work, lwork, iwork, liwork, info)
    spread(n, values, w)
    free(iwork)
    free(work)
    free(values)


@formula
def library_syevd(
    uplo: Letter, n: int, a: Numbers, lda: int, w: Numbers, lwork: int, info: Integers
) -> None:
    call_syevd("V", uplo, n, a, lda, w, lwork, info)


@formula
def library_syevd_values(
    uplo: Letter, n: int, a: Numbers, lda: int, w: Numbers, lwork: int, info: Integers
) -> None:
    call_syevd("N", uplo, n, a, lda, w, lwork, info)


@formula
def library_syevd_known(
    uplo: Letter, n: int, a: Numbers, lda: int, w: Numbers, lwork: int, info: Integers
) -> None:
    x = scratch(n * n)
    moved(1.0, n, n, a, lda, x, n)
    call_syevd("N", uplo, n, x, n, w, lwork, info)
    if integer(info, 0) == 0:
        again = scratch(n)
        status = integers(1)
        call_syevd("V", uplo, n, a, lda, again, max(lwork, 2 * n * n + 6 * n + 1), status)
        free(status)
        free(again)
    free(x)


# Singular values: m n count mu nv a lda s u ldu vt ldvt lwork info -----------------------------------------


@inlined
def call_gesdd(
    job: Letter,
    m: int,
    n: int,
    count: int,
    a: Numbers,
    lda: int,
    s: Numbers,
    u: Numbers,
    ldu: int,
    vt: Numbers,
    ldvt: int,
    lwork: int,
    info: Integers,
) -> None:
    x = scratch(m * n)
    moved(1.0, m, n, a, lda, x, m)
    values = reals(count)
    work = scratch(max(1, lwork))
    iwork = integers(8 * count)
    if is_complex():
        rwork = reals(2 * (m + n) * count + 7 * count * count + 7 * count)
        fortran("gesdd", job, m, n, x, m, values, u, ldu, vt, ldvt, work, lwork, rwork, iwork, info)
        free(rwork)
    else:
        fortran("gesdd", job, m, n, x, m, values, u, ldu, vt, ldvt, work, lwork, iwork, info)
    spread(count, values, s)
    free(iwork)
    free(work)
    free(values)
    free(x)


@inlined
def call_gesvd(
    jobu: Letter,
    jobvt: Letter,
    m: int,
    n: int,
    count: int,
    a: Numbers,
    lda: int,
    s: Numbers,
    u: Numbers,
    ldu: int,
    vt: Numbers,
    ldvt: int,
    lwork: int,
    info: Integers,
) -> None:
    x = scratch(m * n)
    moved(1.0, m, n, a, lda, x, m)
    values = reals(count)
    work = scratch(max(1, lwork))
    if is_complex():
        rwork = reals(5 * count)
        fortran(
            "gesvd", jobu, jobvt, m, n, x, m, values, u, ldu, vt, ldvt, work, lwork, rwork, info
        )
        free(rwork)
    else:
        fortran("gesvd", jobu, jobvt, m, n, x, m, values, u, ldu, vt, ldvt, work, lwork, info)
    spread(count, values, s)
    free(work)
    free(values)
    free(x)


@inlined
def letter_of_side(vectors: int, count: int) -> Letter:
    return "A" if vectors > count else "S"


@formula
def library_gesdd(
    m: int,
    n: int,
    count: int,
    mu: int,
    nv: int,
    a: Numbers,
    lda: int,
    s: Numbers,
    u: Numbers,
    ldu: int,
    vt: Numbers,
    ldvt: int,
    lwork: int,
    info: Integers,
) -> None:
    call_gesdd(
        letter_of_side(max(mu, nv), count), m, n, count, a, lda, s, u, ldu, vt, ldvt, lwork, info
    )


@formula
def library_gesdd_values(
    m: int,
    n: int,
    count: int,
    mu: int,
    nv: int,
    a: Numbers,
    lda: int,
    s: Numbers,
    u: Numbers,
    ldu: int,
    vt: Numbers,
    ldvt: int,
    lwork: int,
    info: Integers,
) -> None:
    call_gesdd("N", m, n, count, a, lda, s, u, ldu, vt, ldvt, lwork, info)


@formula
def library_gesdd_known(
    m: int,
    n: int,
    count: int,
    mu: int,
    nv: int,
    a: Numbers,
    lda: int,
    s: Numbers,
    u: Numbers,
    ldu: int,
    vt: Numbers,
    ldvt: int,
    lwork: int,
    info: Integers,
) -> None:
    call_gesdd("N", m, n, count, a, lda, s, u, ldu, vt, ldvt, lwork, info)
    if integer(info, 0) == 0:
        again = scratch(count)
        status = integers(1)
        enough = 4 * count * count + 7 * count + 66 * (m + n)
        call_gesdd("S", m, n, count, a, lda, again, u, ldu, vt, ldvt, max(lwork, enough), status)
        free(status)
        free(again)


@formula
def library_gesvd(
    m: int,
    n: int,
    count: int,
    mu: int,
    nv: int,
    a: Numbers,
    lda: int,
    s: Numbers,
    u: Numbers,
    ldu: int,
    vt: Numbers,
    ldvt: int,
    lwork: int,
    info: Integers,
) -> None:
    call_gesvd(
        letter_of_side(mu, count),
        letter_of_side(nv, count),
        m,
        n,
        count,
        a,
        lda,
        s,
        u,
        ldu,
        vt,
        ldvt,
        lwork,
        info,
    )


@formula
def library_gesvd_values(
    m: int,
    n: int,
    count: int,
    mu: int,
    nv: int,
    a: Numbers,
    lda: int,
    s: Numbers,
    u: Numbers,
    ldu: int,
    vt: Numbers,
    ldvt: int,
    lwork: int,
    info: Integers,
) -> None:
    call_gesvd("N", "N", m, n, count, a, lda, s, u, ldu, vt, ldvt, lwork, info)


@formula
def library_gesvd_known(
    m: int,
    n: int,
    count: int,
    mu: int,
    nv: int,
    a: Numbers,
    lda: int,
    s: Numbers,
    u: Numbers,
    ldu: int,
    vt: Numbers,
    ldvt: int,
    lwork: int,
    info: Integers,
) -> None:
    call_gesvd("N", "N", m, n, count, a, lda, s, u, ldu, vt, ldvt, lwork, info)
    if integer(info, 0) == 0:
        again = scratch(count)
        status = integers(1)
        enough = count * count + 5 * count + 66 * (m + n)
        call_gesvd(
            "S", "S", m, n, count, a, lda, again, u, ldu, vt, ldvt, max(lwork, enough), status
        )
        free(status)
        free(again)


# General matrices: left n a lda wr wi vl ldvl vr ldvr lwork info ---------------------------------------------


@inlined
def call_geev(
    jobvl: Letter,
    jobvr: Letter,
    n: int,
    a: Numbers,
    lda: int,
    wr: Numbers,
    wi: Numbers,
    vl: Numbers,
    ldvl: int,
    vr: Numbers,
    ldvr: int,
    lwork: int,
    info: Integers,
) -> None:
    x = scratch(n * n)
    moved(1.0, n, n, a, lda, x, n)
    work = scratch(lwork)
    ld = max(1, n)
    left = max(1, ldvl)
    right = max(1, ldvr)
    if is_complex():
        rwork = reals(2 * n + 1)
        fortran("geev", jobvl, jobvr, n, x, ld, wr, vl, left, vr, right, work, lwork, rwork, info)
        free(rwork)
    else:
        fortran("geev", jobvl, jobvr, n, x, ld, wr, wi, vl, left, vr, right, work, lwork, info)
    free(work)
    free(x)


@formula
def exchange(n: int, x: Numbers, j: int, k: int) -> None:
    for i in range(n):
        mine = x[i + n * j]
        theirs = x[i + n * k]
        x[i + n * j] = theirs
        x[i + n * k] = mine


@formula
def in_order_of(
    n: int, wr: Numbers, wi: Numbers, own_wr: Numbers, own_wi: Numbers, vr: Numbers
) -> None:
    """Bring vectors, and their values, into the order of values that another algorithm has found."""
    for k in range(n):
        nearest = k
        least = magnitude(own_wr[k] - wr[k]) + magnitude(own_wi[k] - wi[k])
        for j in range(k + 1, n):
            distance = magnitude(own_wr[j] - wr[k]) + magnitude(own_wi[j] - wi[k])
            if distance < least:
                least = distance
                nearest = j
        if nearest != k:
            exchange(1, own_wr, k, nearest)
            exchange(1, own_wi, k, nearest)
            exchange(n, vr, k, nearest)


@formula
def library_geev(
    left: int,
    n: int,
    a: Numbers,
    lda: int,
    wr: Numbers,
    wi: Numbers,
    vl: Numbers,
    ldvl: int,
    vr: Numbers,
    ldvr: int,
    lwork: int,
    info: Integers,
) -> None:
    jobvl = "V" if left != 0 else "N"
    call_geev(jobvl, "V", n, a, lda, wr, wi, vl, ldvl, vr, ldvr, lwork, info)


@formula
def library_geev_values(
    left: int,
    n: int,
    a: Numbers,
    lda: int,
    wr: Numbers,
    wi: Numbers,
    vl: Numbers,
    ldvl: int,
    vr: Numbers,
    ldvr: int,
    lwork: int,
    info: Integers,
) -> None:
    call_geev("N", "N", n, a, lda, wr, wi, vl, ldvl, vr, ldvr, lwork, info)


@formula
def library_geev_known(
    left: int,
    n: int,
    a: Numbers,
    lda: int,
    wr: Numbers,
    wi: Numbers,
    vl: Numbers,
    ldvl: int,
    vr: Numbers,
    ldvr: int,
    lwork: int,
    info: Integers,
) -> None:
    call_geev("N", "N", n, a, lda, wr, wi, vl, ldvl, vr, ldvr, lwork, info)
    if n > 0 and integer(info, 0) == 0:
        own_wr = scratch(n)
        own_wi = scratch(n)
        if is_complex():
            moved(1.0, n, 1, wi, n, own_wi, n)
        call_geev("N", "V", n, a, lda, own_wr, own_wi, vl, ldvl, vr, ldvr, max(lwork, 4 * n), info)
        in_order_of(n, wr, wi, own_wr, own_wi, vr)
        free(own_wi)
        free(own_wr)
