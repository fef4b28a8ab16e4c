"""The programs of `linear` for JAX; see `benchmarks.jax_side`."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax
from jax.scipy.linalg import expm, solve_triangular  # noqa: F401


def fourier(real, imaginary, target):
    return ((jnp.abs(jnp.fft.fft(real + 1j * imaginary)) - target) ** 2).sum()


def forward_substitution(lower, b):
    x = solve_triangular(lower, b, lower=True)
    return x @ x


def many_substitutions(lower, b):
    return (solve_triangular(lower, b, lower=True) ** 2).sum()


def thomas(below, diagonal, above, right):
    def down(carry, row):
        a, b, c, d = row
        pivot = b - a * carry[0]
        new = c / pivot, (d - a * carry[1]) / pivot
        return new, new

    def up(x, row):
        c, d = row
        x = d - c * x
        return x, x

    zero = jnp.zeros(())
    _, rows = lax.scan(down, (zero, zero), (below, diagonal, above, right))
    return (lax.scan(up, zero, rows, reverse=True)[1] ** 2).sum()


def cholesky(a):
    a = jnp.tril(a)
    a = a + jnp.tril(a, -1).T
    return 2.0 * jnp.log(jnp.diagonal(jnp.linalg.cholesky(a, symmetrize_input=False))).sum()


def gauss(a, b):
    return jnp.linalg.solve(a, b).sum()


def gram_schmidt(a, target):
    columns = []
    for j in range(a.shape[1]):
        q = a[:, j]
        for other in columns:
            q = q - (other @ q) * other
        columns.append(q / jnp.linalg.norm(q))
    return (jnp.stack(columns, axis=1) * target).sum()


# Each column is a step of the trace: XLA would compile for minutes at the size of the benchmark.
del gram_schmidt


def householder(a):
    return jnp.log(jnp.abs(jnp.diagonal(jnp.linalg.qr(a)[1]))).sum()


def matmul_loops(a, b):
    return ((a @ b) ** 2).sum()


def block_product(a, b, k):
    return sum((((a[i : i + k] @ b[:, i : i + k]) ** 2).sum() for i in range(0, len(a), k)), 0.0)


def double_product(a, x):
    def step(_, x):
        x = (a @ x) @ a
        return x / jnp.linalg.norm(x)

    x = lax.fori_loop(0, 10, step, x)
    return x @ a @ x


def bilinear(x, a, y):
    return jnp.tanh(((x @ a) * y).sum(1)).sum()


def power_iteration(a, start):
    def step(x, _):
        y = a @ x
        return y / jnp.linalg.norm(y), x @ y

    return lax.scan(step, start, length=50)[1][-1]


def exponential(a, squarings):
    scaled = a / 2.0**squarings
    term = total = jnp.eye(len(a))
    for k in range(1, 9):
        term = term @ scaled / k
        total = total + term
    for _ in range(squarings):
        total = total @ total
    return jnp.trace(total)


def least_squares(x, y, ridge):
    w = jnp.linalg.solve(x.T @ x + ridge[0] * jnp.eye(x.shape[1]), x.T @ y)
    miss = x @ w - y
    return miss @ miss + ridge[0] * (w @ w)


def descent(x, y, start, rate, steps):
    w = lax.fori_loop(0, steps, lambda _, w: w - rate[0] * (x.T @ (x @ w - y)) / len(y), start)
    return ((x @ w - y) ** 2).sum()


def conjugate_gradients(a, b):
    def step(_, state):
        x, r, p, rr = state
        ap = a @ p
        alpha = rr / (p @ ap)
        x, r = x + alpha * p, r - alpha * ap
        new = r @ r
        return x, r, r + (new / rr) * p, new

    x, *_ = lax.fori_loop(0, 31, step, (jnp.zeros_like(b), b, b, b @ b))
    return x @ x


def mahalanobis(points, mean, lower):
    z = jax.vmap(lambda p: solve_triangular(lower, p - mean, lower=True))(points)
    return jnp.sqrt(1.0 + (z * z).sum(1)).sum()


def log_determinant(points, width):
    d = points[:, None, :] - points[None, :, :]
    k = jnp.exp(-(d * d).sum(2) / width[0]) + 0.1 * jnp.eye(len(points))
    return jnp.linalg.slogdet(k)[1]
