"""Array expressions that choose, clip, look for extremes and sum along axes, as people write them with NumPy."""

from __future__ import annotations

import numpy as np
from numba import njit

from benchmarks.program import Program


@njit
def softmax_rows(x, w, b, y):
    scores = x @ w + b
    e = np.exp(scores - scores.max())
    p = e / e.sum(axis=1)[:, np.newaxis]
    return -np.sum(y * np.log(p)) / x.shape[0]


def softmax_rows_inputs(n):
    rng = np.random.default_rng(0)
    labels = np.eye(10)[rng.integers(0, 10, n)]
    return rng.normal(size=(n, 20)), rng.normal(size=(20, 10)), rng.normal(size=10), labels


@njit
def clipped_policy(logp, old, advantage):
    """The objective of proximal policy optimisation."""
    ratio = np.exp(logp - old)
    near = np.clip(ratio, 0.8, 1.2)
    return -np.mean(np.minimum(ratio * advantage, near * advantage))


def clipped_policy_inputs(n):
    rng = np.random.default_rng(0)
    return rng.normal(size=n), rng.normal(size=n), rng.normal(size=n)


@njit
def masked_spread(x, weights, mask):
    kept = np.where(mask, x * weights, 0.0)
    mean = kept.sum() / mask.sum()
    squares = np.where(mask, (x - mean) ** 2, 0.0)
    return squares.sum() / mask.sum()


def masked_spread_inputs(n):
    rng = np.random.default_rng(0)
    return rng.normal(size=n), rng.uniform(size=n), rng.normal(size=n) > 0.0


@njit
def walls(start, inside, steps):
    u = start.copy()
    for _ in range(steps):
        change = np.zeros_like(u)
        change[1:-1, 1:-1] = (
            u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
        )
        u = np.where(inside, u + 0.1 * change, start)
    return np.sum(u * u)


def walls_inputs(n):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, n)), rng.uniform(size=(n, n)) > 0.1, 20 if n > 10 else 3


@njit
def standard_rows(x, scale):
    n = x.shape[1]
    mean = x.sum(axis=1) / n
    centred = x - mean[:, np.newaxis]
    spread = np.sqrt((centred**2).sum(axis=1) / n + 1e-5)
    z = centred / spread[:, np.newaxis] * scale
    return np.sum(z * z * z)


def standard_rows_inputs(n):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 30)), rng.uniform(size=30)


@njit
def diagonal_gaussians(x, mean, log_scale):
    """The negative logarithm of densities, and how far the worst observation is off."""
    z = (x - mean) / np.exp(log_scale)
    return np.mean(0.5 * z * z + log_scale) + 0.01 * np.max(np.abs(x - mean))


def diagonal_gaussians_inputs(n):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 16)), rng.normal(size=16), rng.normal(size=16)


PROGRAMS = (
    Program(
        softmax_rows, softmax_rows_inputs, 500, 5, "a sum along an axis, and back", constants=(3,)
    ),
    Program(clipped_policy, clipped_policy_inputs, 50_000, 7, "`np.clip` and `np.minimum`"),
    Program(masked_spread, masked_spread_inputs, 50_000, 9, "`np.where` by a mask"),
    Program(walls, walls_inputs, 100, 5, "slices and `np.where` at the boundary", order=2),
    Program(standard_rows, standard_rows_inputs, 1000, 4, "sums along rows, and back"),
    Program(
        diagonal_gaussians, diagonal_gaussians_inputs, 5000, 6, "exponentials of a row, `np.max`"
    ),
)
