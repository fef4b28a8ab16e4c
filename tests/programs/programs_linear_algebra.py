"""Linear algebra written out as loops."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from tests.programs.cases import program


def spd(n):
    def make(rng):
        a = rng.standard_normal((n, n))
        return (a @ a.T + n * np.eye(n),)

    return make


def system(n, order="C"):
    def make(rng):
        a = np.array(rng.standard_normal((n, n)) + n * np.eye(n), order=order)
        return a, rng.standard_normal(n)

    return make


@program(
    lambda rng: (rng.standard_normal((3, 4)), rng.standard_normal((4, 2)), np.zeros((3, 2))),
    lambda rng: (rng.standard_normal((4, 3)).T, rng.standard_normal((2, 4)).T, np.zeros((3, 2))),
    single=True,
)
@njit
def matmul(a, b, c):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            c[i, j] = s


@program(lambda rng: (rng.standard_normal((3, 4)), rng.standard_normal((4, 2)), np.zeros((3, 2))))
@njit
def matmul_accumulating(a, b, c):
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


@program(lambda rng: (rng.standard_normal((6, 6)), rng.standard_normal((6, 6)), np.zeros((6, 6))))
@njit
def matmul_blocked(a, b, c):
    n = a.shape[0]
    for ii in range(0, n, 4):
        for jj in range(0, n, 4):
            for kk in range(0, n, 4):
                for i in range(ii, min(ii + 4, n)):
                    for j in range(jj, min(jj + 4, n)):
                        for k in range(kk, min(kk + 4, n)):
                            c[i, j] += a[i, k] * b[k, j]


@program(lambda rng: (rng.standard_normal((4, 4)), rng.standard_normal(4), 6))
@njit
def power_iteration(a, x, steps):
    for _ in range(steps):
        y = np.zeros(len(x))
        for i in range(len(x)):
            for j in range(len(x)):
                y[i] += a[i, j] * x[j]
        norm = 0.0
        for i in range(len(x)):
            norm += y[i] * y[i]
        x = y / math.sqrt(norm)
    s = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            s += x[i] * a[i, j] * x[j]
    return s


@program(lambda rng: (0.4 * rng.standard_normal((4, 4)), rng.standard_normal(4), 6))
@njit
def repeated_matmul_operator(a, x, steps):
    for _ in range(steps):
        x = a @ x
    return x.sum()


@program(spd(4), single=True)
@njit
def lu_in_place(a):
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]


@program(system(4), system(4, "F"))
@njit
def gauss_with_pivoting(a, b):
    n = len(b)
    a = a.copy()
    x = b.copy()
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[p, k]):
                p = i
        if p != k:
            for j in range(n):
                a[k, j], a[p, j] = a[p, j], a[k, j]
            x[k], x[p] = x[p], x[k]
        for i in range(k + 1, n):
            f = a[i, k] / a[k, k]
            for j in range(k, n):
                a[i, j] -= f * a[k, j]
            x[i] -= f * x[k]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= a[i, j] * x[j]
        x[i] /= a[i, i]
    return (x * x).sum()


@program(spd(4), single=True)
@njit
def cholesky_log_determinant(a):
    n = a.shape[0]
    low = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= low[i, k] * low[j, k]
            if i == j:
                low[i, i] = math.sqrt(s)
            else:
                low[i, j] = s / low[j, j]
    total = 0.0
    for i in range(n):
        total += math.log(low[i, i])
    return 2.0 * total


@program(spd(4))
@njit
def cholesky_in_place_with_error(a):
    n = a.shape[0]
    for j in range(n):
        for k in range(j):
            a[j, j] -= a[j, k] ** 2
        if a[j, j] <= 0.0:
            raise ValueError("not positive definite")
        a[j, j] = math.sqrt(a[j, j])
        for i in range(j + 1, n):
            for k in range(j):
                a[i, j] -= a[i, k] * a[j, k]
            a[i, j] /= a[j, j]


@program(system(5))
@njit
def forward_substitution(a, b):
    for i in range(len(b)):
        for j in range(i):
            b[i] -= a[i, j] * b[j]
        b[i] /= a[i, i]


@program(system(5))
@njit
def gauss_seidel(a, b):
    x = np.zeros(len(b))
    for _ in range(4):
        for i in range(len(b)):
            s = b[i]
            for j in range(len(b)):
                if j != i:
                    s -= a[i, j] * x[j]
            x[i] = s / a[i, i]
    return (x * x).sum()


@program(system(4))
@njit
def jacobi_until_converged(a, b):
    n = len(b)
    x = np.zeros(n)
    for _ in range(200):
        y = np.empty(n)
        change = 0.0
        for i in range(n):
            s = b[i]
            for j in range(n):
                if j != i:
                    s -= a[i, j] * x[j]
            y[i] = s / a[i, i]
            change = max(change, abs(y[i] - x[i]))
        x = y
        if change < 1e-3:
            break
    return x.sum()


@program(lambda rng: (*spd(4)(rng), rng.standard_normal(4)))
@njit
def conjugate_gradient(a, b):
    n = len(b)
    x = np.zeros(n)
    r = b.copy()
    p = r.copy()
    rr = (r * r).sum()
    for _ in range(3):
        q = np.zeros(n)
        for i in range(n):
            for j in range(n):
                q[i] += a[i, j] * p[j]
        alpha = rr / (p * q).sum()
        x = x + alpha * p
        r = r - alpha * q
        new = (r * r).sum()
        p = r + new / rr * p
        rr = new
    return (x * b).sum()


@program(lambda rng: (rng.standard_normal((4, 3)),))
@njit
def gram_schmidt(a):
    m, n = a.shape
    for j in range(n):
        for k in range(j):
            s = 0.0
            for i in range(m):
                s += a[i, k] * a[i, j]
            for i in range(m):
                a[i, j] -= s * a[i, k]
        norm = 0.0
        for i in range(m):
            norm += a[i, j] ** 2
        norm = math.sqrt(norm)
        for i in range(m):
            a[i, j] /= norm


@program(
    lambda rng: (
        rng.uniform(2, 3, 5),
        rng.standard_normal(4),
        rng.standard_normal(4),
        rng.standard_normal(5),
    )
)
@njit
def thomas_algorithm(d, low, up, b):
    n = len(d)
    for i in range(1, n):
        w = low[i - 1] / d[i - 1]
        d[i] -= w * up[i - 1]
        b[i] -= w * b[i - 1]
    b[n - 1] /= d[n - 1]
    for i in range(n - 2, -1, -1):
        b[i] = (b[i] - up[i] * b[i + 1]) / d[i]


@program(
    lambda rng: (
        rng.standard_normal(7),
        np.array([0, 2, 3, 7]),
        np.array([0, 2, 1, 0, 1, 2, 1]),
        rng.standard_normal(3),
    )
)
@njit
def sparse_matrix_vector(data, start, column, x):
    s = 0.0
    for i in range(len(start) - 1):
        t = 0.0
        for k in range(start[i], start[i + 1]):
            t += data[k] * x[column[k]]
        s += t * t
    return s


@program(spd(3))
@njit
def jacobi_eigenvalue_rotation(a):
    c = 1.0
    for _ in range(3):
        theta = 0.5 * math.atan2(2 * a[0, 1], a[0, 0] - a[1, 1])
        c, s = math.cos(theta), math.sin(theta)
        for k in range(3):
            p, q = a[k, 0], a[k, 1]
            a[k, 0], a[k, 1] = c * p + s * q, -s * p + c * q
        for k in range(3):
            p, q = a[0, k], a[1, k]
            a[0, k], a[1, k] = c * p + s * q, -s * p + c * q
    return a[0, 0] + a[0, 2] * c


@program(lambda rng: (0.3 * rng.standard_normal((3, 3)), 6))
@njit
def matrix_exponential_series(a, terms):
    n = a.shape[0]
    result = np.eye(n)
    term = np.eye(n)
    for k in range(1, terms):
        new = np.zeros((n, n))
        for i in range(n):
            for j in range(n):
                for m in range(n):
                    new[i, j] += term[i, m] * a[m, j] / k
        term = new
        result += term
    return (result * result).sum()


@program(lambda rng: (rng.standard_normal((3, 3)),))
@njit
def determinant_by_minors(a):
    return (
        a[0, 0] * (a[1, 1] * a[2, 2] - a[1, 2] * a[2, 1])
        - a[0, 1] * (a[1, 0] * a[2, 2] - a[1, 2] * a[2, 0])
        + a[0, 2] * (a[1, 0] * a[2, 1] - a[1, 1] * a[2, 0])
    )


@program(lambda rng: (rng.standard_normal((4, 4)),))
@njit
def transpose_in_place(a):
    for i in range(4):
        for j in range(i):
            a[i, j], a[j, i] = a[j, i] * 2.0, a[i, j]
