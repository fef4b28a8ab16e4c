"""Dense linear algebra, written with loops, slices and `@`."""

from __future__ import annotations

from math import cos, log, pi, sin, sqrt

import numpy as np
from numba import njit

from benchmarks.families import linear_adjoints as hand
from benchmarks.program import Program


def matrix(n, m=None, scale=1.0):
    return scale * np.random.default_rng(n).normal(size=(n, m or n))


def positive(n):
    """A positive definite matrix that is well conditioned."""
    a = matrix(n)
    return a @ a.T / n + np.eye(n)


def vector(n, seed=0):
    return np.random.default_rng(seed).normal(size=n)


# ------------------------------------------------------------- a loss of an in-place Fourier transform


@njit
def fourier(real, imaginary, target):
    re, im = real.copy(), imaginary.copy()
    n = len(re)
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j ^= bit
        if i < j:
            re[i], re[j] = re[j], re[i]
            im[i], im[j] = im[j], im[i]
    length = 2
    while length <= n:
        step = -2.0 * pi / length
        half = length // 2
        for start in range(0, n, length):
            for k in range(half):
                wr, wi = cos(step * k), sin(step * k)
                a, b = start + k, start + k + half
                tr = re[b] * wr - im[b] * wi
                ti = re[b] * wi + im[b] * wr
                re[b], im[b] = re[a] - tr, im[a] - ti
                re[a] += tr
                im[a] += ti
        length *= 2
    total = 0.0
    for i in range(n):
        miss = sqrt(re[i] * re[i] + im[i] * im[i]) - target[i]
        total += miss * miss
    return total


def fourier_inputs(n):
    rng = np.random.default_rng(8)
    return rng.normal(size=n), rng.normal(size=n), rng.uniform(size=n)


# ------------------------------------------------------------- triangular and banded systems


@njit
def forward_substitution(lower, b):
    x = b.copy()
    n = len(x)
    for i in range(n):
        for j in range(i):
            x[i] -= lower[i, j] * x[j]
        x[i] /= lower[i, i]
    return np.dot(x, x)


def forward_substitution_inputs(n):
    return np.tril(matrix(n, scale=0.5 / sqrt(n))) + np.eye(n), vector(n)


@njit
def many_substitutions(lower, b):
    x = b.copy()
    for i in range(len(lower)):
        x[i] -= lower[i, :i] @ x[:i]
        x[i] /= lower[i, i]
    return (x * x).sum()


def many_substitutions_inputs(n):
    return np.tril(matrix(n, scale=0.5 / sqrt(n))) + np.eye(n), matrix(n, 20)


@njit
def thomas(below, diagonal, above, right):
    n = len(diagonal)
    c = np.empty(n)
    d = np.empty(n)
    c[0] = above[0] / diagonal[0]
    d[0] = right[0] / diagonal[0]
    for i in range(1, n):
        pivot = diagonal[i] - below[i] * c[i - 1]
        c[i] = above[i] / pivot
        d[i] = (right[i] - below[i] * d[i - 1]) / pivot
    for i in range(n - 2, -1, -1):
        d[i] -= c[i] * d[i + 1]
    return (d * d).sum()


def thomas_inputs(n):
    rng = np.random.default_rng(0)
    return rng.uniform(-1, 0, n), rng.uniform(2, 3, n), rng.uniform(-1, 0, n), rng.normal(size=n)


# ------------------------------------------------------------- factorisations by hand


@njit
def cholesky(a):
    n = len(a)
    lower = np.zeros_like(a)
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= lower[i, k] * lower[j, k]
            if i == j:
                lower[i, i] = sqrt(s)
            else:
                lower[i, j] = s / lower[j, j]
    total = 0.0
    for i in range(n):
        total += log(lower[i, i])
    return 2.0 * total


@njit
def gauss(a, b):
    a = a.copy()
    b = b.copy()
    n = len(b)
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[p, k]):
                p = i
        if p != k:
            for j in range(k, n):
                a[k, j], a[p, j] = a[p, j], a[k, j]
            b[k], b[p] = b[p], b[k]
        for i in range(k + 1, n):
            f = a[i, k] / a[k, k]
            a[i, k + 1 :] -= f * a[k, k + 1 :]
            b[i] -= f * b[k]
    for i in range(n - 1, -1, -1):
        b[i] = (b[i] - np.dot(a[i, i + 1 :], b[i + 1 :])) / a[i, i]
    return np.sum(b)


@njit
def gram_schmidt(a, target):
    q = a.copy()
    for j in range(a.shape[1]):
        for k in range(j):
            q[:, j] -= (q[:, k] @ q[:, j]) * q[:, k]
        q[:, j] /= np.sqrt((q[:, j] ** 2).sum())
    return (q * target).sum()


@njit
def householder(a):
    r = a.copy()
    n = r.shape[1]
    for k in range(n):
        v = r[k:, k].copy()
        length = np.linalg.norm(v)
        v[0] += length if v[0] > 0.0 else -length
        v /= np.linalg.norm(v)
        r[k:, k:] -= 2.0 * np.outer(v, v @ r[k:, k:])
    total = 0.0
    for k in range(n):
        total += log(abs(r[k, k]))
    return total


@njit
def jacobi_rotations(a, sweeps):
    m = a.copy()
    n = len(m)
    for _ in range(sweeps):
        for p in range(n):
            for q in range(p + 1, n):
                if abs(m[p, q]) > 1e-12:
                    theta = 0.5 * (m[q, q] - m[p, p]) / m[p, q]
                    sign = 1.0 if theta >= 0.0 else -1.0
                    t = sign / (abs(theta) + sqrt(theta * theta + 1.0))
                    c = 1.0 / sqrt(t * t + 1.0)
                    s = t * c
                    for k in range(n):
                        x, y = m[k, p], m[k, q]
                        m[k, p], m[k, q] = c * x - s * y, s * x + c * y
                    for k in range(n):
                        x, y = m[p, k], m[q, k]
                        m[p, k], m[q, k] = c * x - s * y, s * x + c * y
    total = 0.0
    for i in range(n):
        total += m[i, i] ** 3
    return total


# ------------------------------------------------------------- products


@njit
def matmul_loops(a, b):
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                c[i, j] += a[i, k] * b[k, j]
    return (c * c).sum()


@njit
def block_product(a, b, k):
    total = 0.0
    for i in range(0, len(a), k):
        c = a[i : i + k] @ b[:, i : i + k]
        total += np.sum(c * c)
    return total


@njit
def double_product(a, x):
    for _ in range(10):
        x = (a @ x) @ a
        x = x / np.linalg.norm(x)
    return x @ a @ x


@njit
def bilinear(x, a, y):
    total = 0.0
    for i in range(len(x)):
        total += np.tanh(x[i] @ a @ y[i])
    return total


@njit
def power_iteration(a, start):
    x = start
    value = 0.0
    for _ in range(50):
        y = a @ x
        value = np.dot(x, y)
        x = y / np.linalg.norm(y)
    return value


@njit
def exponential(a, squarings):
    scaled = a / 2.0**squarings
    term = np.eye(len(a))
    total = term.copy()
    for k in range(1, 9):
        term = term @ scaled / k
        total += term
    for _ in range(squarings):
        total = total @ total
    return np.trace(total)


# ------------------------------------------------------------- systems and least squares


@njit
def least_squares(x, y, ridge):
    normal = x.T @ x + ridge[0] * np.eye(x.shape[1])
    w = np.linalg.solve(normal, x.T @ y)
    miss = x @ w - y
    return miss @ miss + ridge[0] * (w @ w)


@njit
def descent(x, y, start, rate, steps):
    w = start.copy()
    for _ in range(steps):
        w -= rate[0] * (x.T @ (x @ w - y)) / len(y)
    miss = x @ w - y
    return np.sum(miss**2)


@njit
def conjugate_gradients(a, b):
    x = np.zeros_like(b)
    r = b.copy()
    p = r.copy()
    rr = r @ r
    while rr > 1e-24:
        ap = a @ p
        alpha = rr / (p @ ap)
        x += alpha * p
        r -= alpha * ap
        new = r @ r
        p = r + (new / rr) * p
        rr = new
    return x @ x


@njit
def mahalanobis(points, mean, lower):
    n, m = points.shape
    z = np.empty(m)
    total = 0.0
    for i in range(n):
        for j in range(m):
            s = points[i, j] - mean[j]
            for k in range(j):
                s -= lower[j, k] * z[k]
            z[j] = s / lower[j, j]
        total += np.sqrt(1.0 + np.sum(z * z))
    return total


def mahalanobis_inputs(n):
    return matrix(n, 6), vector(6), np.tril(matrix(6, scale=0.2)) + np.eye(6)


@njit
def log_determinant(points, width):
    n = len(points)
    k = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            d = points[i] - points[j]
            k[i, j] = np.exp(-(d @ d) / width[0])
        k[i, i] += 0.1
    return np.linalg.slogdet(k)[1]


PROGRAMS = (
    Program(fourier, fourier_inputs, 4096, 16, "radix 2, in place", adjoint=hand.fourier),
    Program(
        *(forward_substitution, forward_substitution_inputs, 600, 4, "in place, loops"),
        order=2,
        adjoint=hand.forward_substitution,
    ),
    Program(
        *(many_substitutions, many_substitutions_inputs, 200, 4, "in place, slices and `@`"),
        order=2,
        adjoint=hand.many_substitutions,
    ),
    Program(thomas, thomas_inputs, 50_000, 5, "a tridiagonal system", adjoint=hand.thomas),
    Program(cholesky, lambda n: (positive(n),), 120, 4, "loops", order=3, adjoint=hand.cholesky),
    Program(gauss, lambda n: (matrix(n), vector(n)), 120, 4, "row exchanges, in place", order=3),
    Program(
        gram_schmidt, lambda n: (matrix(n), matrix(n + 1)[:n, :n].copy()), 80, 4, "columns", order=3
    ),
    Program(householder, lambda n: (matrix(n + 2, n),), 60, 4, "reflections of slices", order=3),
    Program(
        jacobi_rotations, lambda n: (positive(n), 4), 30, 3, "eigenvalues by rotations", order=3
    ),
    Program(
        *(matmul_loops, lambda n: (matrix(n), matrix(n + 1, n)[:n]), 120, 3, "three loops"),
        order=3,
        adjoint=hand.matmul_loops,
    ),
    Program(
        block_product,
        lambda n: (matrix(n), matrix(n + 1, n)[:n], 16),
        256,
        32,
        "`A[:k] @ B[:, :k]`",
        order=2,
    ),
    Program(
        double_product,
        lambda n: (matrix(n), vector(n)),
        300,
        4,
        "`(A @ x) @ A`",
        order=2,
        adjoint=hand.double_product,
    ),
    Program(
        bilinear,
        lambda n: (matrix(n, 16), matrix(16, scale=0.1), matrix(n, 16)),
        1000,
        3,
        "`x @ A @ y`",
        adjoint=hand.bilinear,
    ),
    Program(
        *(power_iteration, lambda n: (positive(n), vector(n)), 200, 4, "normalised each time"),
        order=2,
        adjoint=hand.power_iteration,
    ),
    Program(
        exponential, lambda n: (matrix(n, scale=0.1), 4), 50, 3, "a series, then squares", order=3
    ),
    Program(
        *(
            least_squares,
            lambda n: (matrix(n, 12), vector(n), np.array([0.5])),
            2000,
            15,
            "normal equations",
        ),
    ),
    Program(
        *(
            descent,
            lambda n: (matrix(n, 10), vector(n), vector(10), np.array([0.1]), 20),
            1000,
            5,
            "fixed steps",
        ),
        adjoint=hand.descent,
    ),
    Program(
        conjugate_gradients,
        lambda n: (positive(n), vector(n)),
        200,
        30,
        "until the rest is small",
        order=2,
    ),
    Program(mahalanobis, mahalanobis_inputs, 5000, 3, "a small system for each row"),
    Program(
        log_determinant,
        lambda n: (matrix(n, 3), np.array([3.0])),
        100,
        4,
        "`slogdet` of a kernel",
        order=2,
    ),
)
