"""The programs of `scalar` for JAX; see `benchmarks.jax_side`."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax


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

    return lax.scan(step, initial, length=steps)[1].sum()


def kepler(mean_anomaly, eccentricity):
    def newton(_, a):
        f = a - eccentricity * jnp.sin(a) - mean_anomaly
        return a - f / (1.0 - eccentricity * jnp.cos(a))

    a = lax.fori_loop(0, 10, newton, mean_anomaly)
    return (a * a).sum()


def black_scholes(spot, strike, years, volatility, rate):
    spread = volatility * jnp.sqrt(years)
    d1 = (jnp.log(spot / strike) + (rate + 0.5 * volatility**2) * years) / spread
    likely = jax.scipy.stats.norm.cdf
    owed = strike * jnp.exp(-rate * years) * likely(d1 - spread)
    return (spot * likely(d1) - owed).sum()


def horner(coefficients, points):
    return (jnp.polyval(coefficients[::-1], points) ** 2).sum()


def logistic_map(rates, starts, rounds):
    return lax.fori_loop(0, rounds, lambda _, x: rates * x * (1.0 - x), starts).sum()


def van_der_pol(start, mu, steps, dt):
    def slope(s):
        return jnp.array([s[1], mu[0] * (1.0 - s[0] * s[0]) * s[1] - s[0]])

    def step(s, _):
        k1 = slope(s)
        k2 = slope(s + 0.5 * dt * k1)
        k3 = slope(s + 0.5 * dt * k2)
        k4 = slope(s + dt * k3)
        s = s + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        return s, dt * s[0] ** 2

    return lax.scan(step, start, length=steps)[1].sum()


def n_body(positions, velocities, masses, steps, dt):
    def force(x):
        d = x[None, :, :] - x[:, None, :]
        r2 = (d * d).sum(-1) + 0.01
        return (masses[None, :, None] * d / (r2 * jnp.sqrt(r2))[:, :, None]).sum(1)

    def step(state, _):
        x, v = state
        v = v + 0.5 * dt * force(x)
        x = x + dt * v
        return (x, v + 0.5 * dt * force(x)), None

    (_, v), _ = lax.scan(step, (positions, velocities), length=steps)
    return 0.5 * (masses * (v**2).sum(1)).sum()


def double_pendulum(start, constants, steps, dt):
    m, length, g = constants

    def slope(state):
        a, b, p, q = state
        c, s = jnp.cos(a - b), jnp.sin(a - b)
        down = length * (1.0 + m * s * s)
        dp = m * g * jnp.sin(b) * c - m * s * (length * p * p * c + length * q * q)
        dp = dp - (1.0 + m) * g * jnp.sin(a)
        dq = (1.0 + m) * (length * p * p * s - g * jnp.sin(b) + g * jnp.sin(a) * c)
        return jnp.array([p, q, dp / down, (dq + m * length * q * q * s * c) / down])

    def step(s, _):
        return s + dt * slope(s + 0.5 * dt * slope(s)), None

    a, b, p, q = lax.scan(step, start, length=steps)[0]
    return jnp.sin(a) + jnp.cos(b) + 0.1 * p * q


def lotka_volterra(parameters, start, observed, per_year):
    alpha, beta, gamma, delta = parameters
    dt = 1.0 / per_year

    def slope(s):
        x, y = s
        return jnp.array([alpha * x - beta * x * y, delta * x * y - gamma * y])

    def step(s, _):
        return s + dt * slope(s + 0.5 * dt * slope(s)), None

    def year(s, seen):
        s = lax.scan(step, s, length=per_year)[0]
        return s, ((jnp.log(s) - seen) ** 2).sum()

    return lax.scan(year, start, observed)[1].sum()


def epidemic(contact, recovery, cases):
    def day(state, given):
        rate, seen = given

        def hour(_, state):
            s, i, new = state
            caught = rate * s * i / 24.0
            return s - caught, i + caught - recovery[0] * i / 24.0, new + caught

        s, i, new = lax.fori_loop(0, 24, hour, (*state, 0.0))
        return (s, i), (new - seen) ** 2

    return lax.scan(day, (0.99, 0.01), (contact, cases))[1].sum()


def stiff_decay(rates, start, steps, dt):
    def step(old, i):
        def newton(_, y):
            miss = y - old + dt * (rates[0] * y**3 + rates[1] * y - jnp.sin(i * dt))
            return y - miss / (1.0 + dt * (3.0 * rates[0] * y * y + rates[1]))

        y = lax.fori_loop(0, 5, newton, old)
        return y, dt * y * y

    return lax.scan(step, start[0], jnp.arange(steps))[1].sum()


def simpson(a, b, intervals):
    t = jnp.linspace(0.0, 2.0, intervals + 1)
    weights = jnp.ones(intervals + 1).at[1:-1:2].set(4.0).at[2:-1:2].set(2.0)
    f = jnp.exp(-a[:, None] * t * t) * jnp.cos(b[:, None] * t)
    return jnp.log(1.0 + (f @ weights * (2.0 / intervals) / 3.0) ** 2).sum()


def kalman(observations, p):
    def step(state, seen):
        mean, variance = p[0] * state[0], p[0] * p[0] * state[1] + jnp.exp(p[1])
        spread = variance + jnp.exp(p[2])
        miss, gain = seen - mean, variance / spread
        lost = 0.5 * (jnp.log(2.0 * jnp.pi * spread) + miss * miss / spread)
        return (mean + gain * miss, variance * (1.0 - gain)), lost

    return -lax.scan(step, (0.0, 1.0), observations)[1].sum()


def asian_option(normals, spot, volatility, rate, strike):
    dt = 1.0 / normals.shape[1]
    moves = (rate - 0.5 * volatility**2) * dt + volatility * jnp.sqrt(dt) * normals
    means = (spot[0] * jnp.exp(jnp.cumsum(moves, axis=1))).mean(1)
    return jnp.exp(-rate) * jnp.maximum(means - strike, 0.0).mean()


def american_put(spot, volatility, rate, strike, steps):
    dt = 1.0 / steps
    up = jnp.exp(volatility * jnp.sqrt(dt))[:, None]
    chance = (jnp.exp(rate * dt) - 1.0 / up) / (up - 1.0 / up)
    places = jnp.arange(steps + 1)

    def level(values, left):
        held = chance * jnp.roll(values, -1, axis=1) + (1.0 - chance) * values
        paid = strike - spot[:, None] * up ** (2 * places - left)
        return jnp.maximum(jnp.exp(-rate * dt) * held, paid), None

    values = jnp.maximum(strike - spot[:, None] * up ** (2 * places - steps), 0.0)
    return lax.scan(level, values, jnp.arange(steps - 1, -1, -1))[0][:, 0].sum()


def elliptic(modulus):
    def mean(_, pair):
        a, b = pair
        return 0.5 * (a + b), jnp.sqrt(a * b)

    a, _ = lax.fori_loop(0, 6, mean, (jnp.ones_like(modulus), jnp.sqrt(1.0 - modulus**2)))
    return (jnp.pi / (2.0 * a)).sum()
