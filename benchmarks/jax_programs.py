"""The same programs for JAX, written as its users write them; imported only where JAX is.

Loops are `scan` or `fori_loop` with fixed bounds, because JAX cannot reverse a `while_loop`: the
Newton iteration runs a fixed ten times.  Pairs are a dense matrix with a mask.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)


def lorenz(initial, p, steps, dt):
    def slope(s):
        return jnp.array(
            [p[0] * (s[1] - s[0]), s[0] * (p[1] - s[2]) - s[1], s[0] * s[1] - p[2] * s[2]]
        )

    def step(s, _):
        k1 = slope(s)
        k2 = slope(s + 0.5 * dt * k1)
        k3 = slope(s + 0.5 * dt * k2)
        k4 = slope(s + dt * k3)
        s = s + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        return s, dt * s[2]

    return jax.lax.scan(step, initial, length=steps)[1].sum()


def lennard_jones(x, cutoff):
    d = x[:, None, :] - x[None, :, :]
    r2 = (d * d).sum(-1)
    near = (r2 < cutoff * cutoff) & ~jnp.eye(len(x), dtype=bool)
    s6 = 1.0 / jnp.where(near, r2, 1.0) ** 3
    return 0.5 * jnp.where(near, 4.0 * (s6 * s6 - s6), 0.0).sum()


def log_sum_exp(x):
    return jax.nn.logsumexp(x)


def kepler(mean_anomaly, eccentricity):
    def newton(_, a):
        f = a - eccentricity * jnp.sin(a) - mean_anomaly
        return a - f / (1.0 - eccentricity * jnp.cos(a))

    a = jax.lax.fori_loop(0, 10, newton, mean_anomaly)
    return (a * a).sum()


def heat(initial, kappa, steps):
    def step(u, _):
        inner = u[1:-1, 1:-1]
        around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        return u.at[1:-1, 1:-1].set(inner + kappa[1:-1, 1:-1] * (around - 4.0 * inner)), None

    return (jax.lax.scan(step, initial, length=steps)[0] ** 2).sum()


FUNCTIONS: dict[str, Callable] = {
    f.__name__: f for f in (lorenz, lennard_jones, log_sum_exp, kepler, heat)
}


def jax_gradient(name: str, inputs: tuple) -> Callable[[], Any]:
    """Return a call of the compiled gradient with respect to all floating-point arrays."""
    active = [i for i, x in enumerate(inputs) if isinstance(x, np.ndarray)]

    def of_active(*arrays):
        arguments = list(inputs)
        for i, x in zip(active, arrays, strict=True):
            arguments[i] = x
        return FUNCTIONS[name](*arguments)

    gradient = jax.jit(jax.grad(of_active, argnums=tuple(range(len(active)))))
    arrays = [jnp.asarray(inputs[i]) for i in active]
    return partial(_wait, gradient, arrays)


def _wait(gradient, arrays):
    return jax.block_until_ready(gradient(*arrays))
