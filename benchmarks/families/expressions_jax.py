"""The programs of `expressions` for JAX; see `benchmarks.jax_side`."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax


def softmax_rows(x, w, b, y):
    return -(y * jax.nn.log_softmax(x @ w + b, axis=1)).sum() / x.shape[0]


def clipped_policy(logp, old, advantage):
    ratio = jnp.exp(logp - old)
    return -jnp.minimum(ratio * advantage, jnp.clip(ratio, 0.8, 1.2) * advantage).mean()


def masked_spread(x, weights, mask):
    mean = jnp.where(mask, x * weights, 0.0).sum() / mask.sum()
    return jnp.where(mask, (x - mean) ** 2, 0.0).sum() / mask.sum()


def walls(start, inside, steps):
    def step(u, _):
        slope = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
        return jnp.where(inside, u + 0.1 * jnp.pad(slope, 1), start), None

    u, _ = lax.scan(step, start, None, length=steps)
    return (u * u).sum()


def standard_rows(x, scale):
    centred = x - x.mean(axis=1, keepdims=True)
    spread = jnp.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5)
    return ((centred / spread * scale) ** 3).sum()


def diagonal_gaussians(x, mean, log_scale):
    z = (x - mean) / jnp.exp(log_scale)
    return (0.5 * z * z + log_scale).mean() + 0.01 * jnp.abs(x - mean).max()
