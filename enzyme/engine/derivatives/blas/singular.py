"""Singular values and vectors: ``A = U S V*``.

With ``M = U* dA V`` and G the antihermitian ``U* dU``: ``dS`` is M's real diagonal, and G follows from M off the
diagonal, where ``s_i`` and ``s_j`` differ, and between vectors of the matrix and those behind them. Phases keep the
first component of each vector on the smaller side real. Vectors behind the last singular value, of full matrices, only
move as orthogonality makes them: what depends on how they are chosen is not told.
"""

from __future__ import annotations

from enzyme.engine.derivatives.blas.hermitian import put_reals, put_zeros
from enzyme.engine.derivatives.blas.householder import starred_copy
from enzyme.engine.derivatives.blas.language import (
    Integers,
    Letter,
    Numbers,
    Real,
    Reals,
    conj,
    disjoint,
    formula,
    free,
    imag,
    inlined,
    integer,
    is_complex,
    library,
    pair,
    precision,
    real,
    scratch,
    set_integer,
)
from enzyme.engine.derivatives.blas.products import accumulate, moved, multiply
from enzyme.engine.derivatives.blas.quotients import largest_of, magnitude, over


@inlined
def nearness(m: int, n: int, s: Numbers) -> Real:
    """Singular values that are not further apart count as equal."""
    return max(m, n) * precision() * real(s[0])


@disjoint
def side_rotations(
    size: int, count: int, m: Numbers, s: Numbers, close: Real, left: bool, found: Numbers
) -> None:
    """``U* dU`` for M, of `size` rows, or ``V* dV`` for its adjoint; phases change on the left."""
    negligible = size * precision() * largest_of(size, count, m, size)
    put_zeros(size, size, found, size)
    for j in range(count):
        sj = real(s[j])
        for i in range(j + 1, count):
            si = real(s[i])
            one = m[i + size * j]
            two = m[j + size * i]
            top = one * sj + si * conj(two)
            gap = (sj - si) * (sj + si)
            most = magnitude(one) + magnitude(two)
            entry = over(top, gap, abs(sj - si) <= close, most, negligible)
            found[i + size * j] = entry
            found[j + size * i] = -conj(entry)
        for i in range(count, size):
            one = m[i + size * j]
            entry = over(one, sj, sj <= close, magnitude(one), negligible)
            found[i + size * j] = entry
            found[j + size * i] = -conj(entry)
        if is_complex() and left:
            twice = m[j + size * j] - conj(m[j + size * j])
            found[j + size * j] = over(0.5 * twice, sj, sj <= close, magnitude(twice), negligible)


@disjoint
def side_rotations_back(
    size: int, count: int, g: Numbers, s: Numbers, close: Real, left: bool, found: Numbers
) -> None:
    """The adjoint of `side_rotations`: what ``U* dU`` adds to that of M, for U* times the adjoint of U."""
    negligible = size * precision() * largest_of(size, size, g, size)
    put_zeros(size, size, found, size)
    for j in range(count):
        sj = real(s[j])
        for i in range(j + 1, count):
            si = real(s[i])
            one = g[i + size * j]
            two = g[j + size * i]
            gap = (sj - si) * (sj + si)
            most = magnitude(one) + magnitude(two)
            part = over(one - conj(two), gap, abs(sj - si) <= close, most, negligible)
            found[i + size * j] = part * sj
            found[j + size * i] = conj(part) * si
        for i in range(count, size):
            one = g[i + size * j]
            two = g[j + size * i]
            most = magnitude(one) + magnitude(two)
            found[i + size * j] = over(one - conj(two), sj, sj <= close, most, negligible)
        if is_complex() and left:
            twice = g[j + size * j] - conj(g[j + size * j])
            found[j + size * j] = over(0.5 * twice, sj, sj <= close, magnitude(twice), negligible)


@disjoint
def outside(
    m: int,
    mu: int,
    count: int,
    x: Numbers,
    u: Numbers,
    ldu: int,
    s: Numbers,
    close: Real,
    found: Numbers,
) -> None:
    """What of the first columns of X is orthogonal to all of U, by singular values."""
    if mu == m:
        put_zeros(m, count, found, m)
        return
    inside = scratch(mu * count)
    multiply("C", "N", mu, count, m, 1.0, u, ldu, x, m, 0.0, inside, mu)
    moved(-1.0, m, count, x, m, found, m)
    accumulate("N", "N", m, count, mu, u, ldu, inside, mu, found, m)
    negligible = m * precision() * largest_of(m, count, x, m)
    for k in range(count):
        for i in range(m):
            part = -found[i + m * k]
            found[i + m * k] = over(
                part, real(s[k]), real(s[k]) <= close, magnitude(part), negligible
            )
    free(inside)


@disjoint
def add_columns(m: int, n: int, x: Numbers, to: Numbers) -> None:
    for i in range(m * n):
        to[i] += x[i]


@inlined
def first_part(n: int, at: Numbers, k: int, ld: int) -> Real:
    """The first component of a vector, or zero where that says nothing of its phase."""
    first = real(at[ld * k])
    return first if abs(first) > n * precision() else 0.0


@disjoint
def add_turned(n: int, k: int, by: Real, v: Numbers, ldv: int, dv: Numbers) -> None:
    for i in range(n):
        dv[i + n * k] += pair(0.0, by) * v[i + ldv * k]


@disjoint
def imaginary_product(n: int, k: int, v: Numbers, ldv: int, dv: Numbers) -> Real:
    total = 0.0
    for i in range(n):
        total += imag(conj(v[i + ldv * k]) * dv[i + n * k])
    return total


@formula
def svd_tangent(
    vectors: int,
    m: int,
    n: int,
    count: int,
    mu: int,
    nv: int,
    s: Numbers,
    u: Numbers,
    ldu: int,
    vt: Numbers,
    ldvt: int,
    of_a: int,
    da: Numbers,
    ldda: int,
    of_s: int,
    ds: Numbers,
    of_u: int,
    du: Numbers,
    lddu: int,
    of_vt: int,
    dvt: Numbers,
    lddvt: int,
) -> None:
    if count == 0:
        return
    if of_a == 0 or vectors == 0:
        if of_u != 0:
            put_zeros(m, mu, du, lddu)
        if of_vt != 0:
            put_zeros(nv, n, dvt, lddvt)
    if of_a == 0:
        if of_s != 0:
            put_zeros(count, 1, ds, count)
        return
    right = scratch(m * nv)
    multiply("N", "C", m, nv, n, 1.0, da, ldda, vt, ldvt, 0.0, right, m)
    if of_s != 0:
        for k in range(count):
            total = 0.0
            for i in range(m):
                total += real(conj(u[i + ldu * k]) * right[i + m * k])
            ds[k] = pair(total, 0.0)
    if vectors != 0 and of_u + of_vt > 0:
        vectors_tangent(
            m,
            n,
            count,
            mu,
            nv,
            s,
            u,
            ldu,
            vt,
            ldvt,
            da,
            ldda,
            right,
            of_u,
            du,
            lddu,
            of_vt,
            dvt,
            lddvt,
        )
    free(right)


@formula
def vectors_tangent(
    m: int,
    n: int,
    count: int,
    mu: int,
    nv: int,
    s: Numbers,
    u: Numbers,
    ldu: int,
    vt: Numbers,
    ldvt: int,
    da: Numbers,
    ldda: int,
    right: Numbers,
    of_u: int,
    du: Numbers,
    lddu: int,
    of_vt: int,
    dvt: Numbers,
    lddvt: int,
) -> None:
    close = nearness(m, n, s)
    v = scratch(n * nv)
    starred_copy(nv, n, vt, ldvt, v, n)
    left = scratch(n * mu)
    multiply("C", "N", n, mu, m, 1.0, da, ldda, u, ldu, 0.0, left, n)
    middle = scratch(mu * nv)
    multiply("C", "N", mu, nv, m, 1.0, u, ldu, right, m, 0.0, middle, mu)
    starred = scratch(mu * nv)
    starred_copy(mu, nv, middle, mu, starred, nv)
    turned_u = scratch(mu * mu)
    turned_v = scratch(nv * nv)
    side_rotations(mu, count, middle, s, close, True, turned_u)
    side_rotations(nv, count, starred, s, close, False, turned_v)
    new_u = scratch(m * mu)
    new_v = scratch(n * nv)
    multiply("N", "N", m, mu, mu, 1.0, u, ldu, turned_u, mu, 0.0, new_u, m)
    multiply("N", "N", n, nv, nv, 1.0, v, n, turned_v, nv, 0.0, new_v, n)
    beside_u = scratch(m * count)
    beside_v = scratch(n * count)
    outside(m, mu, count, right, u, ldu, s, close, beside_u)
    outside(n, nv, count, left, v, n, s, close, beside_v)
    add_columns(m, count, beside_u, new_u)
    add_columns(n, count, beside_v, new_v)
    if is_complex():
        for k in range(count):
            if m >= n:
                first = first_part(n, v, k, n)
                size = imag(new_v[n * k])
            else:
                first = first_part(m, u, k, ldu)
                size = imag(new_u[m * k])
            if first != 0.0:
                by = -size / first
                add_turned(m, k, by, u, ldu, new_u)
                add_turned(n, k, by, v, n, new_v)
    if of_u != 0:
        moved(1.0, m, mu, new_u, m, du, lddu)
    if of_vt != 0:
        starred_copy(n, nv, new_v, n, dvt, lddvt)
    free(beside_v)
    free(beside_u)
    free(new_v)
    free(new_u)
    free(turned_v)
    free(turned_u)
    free(starred)
    free(middle)
    free(left)
    free(v)


@formula
def svd_adjoint(
    vectors: int,
    m: int,
    n: int,
    count: int,
    mu: int,
    nv: int,
    s: Numbers,
    u: Numbers,
    ldu: int,
    vt: Numbers,
    ldvt: int,
    of_a: int,
    da: Numbers,
    ldda: int,
    of_s: int,
    ds: Numbers,
    of_u: int,
    du: Numbers,
    lddu: int,
    of_vt: int,
    dvt: Numbers,
    lddvt: int,
) -> None:
    if count == 0:
        return
    if of_a != 0:
        middle = scratch(mu * nv)
        put_zeros(mu, nv, middle, mu)
        if vectors != 0 and of_u + of_vt > 0:
            vectors_adjoint(
                m,
                n,
                count,
                mu,
                nv,
                s,
                u,
                ldu,
                vt,
                ldvt,
                da,
                ldda,
                middle,
                of_u,
                du,
                lddu,
                of_vt,
                dvt,
                lddvt,
            )
        if of_s != 0:
            for k in range(count):
                middle[k + mu * k] += pair(real(ds[k]), 0.0)
        half = scratch(mu * n)
        multiply("N", "N", mu, n, nv, 1.0, middle, mu, vt, ldvt, 0.0, half, mu)
        accumulate("N", "N", m, n, mu, u, ldu, half, mu, da, ldda)
        free(half)
        free(middle)
    if of_s != 0:
        put_zeros(count, 1, ds, count)
    if of_u != 0:
        put_zeros(m, mu, du, lddu)
    if of_vt != 0:
        put_zeros(nv, n, dvt, lddvt)


@formula
def vectors_adjoint(
    m: int,
    n: int,
    count: int,
    mu: int,
    nv: int,
    s: Numbers,
    u: Numbers,
    ldu: int,
    vt: Numbers,
    ldvt: int,
    da: Numbers,
    ldda: int,
    middle: Numbers,
    of_u: int,
    du: Numbers,
    lddu: int,
    of_vt: int,
    dvt: Numbers,
    lddvt: int,
) -> None:
    """What vectors add to the adjoints of the matrix, and of M, which is zero before."""
    close = nearness(m, n, s)
    v = scratch(n * nv)
    starred_copy(nv, n, vt, ldvt, v, n)
    old_u = scratch(m * mu)
    old_v = scratch(n * nv)
    if of_u != 0:
        moved(1.0, m, mu, du, lddu, old_u, m)
    else:
        put_zeros(m, mu, old_u, m)
    if of_vt != 0:
        starred_copy(nv, n, dvt, lddvt, old_v, n)
    else:
        put_zeros(n, nv, old_v, n)
    if is_complex():
        for k in range(count):
            along = imaginary_product(m, k, u, ldu, old_u) + imaginary_product(n, k, v, n, old_v)
            if m >= n:
                first = first_part(n, v, k, n)
                if first != 0.0:
                    old_v[n * k] += pair(0.0, -along / first)
            else:
                first = first_part(m, u, k, ldu)
                if first != 0.0:
                    old_u[m * k] += pair(0.0, -along / first)
    along_u = scratch(mu * mu)
    along_v = scratch(nv * nv)
    multiply("C", "N", mu, mu, m, 1.0, u, ldu, old_u, m, 0.0, along_u, mu)
    multiply("C", "N", nv, nv, n, 1.0, v, n, old_v, n, 0.0, along_v, nv)
    turned_u = scratch(mu * mu)
    turned_v = scratch(nv * nv)
    side_rotations_back(mu, count, along_u, s, close, True, turned_u)
    side_rotations_back(nv, count, along_v, s, close, False, turned_v)
    for j in range(nv):
        for i in range(mu):
            if j < count:
                middle[i + mu * j] += turned_u[i + mu * j]
            if i < count:
                middle[i + mu * j] += conj(turned_v[j + nv * i])
    beside_u = scratch(m * count)
    beside_v = scratch(n * count)
    outside(m, mu, count, old_u, u, ldu, s, close, beside_u)
    outside(n, nv, count, old_v, v, n, s, close, beside_v)
    accumulate("N", "C", m, n, count, beside_u, m, v, n, da, ldda)
    accumulate("N", "C", m, n, count, u, ldu, beside_v, n, da, ldda)
    free(beside_v)
    free(beside_u)
    free(turned_v)
    free(turned_u)
    free(along_v)
    free(along_u)
    free(old_v)
    free(old_u)
    free(v)


# Routines -----------------------------------------------------------------------------------------------


@inlined
def wrong_shape(m: int, n: int, lda: int, first: int) -> int:
    """`first`: the place of m among the operands."""
    if m < 0:
        return -first
    if n < 0:
        return -first - 1
    if lda < max(1, m):
        return -first - 3
    return 0


@inlined
def decompose(
    divide: bool,
    values: bool,
    jobu: Letter,
    jobvt: Letter,
    m: int,
    n: int,
    a: Numbers,
    lda: int,
    s: Reals,
    u: Numbers,
    ldu: int,
    vt: Numbers,
    ldvt: int,
    lwork: int,
    info: Integers,
) -> None:
    """For each side: N nothing, S the vectors of singular values, A all, O those in the place of the matrix."""
    count = min(m, n)
    mu = m if jobu == "A" else count
    nv = n if jobvt == "A" else count
    own_s = scratch(count)
    own_u = scratch(m * mu)
    own_vt = scratch(nv * n)
    put_zeros(count, 1, own_s, count)
    put_zeros(m, mu, own_u, m)
    put_zeros(nv, n, own_vt, nv)
    if values:
        if divide:
            library(
                "gesdd_values",
                m,
                n,
                count,
                mu,
                nv,
                a,
                lda,
                own_s,
                own_u,
                m,
                own_vt,
                nv,
                lwork,
                info,
            )
        else:
            library(
                "gesvd_values",
                m,
                n,
                count,
                mu,
                nv,
                a,
                lda,
                own_s,
                own_u,
                m,
                own_vt,
                nv,
                lwork,
                info,
            )
    else:
        if divide:
            library("gesdd", m, n, count, mu, nv, a, lda, own_s, own_u, m, own_vt, nv, lwork, info)
        else:
            library("gesvd", m, n, count, mu, nv, a, lda, own_s, own_u, m, own_vt, nv, lwork, info)
    if integer(info, 0) >= 0:
        put_zeros(m, n, a, lda)
        put_reals(count, own_s, s)
        if jobu == "S" or jobu == "A":
            moved(1.0, m, mu, own_u, m, u, ldu)
        if jobu == "O":
            moved(1.0, m, count, own_u, m, a, lda)
        if jobvt == "S" or jobvt == "A":
            moved(1.0, nv, n, own_vt, nv, vt, ldvt)
        if jobvt == "O":
            moved(1.0, count, n, own_vt, nv, a, lda)
    free(own_vt)
    free(own_u)
    free(own_s)


@inlined
def decompose_by_parts(
    jobz: Letter,
    m: int,
    n: int,
    a: Numbers,
    lda: int,
    s: Reals,
    u: Numbers,
    ldu: int,
    vt: Numbers,
    ldvt: int,
    work: Numbers,
    lwork: int,
    info: Integers,
) -> None:
    """Where the matrix takes in vectors, those of the smaller side are whole."""
    status = wrong_shape(m, n, lda, 2)
    if jobz != "N" and jobz != "S" and jobz != "A" and jobz != "O":
        status = -1
    jobu = jobz
    jobvt = jobz
    if jobz == "O":
        jobu = "O" if m >= n else "A"
        jobvt = "A" if m >= n else "O"
    if status == 0 and (jobu == "S" or jobu == "A") and ldu < m:
        status = -8
    if status == 0 and ((jobvt == "A" and ldvt < n) or (jobvt == "S" and ldvt < min(m, n))):
        status = -10
    set_integer(info, 0, status)
    if status == 0:
        if lwork == -1:
            count = min(m, n)
            work[0] = pair(4.0 * count * count + 7.0 * count + 66.0 * (m + n) + 1.0, 0.0)
        elif m > 0 and n > 0:
            if jobz == "N":
                decompose(True, True, "N", "N", m, n, a, lda, s, u, ldu, vt, ldvt, lwork, info)
            else:
                decompose(True, False, jobu, jobvt, m, n, a, lda, s, u, ldu, vt, ldvt, lwork, info)


@inlined
def decompose_by_sides(
    jobu: Letter,
    jobvt: Letter,
    m: int,
    n: int,
    a: Numbers,
    lda: int,
    s: Reals,
    u: Numbers,
    ldu: int,
    vt: Numbers,
    ldvt: int,
    work: Numbers,
    lwork: int,
    info: Integers,
) -> None:
    status = wrong_shape(m, n, lda, 3)
    if jobvt != "N" and jobvt != "S" and jobvt != "A" and jobvt != "O":
        status = -2
    if jobvt == "O" and jobu == "O":
        status = -2
    if jobu != "N" and jobu != "S" and jobu != "A" and jobu != "O":
        status = -1
    if status == 0 and (jobu == "S" or jobu == "A") and ldu < m:
        status = -9
    if status == 0 and ((jobvt == "A" and ldvt < n) or (jobvt == "S" and ldvt < min(m, n))):
        status = -11
    set_integer(info, 0, status)
    if status == 0:
        if lwork == -1:
            count = min(m, n)
            work[0] = pair(0.0 + count * count + 66.0 * (m + n) + 5.0 * count + 1.0, 0.0)
        elif m > 0 and n > 0:
            if jobu == "N" and jobvt == "N":
                decompose(False, True, "N", "N", m, n, a, lda, s, u, ldu, vt, ldvt, lwork, info)
            else:
                decompose(False, False, jobu, jobvt, m, n, a, lda, s, u, ldu, vt, ldvt, lwork, info)


@formula
def gesdd(
    jobz: Letter,
    m: int,
    n: int,
    a: Numbers,
    lda: int,
    s: Reals,
    u: Numbers,
    ldu: int,
    vt: Numbers,
    ldvt: int,
    work: Numbers,
    lwork: int,
    iwork: Integers,
    info: Integers,
) -> None:
    decompose_by_parts(jobz, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, info)


@formula
def complex_gesdd(
    jobz: Letter,
    m: int,
    n: int,
    a: Numbers,
    lda: int,
    s: Reals,
    u: Numbers,
    ldu: int,
    vt: Numbers,
    ldvt: int,
    work: Numbers,
    lwork: int,
    rwork: Reals,
    iwork: Integers,
    info: Integers,
) -> None:
    decompose_by_parts(jobz, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, info)


@formula
def gesvd(
    jobu: Letter,
    jobvt: Letter,
    m: int,
    n: int,
    a: Numbers,
    lda: int,
    s: Reals,
    u: Numbers,
    ldu: int,
    vt: Numbers,
    ldvt: int,
    work: Numbers,
    lwork: int,
    info: Integers,
) -> None:
    decompose_by_sides(jobu, jobvt, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, info)


@formula
def complex_gesvd(
    jobu: Letter,
    jobvt: Letter,
    m: int,
    n: int,
    a: Numbers,
    lda: int,
    s: Reals,
    u: Numbers,
    ldu: int,
    vt: Numbers,
    ldvt: int,
    work: Numbers,
    lwork: int,
    rwork: Reals,
    info: Integers,
) -> None:
    decompose_by_sides(jobu, jobvt, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, info)
