"""Eigenvalues and eigenvectors of general matrices, which LAPACK makes of length one, the largest component real.

With ``M = V^-1 dA V``: ``dw`` is its diagonal, ``dV = V (F o M + D)`` with ``F_ij = 1 / (w_j - w_i)`` off the
diagonal; the diagonal D keeps lengths and phases. Left vectors are those of A*, whose values are the conjugates.
Real matrices are taken as complex ones: LAPACK leaves the parts of a pair of vectors in two columns.
"""

from __future__ import annotations

from enzyme.engine.derivatives.blas.elimination import getrf, getrs
from enzyme.engine.derivatives.blas.hermitian import put_zeros
from enzyme.engine.derivatives.blas.language import (
    Integers,
    Letter,
    Numbers,
    Reals,
    conj,
    disjoint,
    formula,
    free,
    imag,
    in_complex,
    inlined,
    integers,
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
from enzyme.engine.derivatives.blas.quotients import largest_of, magnitude, over_number

# Of complex numbers, without gaps ------------------------------------------------------------------------


@disjoint
def factored_copy(n: int, v: Numbers, lu: Numbers, pivots: Integers) -> None:
    failed = integers(1)
    moved(1.0, n, n, v, n, lu, n)
    getrf(n, n, lu, n, pivots, failed)
    free(failed)


@disjoint
def solve_factored(trans: Letter, n: int, lu: Numbers, pivots: Integers, x: Numbers) -> None:
    failed = integers(1)
    getrs(trans, n, n, lu, n, pivots, x, n, failed)
    free(failed)


@formula
def place_of_largest(n: int, v: Numbers) -> int:
    found = 0
    most = -1.0
    for i in range(n):
        size = real(v[i]) * real(v[i]) + imag(v[i]) * imag(v[i])
        if size > most:
            most = size
            found = i
    return found


@formula
def gaps(adjoint: bool, n: int, w: Numbers, m: Numbers) -> None:
    """``F o M`` off the diagonal, or its adjoint."""
    close = n * precision() * largest_of(n, 1, w, n)
    negligible = n * precision() * largest_of(n, n, m, n)
    for j in range(n):
        for i in range(n):
            if i != j:
                gap = w[j] - w[i]
                if adjoint:
                    gap = conj(gap)
                top = m[i + n * j]
                vanishes = magnitude(gap) <= close
                m[i + n * j] = over_number(top, gap, vanishes, magnitude(top), negligible)


@disjoint
def eigen_tangent(
    vectors: int, n: int, w: Numbers, v: Numbers, da: Numbers, dw: Numbers, dv: Numbers
) -> None:
    m = scratch(n * n)
    lu = scratch(n * n)
    pivots = integers(n)
    multiply("N", "N", n, n, n, 1.0, da, n, v, n, 0.0, m, n)
    factored_copy(n, v, lu, pivots)
    solve_factored("N", n, lu, pivots, m)
    for j in range(n):
        dw[j] = m[j + n * j]
    if vectors != 0:
        for j in range(n):
            m[j + n * j] = zero()
        gaps(False, n, w, m)
        multiply("N", "N", n, n, n, 1.0, v, n, m, n, 0.0, dv, n)
        for k in range(n):
            at = place_of_largest(n, v + n * k)
            turned = imag(dv[at + n * k]) / real(v[at + n * k])
            grown = 0.0
            for i in range(n):
                grown += real(conj(v[i + n * k]) * dv[i + n * k])
            for i in range(n):
                dv[i + n * k] += -(pair(grown, turned) * v[i + n * k])
    free(pivots)
    free(lu)
    free(m)


@disjoint
def eigen_adjoint(
    vectors: int, n: int, w: Numbers, v: Numbers, da: Numbers, dw: Numbers, dv: Numbers
) -> None:
    """The adjoint of the matrix; that of the vectors is lost."""
    m = scratch(n * n)
    lu = scratch(n * n)
    pivots = integers(n)
    put_zeros(n, n, m, n)
    if vectors != 0:
        for k in range(n):
            at = place_of_largest(n, v + n * k)
            along = zero()
            for i in range(n):
                along += conj(v[i + n * k]) * dv[i + n * k]
            for i in range(n):
                dv[i + n * k] += -(real(along) * v[i + n * k])
            dv[at + n * k] += pair(0.0, -imag(along) / real(v[at + n * k]))
        multiply("C", "N", n, n, n, 1.0, v, n, dv, n, 0.0, m, n)
        for j in range(n):
            m[j + n * j] = zero()
        gaps(True, n, w, m)
    for j in range(n):
        m[j + n * j] = dw[j]
    multiply("N", "C", n, n, n, 1.0, m, n, v, n, 0.0, da, n)
    factored_copy(n, v, lu, pivots)
    solve_factored("C", n, lu, pivots, da)
    free(pivots)
    free(lu)
    free(m)


# Numbers of real matrices are handed over as reals, which are pairs there ---------------------------------


@disjoint
def joined_values(n: int, wr: Numbers, wi: Numbers, back: bool, w: Numbers) -> None:
    """`back`: their conjugates."""
    for j in range(n):
        if is_complex():
            w[j] = conj(wr[j]) if back else wr[j]
        else:
            w[2 * j] = wr[j]
            w[2 * j + 1] = -wi[j] if back else wi[j]


@disjoint
def joined_vectors(n: int, wi: Numbers, v: Numbers, ldv: int, to: Numbers) -> None:
    for j in range(n):
        for i in range(n):
            at = i + n * j
            if is_complex():
                to[at] = v[i + ldv * j]
            else:
                if wi[j] == 0.0:
                    to[2 * at] = v[i + ldv * j]
                    to[2 * at + 1] = zero()
                elif wi[j] > 0.0:
                    to[2 * at] = v[i + ldv * j]
                    to[2 * at + 1] = v[i + ldv * (j + 1)]
                else:
                    to[2 * at] = v[i + ldv * (j - 1)]
                    to[2 * at + 1] = -v[i + ldv * j]


@disjoint
def parted_vectors(n: int, wi: Numbers, x: Numbers, v: Numbers, ldv: int) -> None:
    for j in range(n):
        for i in range(n):
            if is_complex():
                v[i + ldv * j] = x[i + n * j]
            else:
                if wi[j] < 0.0:
                    v[i + ldv * j] = x[2 * (i + n * (j - 1)) + 1]
                else:
                    v[i + ldv * j] = x[2 * (i + n * j)]


@disjoint
def parted_vectors_back(n: int, wi: Numbers, dv: Numbers, lddv: int, x: Numbers) -> None:
    """The adjoint of `parted_vectors`."""
    for j in range(n):
        for i in range(n):
            at = i + n * j
            if is_complex():
                x[at] = dv[i + lddv * j]
            else:
                x[2 * at] = zero()
                x[2 * at + 1] = zero()
                if wi[j] == 0.0:
                    x[2 * at] = dv[i + lddv * j]
                elif wi[j] > 0.0:
                    x[2 * at] = dv[i + lddv * j]
                    x[2 * at + 1] = dv[i + lddv * (j + 1)]


@disjoint
def joined_matrix(n: int, star: bool, a: Numbers, lda: int, to: Numbers) -> None:
    for j in range(n):
        for i in range(n):
            if is_complex():
                to[i + n * j] = conj(a[j + lda * i]) if star else a[i + lda * j]
            else:
                to[2 * (i + n * j)] = a[j + lda * i] if star else a[i + lda * j]
                to[2 * (i + n * j) + 1] = zero()


@disjoint
def add_matrix(n: int, star: bool, x: Numbers, a: Numbers, lda: int) -> None:
    for j in range(n):
        for i in range(n):
            if is_complex():
                a[i + lda * j] += conj(x[j + n * i]) if star else x[i + n * j]
            else:
                a[i + lda * j] += x[2 * (j + n * i)] if star else x[2 * (i + n * j)]


@inlined
def parts() -> int:
    return 1 if is_complex() else 2


@formula
def eig_tangent(
    vectors: int,
    left: int,
    n: int,
    wr: Numbers,
    wi: Numbers,
    vl: Numbers,
    ldvl: int,
    vr: Numbers,
    ldvr: int,
    of_a: int,
    da: Numbers,
    ldda: int,
    of_wr: int,
    dwr: Numbers,
    of_wi: int,
    dwi: Numbers,
    of_vl: int,
    dvl: Numbers,
    lddvl: int,
    of_vr: int,
    dvr: Numbers,
    lddvr: int,
) -> None:
    if of_wr != 0:
        put_zeros(n, 1, dwr, n)
    if of_wi != 0:
        put_zeros(n, 1, dwi, n)
    if of_vl != 0:
        put_zeros(n, n, dvl, lddvl)
    if of_vr != 0:
        put_zeros(n, n, dvr, lddvr)
    if of_a == 0 or n == 0:
        return
    w = scratch(parts() * n)
    v = scratch(parts() * n * n)
    x = scratch(parts() * n * n)
    dw = scratch(parts() * n)
    dv = scratch(parts() * n * n)
    joined_values(n, wr, wi, False, w)
    joined_vectors(n, wi, vr, ldvr, v)
    joined_matrix(n, False, da, ldda, x)
    wanted = vectors * of_vr
    in_complex("eigen_tangent", wanted, n, w, v, x, dw, dv)
    for j in range(n):
        if is_complex():
            if of_wr != 0:
                dwr[j] = dw[j]
        else:
            if of_wr != 0:
                dwr[j] = dw[2 * j]
            if of_wi != 0:
                dwi[j] = dw[2 * j + 1]
    if wanted != 0:
        parted_vectors(n, wi, dv, dvr, lddvr)
    if vectors * left * of_vl != 0:
        joined_values(n, wr, wi, True, w)
        joined_vectors(n, wi, vl, ldvl, v)
        joined_matrix(n, True, da, ldda, x)
        in_complex("eigen_tangent", 1, n, w, v, x, dw, dv)
        parted_vectors(n, wi, dv, dvl, lddvl)
    free(dv)
    free(dw)
    free(x)
    free(v)
    free(w)


@formula
def eig_adjoint(
    vectors: int,
    left: int,
    n: int,
    wr: Numbers,
    wi: Numbers,
    vl: Numbers,
    ldvl: int,
    vr: Numbers,
    ldvr: int,
    of_a: int,
    da: Numbers,
    ldda: int,
    of_wr: int,
    dwr: Numbers,
    of_wi: int,
    dwi: Numbers,
    of_vl: int,
    dvl: Numbers,
    lddvl: int,
    of_vr: int,
    dvr: Numbers,
    lddvr: int,
) -> None:
    if of_a != 0 and n > 0:
        w = scratch(parts() * n)
        v = scratch(parts() * n * n)
        x = scratch(parts() * n * n)
        dw = scratch(parts() * n)
        dv = scratch(parts() * n * n)
        joined_values(n, wr, wi, False, w)
        joined_vectors(n, wi, vr, ldvr, v)
        put_zeros(parts() * n, 1, dw, n)
        for j in range(n):
            if is_complex():
                if of_wr != 0:
                    dw[j] = dwr[j]
            else:
                if of_wr != 0:
                    dw[2 * j] = dwr[j]
                if of_wi != 0:
                    dw[2 * j + 1] = dwi[j]
        wanted = vectors * of_vr
        if wanted != 0:
            parted_vectors_back(n, wi, dvr, lddvr, dv)
        in_complex("eigen_adjoint", wanted, n, w, v, x, dw, dv)
        add_matrix(n, False, x, da, ldda)
        if vectors * left * of_vl != 0:
            joined_values(n, wr, wi, True, w)
            joined_vectors(n, wi, vl, ldvl, v)
            put_zeros(parts() * n, 1, dw, n)
            parted_vectors_back(n, wi, dvl, lddvl, dv)
            in_complex("eigen_adjoint", 1, n, w, v, x, dw, dv)
            add_matrix(n, True, x, da, ldda)
        free(dv)
        free(dw)
        free(x)
        free(v)
        free(w)
    if of_wr != 0:
        put_zeros(n, 1, dwr, n)
    if of_wi != 0:
        put_zeros(n, 1, dwi, n)
    if of_vl != 0:
        put_zeros(n, n, dvl, lddvl)
    if of_vr != 0:
        put_zeros(n, n, dvr, lddvr)


# Routines -----------------------------------------------------------------------------------------------


@inlined
def wrong_request(jobvl: Letter, jobvr: Letter, n: int, lda: int, ldvl: int, ldvr: int) -> int:
    """Places are those of complex routines."""
    if jobvl != "N" and jobvl != "V":
        return -1
    if jobvr != "N" and jobvr != "V":
        return -2
    if n < 0:
        return -3
    if lda < max(1, n):
        return -5
    more = 0 if is_complex() else 1
    if ldvl < 1 or (jobvl == "V" and ldvl < n):
        return -8 - more
    if ldvr < 1 or (jobvr == "V" and ldvr < n):
        return -10 - more
    return 0


@formula
def decompose_general(
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
    left = 1 if jobvl == "V" else 0
    own_wr = scratch(n)
    own_wi = scratch(n)
    own_vl = scratch(n * n)
    own_vr = scratch(n * n)
    put_zeros(n, 1, own_wi, n)
    put_zeros(n, n, own_vl, n)
    if left == 0 and jobvr != "V":
        library("geev_values", left, n, a, lda, own_wr, own_wi, own_vl, n, own_vr, n, lwork, info)
    else:
        library("geev", left, n, a, lda, own_wr, own_wi, own_vl, n, own_vr, n, lwork, info)
    put_zeros(n, n, a, lda)
    moved(1.0, n, 1, own_wr, n, wr, n)
    if not is_complex():
        moved(1.0, n, 1, own_wi, n, wi, n)
    if jobvl == "V":
        moved(1.0, n, n, own_vl, n, vl, ldvl)
    if jobvr == "V":
        moved(1.0, n, n, own_vr, n, vr, ldvr)
    free(own_vr)
    free(own_vl)
    free(own_wi)
    free(own_wr)


@formula
def geev(
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
    work: Numbers,
    lwork: int,
    info: Integers,
) -> None:
    status = wrong_request(jobvl, jobvr, n, lda, ldvl, ldvr)
    enough = max(1, 4 * n if jobvl == "V" or jobvr == "V" else 3 * n)
    if status == 0 and lwork != -1 and lwork < enough:
        status = -13
    set_integer(info, 0, status)
    if status == 0:
        work[0] = pair(0.0 + enough, 0.0)
        if lwork != -1:
            decompose_general(jobvl, jobvr, n, a, lda, wr, wi, vl, ldvl, vr, ldvr, lwork, info)


@formula
def complex_geev(
    jobvl: Letter,
    jobvr: Letter,
    n: int,
    a: Numbers,
    lda: int,
    values: Numbers,
    vl: Numbers,
    ldvl: int,
    vr: Numbers,
    ldvr: int,
    work: Numbers,
    lwork: int,
    rwork: Reals,
    info: Integers,
) -> None:
    status = wrong_request(jobvl, jobvr, n, lda, ldvl, ldvr)
    enough = max(1, 2 * n)
    if status == 0 and lwork != -1 and lwork < enough:
        status = -12
    set_integer(info, 0, status)
    if status == 0:
        work[0] = pair(0.0 + enough, 0.0)
        if lwork != -1:
            decompose_general(
                jobvl, jobvr, n, a, lda, values, values, vl, ldvl, vr, ldvr, lwork, info
            )
