"""The programs of `arrays` for JAX; see `benchmarks.jax_side`."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax


def around(u):
    return u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]


def heat(initial, kappa, steps):
    def step(u, _):
        inner = u[1:-1, 1:-1]
        new = inner + kappa[1:-1, 1:-1] * (around(u) - 4.0 * inner)
        return u.at[1:-1, 1:-1].set(new), None

    return (lax.scan(step, initial, length=steps)[0] ** 2).sum()


heat_slices = heat


def brusselator(u0, v0, a, b, steps):
    def bend(u):
        sides = jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1) + jnp.roll(u, -1, 1)
        return 10.0 * (sides - 4.0 * u)

    def step(state, _):
        u, v = state
        uuv = u * u * v
        new = u + 1e-3 * (b + uuv - (a + 1.0) * u + bend(u))
        return (new, v + 1e-3 * (a * u - uuv + bend(v))), None

    u, v = lax.scan(step, (u0, v0), length=steps)[0]
    return (u * u + v).sum()


def wave(initial, speed, steps):
    def step(state, _):
        old, now = state
        bend = now[2:] - 2.0 * now[1:-1] + now[:-2]
        return (now, now.at[1:-1].set(2.0 * now[1:-1] - old[1:-1] + speed[1:-1] ** 2 * bend)), None

    return (lax.scan(step, (initial, initial), length=steps)[0][1] ** 2).sum()


def burgers(initial, viscosity, steps, dt, dx):
    def step(u, _):
        left, right = (u[1:-1] - u[:-2]) / dx, (u[2:] - u[1:-1]) / dx
        slope = jnp.where(u[1:-1] > 0.0, left, right)
        return u.at[1:-1].add(-dt * u[1:-1] * slope + dt * viscosity[0] * (right - left) / dx), None

    return (lax.scan(step, initial, length=steps)[0] ** 2).sum() * dx


def shallow_water(height, steps, dt):
    def step(state, _):
        h, u, v = state
        u = u.at[1:-1, 1:-1].add(-0.5 * dt * 9.81 * (h[2:, 1:-1] - h[:-2, 1:-1]))
        v = v.at[1:-1, 1:-1].add(-0.5 * dt * 9.81 * (h[1:-1, 2:] - h[1:-1, :-2]))
        x, y = h * u, h * v
        out = x[2:, 1:-1] - x[:-2, 1:-1] + y[1:-1, 2:] - y[1:-1, :-2]
        return (h.at[1:-1, 1:-1].add(-0.5 * dt * out), u, v), None

    zero = jnp.zeros_like(height)
    h, u, v = lax.scan(step, (height, zero, zero), length=steps)[0]
    return ((h - 1.0) ** 2 + u**2 + v**2).sum()


def gray_scott(u0, v0, feed, kill, steps):
    feed, kill = feed[1:-1, 1:-1], kill[1:-1, 1:-1]

    def step(state, _):
        u, v = state
        x, y = u[1:-1, 1:-1], v[1:-1, 1:-1]
        eaten = x * y * y
        # As in the program, where x is a view: what is fed depends on the new x.
        x = x + 0.16 * (around(u) - 4.0 * x) - eaten + feed * (1.0 - x)
        y = y + 0.08 * (around(v) - 4.0 * y) + eaten - (feed + kill) * y
        return (u.at[1:-1, 1:-1].set(x), v.at[1:-1, 1:-1].set(y)), None

    return lax.scan(step, (u0, v0), length=steps)[0][1].sum()


def advection(initial, speed, steps):
    def step(u, _):
        flow = speed * u
        left, right = jnp.roll(u, 1), jnp.roll(u, -1)
        return u - 0.5 * (flow - jnp.roll(flow, 1)) + 0.1 * (right - 2.0 * u + left), None

    return (lax.scan(step, initial, length=steps)[0] ** 3).sum()


def total_variation(image, noisy):
    dx = image[1:, :-1] - image[:-1, :-1]
    dy = image[:-1, 1:] - image[:-1, :-1]
    return 0.1 * jnp.sqrt(dx * dx + dy * dy + 1e-6).sum() + 0.5 * ((image - noisy) ** 2).sum()


def convolution(image, kernel, target):
    out = lax.conv(image[None, None], kernel[None, None], (1, 1), "VALID")[0, 0]
    return ((out - target) ** 2).mean()


def corners(image):
    gx = 0.5 * (image[2:, 1:-1] - image[:-2, 1:-1])
    gy = 0.5 * (image[1:-1, 2:] - image[1:-1, :-2])
    xx, yy, xy = gx * gx, gy * gy, gx * gy
    sxx, syy, sxy = (a[:-2] + a[1:-1] + a[2:] for a in (xx, yy, xy))
    trace = sxx + syy
    return (sxx * syy - sxy * sxy - 0.05 * trace * trace).sum()


def pooling(image, weights):
    small = jnp.maximum(
        jnp.maximum(image[0::2, 0::2], image[0::2, 1::2]),
        jnp.maximum(image[1::2, 0::2], image[1::2, 1::2]),
    )
    return (weights * small**2).sum()


def standardise(x, scale, shift, target):
    centred = x - x.mean(0)
    out = scale * centred / jnp.sqrt((centred * centred).mean(0) + 1e-5) + shift
    return ((out - target) ** 2).sum()


def pairwise(x, y, width):
    squared = ((x[:, None, :] - y[None, :, :]) ** 2).sum(2)
    return jnp.exp(-squared / width[0]).sum()


def rank_one(a, u, v):
    def step(m, pair):
        return (m + jnp.outer(*pair)) * 0.99, None

    m = lax.scan(step, a, (u, v))[0]
    return (m * m).sum()


def huber(prediction, target, weights):
    miss = prediction - target
    loss = jnp.where(jnp.abs(miss) < 1.0, 0.5 * miss**2, jnp.abs(miss) - 0.5)
    return (weights * loss).sum() / weights.sum()


def portfolio(returns, weights):
    growth = jnp.cumsum(jnp.log1p(returns @ weights))
    return growth[-1] / len(growth) - 2.0 * jnp.var(jnp.diff(growth)) - 0.1 * growth.max()


def elementwise(x, a, b, c):
    return (jnp.exp(-a * x**2) * jnp.sin(b * x) + jnp.log1p(c**2 * x**2) / jnp.cosh(x)).sum()


def poisson(source, guess, sweeps):
    def sweep(u, _):
        return jnp.zeros_like(u).at[1:-1, 1:-1].set(0.25 * (around(u) + source[1:-1, 1:-1])), None

    u = lax.scan(sweep, guess, length=sweeps)[0]
    return jnp.abs(u).max() + (u * source).sum()
