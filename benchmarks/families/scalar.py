"""Scalar loops and differential equations, as plain numba functions."""

from __future__ import annotations

from math import cos, erf, exp, log, pi, sin, sqrt

import numpy as np
from numba import njit

from benchmarks.families import scalar_adjoints as hand
from benchmarks.program import Program

# ------------------------------------------------------------- Runge-Kutta with work arrays


@njit
def lorenz_slope(state, p, out):
    out[0] = p[0] * (state[1] - state[0])
    out[1] = state[0] * (p[1] - state[2]) - state[1]
    out[2] = state[0] * state[1] - p[2] * state[2]


@njit
def lorenz(initial, p, steps, dt):
    state = initial.copy()
    trial = np.empty(3)
    k1, k2, k3, k4 = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    total = 0.0
    for _ in range(steps):
        lorenz_slope(state, p, k1)
        for j in range(3):
            trial[j] = state[j] + 0.5 * dt * k1[j]
        lorenz_slope(trial, p, k2)
        for j in range(3):
            trial[j] = state[j] + 0.5 * dt * k2[j]
        lorenz_slope(trial, p, k3)
        for j in range(3):
            trial[j] = state[j] + dt * k3[j]
        lorenz_slope(trial, p, k4)
        for j in range(3):
            state[j] += dt / 6.0 * (k1[j] + 2.0 * k2[j] + 2.0 * k3[j] + k4[j])
        total += dt * state[2]
    return total


def lorenz_inputs(n):
    # Two time units: longer and chaos would make every gradient meaningless.
    return np.array([1.0, 0.5, 20.0]), np.array([10.0, 28.0, 8.0 / 3.0]), n, min(0.01, 2.0 / n)


# ------------------------------------------------------------- a loop with unknown trip count


@njit
def kepler(mean_anomaly, eccentricity):
    total = 0.0
    for i in range(mean_anomaly.shape[0]):
        m = mean_anomaly[i]
        e = eccentricity[i]
        anomaly = m
        change = 1.0
        while abs(change) > 1e-13:
            change = (anomaly - e * sin(anomaly) - m) / (1.0 - e * cos(anomaly))
            anomaly -= change
        total += anomaly * anomaly
    return total


def kepler_inputs(n):
    rng = np.random.default_rng(3)
    return rng.uniform(0.3, 3.0, n), rng.uniform(0.0, 0.7, n)


# ------------------------------------------------------------- Black-Scholes, a book of calls


@njit
def black_scholes(spot, strike, years, volatility, rate):
    total = 0.0
    for i in range(len(spot)):
        spread = volatility[i] * sqrt(years[i])
        drift = (rate + 0.5 * volatility[i] * volatility[i]) * years[i]
        d1 = (log(spot[i] / strike[i]) + drift) / spread
        d2 = d1 - spread
        value = spot[i] * 0.5 * (1.0 + erf(d1 / sqrt(2.0)))
        owed = strike[i] * exp(-rate * years[i]) * 0.5 * (1.0 + erf(d2 / sqrt(2.0)))
        total += value - owed
    return total


def black_scholes_inputs(n):
    rng = np.random.default_rng(10)
    spot, strike = rng.uniform(80, 120, n), rng.uniform(80, 120, n)
    return spot, strike, rng.uniform(0.1, 2.0, n), rng.uniform(0.1, 0.5, n), 0.02


# ------------------------------------------------------------- one polynomial at many points


@njit
def horner(coefficients, points):
    total = 0.0
    for i in range(len(points)):
        value = 0.0
        for k in range(len(coefficients) - 1, -1, -1):
            value = value * points[i] + coefficients[k]
        total += value * value
    return total


def horner_inputs(n):
    rng = np.random.default_rng(0)
    return rng.normal(size=16), rng.uniform(-1.0, 1.0, n)


# ------------------------------------------------------------- an iterated map per element


@njit
def logistic_map(rates, starts, rounds):
    total = 0.0
    for i in range(len(rates)):
        x = starts[i]
        for _ in range(rounds):
            x = rates[i] * x * (1.0 - x)
        total += x
    return total


def logistic_map_inputs(n):
    rng = np.random.default_rng(0)
    return rng.uniform(1.5, 3.2, n), rng.uniform(0.2, 0.8, n), 50


# ------------------------------------------------------------- Runge-Kutta with tuples


@njit
def van_der_pol_slope(x, v, mu):
    return v, mu * (1.0 - x * x) * v - x


@njit
def van_der_pol(start, mu, steps, dt):
    x, v = start[0], start[1]
    total = 0.0
    for _ in range(steps):
        a1, b1 = van_der_pol_slope(x, v, mu[0])
        a2, b2 = van_der_pol_slope(x + 0.5 * dt * a1, v + 0.5 * dt * b1, mu[0])
        a3, b3 = van_der_pol_slope(x + 0.5 * dt * a2, v + 0.5 * dt * b2, mu[0])
        a4, b4 = van_der_pol_slope(x + dt * a3, v + dt * b3, mu[0])
        x += dt / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
        v += dt / 6.0 * (b1 + 2.0 * b2 + 2.0 * b3 + b4)
        total += dt * x * x
    return total


def van_der_pol_inputs(n):
    return np.array([2.0, 0.1]), np.array([1.5]), n, min(0.01, 10.0 / n)


# ------------------------------------------------------------- planets, leapfrog


@njit
def n_body(positions, velocities, masses, steps, dt):
    x = positions.copy()
    v = velocities.copy()
    n = len(masses)
    force = np.zeros_like(x)
    for step in range(steps + 1):
        force[:] = 0.0
        for i in range(n):
            for j in range(i + 1, n):
                d = x[j] - x[i]
                r2 = d[0] ** 2 + d[1] ** 2 + d[2] ** 2 + 0.01
                pull = 1.0 / (r2 * sqrt(r2))
                for k in range(3):
                    force[i, k] += masses[j] * pull * d[k]
                    force[j, k] -= masses[i] * pull * d[k]
        half = 0.5 if step == 0 or step == steps else 1.0
        v += half * dt * force
        if step < steps:
            x += dt * v
    energy = 0.0
    for i in range(n):
        energy += 0.5 * masses[i] * (v[i, 0] ** 2 + v[i, 1] ** 2 + v[i, 2] ** 2)
    return energy


def n_body_inputs(n):
    rng = np.random.default_rng(0)
    return rng.normal(size=(8, 3)), 0.3 * rng.normal(size=(8, 3)), rng.uniform(0.5, 1, 8), n, 1e-3


# ------------------------------------------------------------- a double pendulum, midpoint rule


@njit
def pendulum_slope(a, b, p, q, m, length, g):
    d = a - b
    c, s = cos(d), sin(d)
    down = 1.0 + m * s * s
    dp = (
        m * g * sin(b) * c - m * s * (length * p * p * c + length * q * q) - (1.0 + m) * g * sin(a)
    ) / (length * down)
    dq = (
        (1.0 + m) * (length * p * p * s - g * sin(b) + g * sin(a) * c) + m * length * q * q * s * c
    ) / (length * down)
    return p, q, dp, dq


@njit
def double_pendulum(start, constants, steps, dt):
    a, b, p, q = start[0], start[1], start[2], start[3]
    m, length, g = constants[0], constants[1], constants[2]
    for _ in range(steps):
        s0, s1, s2, s3 = pendulum_slope(a, b, p, q, m, length, g)
        h = 0.5 * dt
        s0, s1, s2, s3 = pendulum_slope(
            a + h * s0, b + h * s1, p + h * s2, q + h * s3, m, length, g
        )
        a, b, p, q = a + dt * s0, b + dt * s1, p + dt * s2, q + dt * s3
    return sin(a) + cos(b) + 0.1 * p * q


def double_pendulum_inputs(n):
    return np.array([0.5, 0.3, 0.0, 0.1]), np.array([0.7, 1.1, 9.81]), n, min(0.01, 2.0 / n)


# ------------------------------------------------------------- fitting an equation to observations


@njit
def lotka_volterra(parameters, start, observed, per_year):
    alpha, beta, gamma, delta = parameters[0], parameters[1], parameters[2], parameters[3]
    prey, hunter = start[0], start[1]
    dt = 1.0 / per_year
    loss = 0.0
    for year in range(observed.shape[0]):
        for _ in range(per_year):
            mid_prey = prey + 0.5 * dt * (alpha * prey - beta * prey * hunter)
            mid_hunter = hunter + 0.5 * dt * (delta * prey * hunter - gamma * hunter)
            prey += dt * (alpha * mid_prey - beta * mid_prey * mid_hunter)
            hunter += dt * (delta * mid_prey * mid_hunter - gamma * mid_hunter)
        loss += (log(prey) - observed[year, 0]) ** 2 + (log(hunter) - observed[year, 1]) ** 2
    return loss


def lotka_volterra_inputs(n):
    rng = np.random.default_rng(0)
    return (
        np.array([0.55, 0.028, 0.84, 0.026]),
        np.array([33.0, 6.0]),
        rng.normal(3, 0.5, (21, 2)),
        n,
    )


# ------------------------------------------------------------- an epidemic with daily rates


@njit
def epidemic(contact, recovery, cases):
    susceptible, infected = 0.99, 0.01
    loss = 0.0
    for day in range(len(contact)):
        new = 0.0
        for _ in range(24):
            caught = contact[day] * susceptible * infected / 24.0
            healed = recovery[0] * infected / 24.0
            susceptible -= caught
            infected += caught - healed
            new += caught
        loss += (new - cases[day]) ** 2
    return loss


def epidemic_inputs(n):
    rng = np.random.default_rng(0)
    return rng.uniform(0.05, 0.3, n), np.array([0.1]), rng.uniform(0.0, 0.05, n)


# ------------------------------------------------------------- implicit Euler, Newton in each step


@njit
def stiff_decay(rates, start, steps, dt):
    y = start[0]
    total = 0.0
    for i in range(steps):
        old = y
        for _ in range(20):
            miss = y - old + dt * (rates[0] * y * y * y + rates[1] * y - sin(i * dt))
            slope = 1.0 + dt * (3.0 * rates[0] * y * y + rates[1])
            change = miss / slope
            y -= change
            if abs(change) < 1e-12:
                break
        total += dt * y * y
    return total


def stiff_decay_inputs(n):
    return np.array([50.0, 3.0]), np.array([1.0]), n, min(0.1, 5.0 / n)


# ------------------------------------------------------------- step sizes chosen by an error estimate


@njit
def adaptive_slope(t, x, v, p):
    return v, p[0] * cos(p[1] * t) - p[2] * v - x * x * x


@njit
def adaptive(start, p, end, tolerance):
    t, x, v = 0.0, start[0], start[1]
    h = 0.01
    while t < end:
        h = min(h, end - t)
        a1, b1 = adaptive_slope(t, x, v, p)
        a2, b2 = adaptive_slope(t + 0.5 * h, x + 0.5 * h * a1, v + 0.5 * h * b1, p)
        a3, b3 = adaptive_slope(t + 0.75 * h, x + 0.75 * h * a2, v + 0.75 * h * b2, p)
        nx = x + h * (2.0 * a1 + 3.0 * a2 + 4.0 * a3) / 9.0
        nv = v + h * (2.0 * b1 + 3.0 * b2 + 4.0 * b3) / 9.0
        a4, b4 = adaptive_slope(t + h, nx, nv, p)
        ex = h * (-5.0 * a1 / 72.0 + a2 / 12.0 + a3 / 9.0 - a4 / 8.0)
        ev = h * (-5.0 * b1 / 72.0 + b2 / 12.0 + b3 / 9.0 - b4 / 8.0)
        error = sqrt(ex * ex + ev * ev) / tolerance
        if error < 1.0:
            t, x, v = t + h, nx, nv
        h *= min(3.0, max(0.3, 0.9 * (error + 1e-10) ** (-1.0 / 3.0)))
    return x * x + v * v


def adaptive_inputs(n):
    return np.array([0.5, 0.0]), np.array([0.8, 1.1, 0.3]), 0.01 * n, 1e-8


# ------------------------------------------------------------- Simpson's rule for many integrands


@njit
def simpson(a, b, intervals):
    total = 0.0
    for i in range(len(a)):
        h = 2.0 / intervals
        s = 0.0
        for k in range(intervals + 1):
            t = k * h
            f = exp(-a[i] * t * t) * cos(b[i] * t)
            if k == 0 or k == intervals:
                s += f
            elif k % 2 == 1:
                s += 4.0 * f
            else:
                s += 2.0 * f
        total += log(1.0 + (s * h / 3.0) ** 2)
    return total


def simpson_inputs(n):
    rng = np.random.default_rng(0)
    return rng.uniform(0.5, 2.0, n), rng.uniform(0.0, 3.0, n), 100


# ------------------------------------------------------------- a filter's likelihood


@njit
def kalman(observations, p):
    mean, variance = 0.0, 1.0
    likelihood = 0.0
    for t in range(len(observations)):
        mean = p[0] * mean
        variance = p[0] * p[0] * variance + exp(p[1])
        spread = variance + exp(p[2])
        miss = observations[t] - mean
        gain = variance / spread
        mean += gain * miss
        variance *= 1.0 - gain
        likelihood -= 0.5 * (log(2.0 * pi * spread) + miss * miss / spread)
    return likelihood


def kalman_inputs(n):
    return np.random.default_rng(0).normal(size=n).cumsum() / 10.0, np.array([0.95, -1.0, -2.0])


# ------------------------------------------------------------- an Asian option over given paths


@njit
def asian_option(normals, spot, volatility, rate, strike):
    paths, days = normals.shape
    dt = 1.0 / days
    total = 0.0
    for i in range(paths):
        price = spot[0]
        mean = 0.0
        for t in range(days):
            drift = (rate - 0.5 * volatility[t] ** 2) * dt
            price *= exp(drift + volatility[t] * sqrt(dt) * normals[i, t])
            mean += price
        total += max(mean / days - strike, 0.0)
    return exp(-rate) * total / paths


def asian_option_inputs(n):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 64)), np.array([100.0]), rng.uniform(0.1, 0.4, 64), 0.02, 100.0


# ------------------------------------------------------------- a binomial tree, backwards in place


@njit
def american_put(spot, volatility, rate, strike, steps):
    dt = 1.0 / steps
    total = 0.0
    for k in range(len(spot)):
        up = exp(volatility[k] * sqrt(dt))
        chance = (exp(rate * dt) - 1.0 / up) / (up - 1.0 / up)
        discount = exp(-rate * dt)
        values = np.empty(steps + 1)
        for i in range(steps + 1):
            values[i] = max(strike - spot[k] * up ** (2 * i - steps), 0.0)
        for level in range(steps - 1, -1, -1):
            for i in range(level + 1):
                held = discount * (chance * values[i + 1] + (1.0 - chance) * values[i])
                values[i] = max(held, strike - spot[k] * up ** (2 * i - level))
        total += values[0]
    return total


def american_put_inputs(n):
    rng = np.random.default_rng(0)
    return rng.uniform(90, 110, 4), rng.uniform(0.15, 0.4, 4), 0.03, 100.0, n


# ------------------------------------------------------------- elliptic integrals by means of means


@njit
def elliptic(modulus):
    total = 0.0
    for i in range(len(modulus)):
        a, b = 1.0, sqrt(1.0 - modulus[i] * modulus[i])
        while abs(a - b) > 1e-14 * a:
            a, b = 0.5 * (a + b), sqrt(a * b)
        total += pi / (2.0 * a)
    return total


def elliptic_inputs(n):
    return (np.random.default_rng(0).uniform(0.1, 0.95, n),)


PROGRAMS = (
    Program(
        lorenz, lorenz_inputs, 10_000, 7, "RK4 with a state and work arrays", adjoint=hand.lorenz
    ),
    Program(
        kepler, kepler_inputs, 20_000, 5, "a Newton `while` loop per element", adjoint=hand.kepler
    ),
    Program(
        black_scholes,
        black_scholes_inputs,
        50_000,
        5,
        "a book of options",
        adjoint=hand.black_scholes,
    ),
    Program(horner, horner_inputs, 20_000, 6, "a polynomial at many points", adjoint=hand.horner),
    Program(
        logistic_map,
        logistic_map_inputs,
        5000,
        4,
        "50 rounds per element",
        adjoint=hand.logistic_map,
    ),
    Program(
        van_der_pol, van_der_pol_inputs, 20_000, 9, "RK4 with tuples", adjoint=hand.van_der_pol
    ),
    Program(n_body, n_body_inputs, 1000, 3, "eight bodies, leapfrog"),
    Program(double_pendulum, double_pendulum_inputs, 10_000, 5, "midpoint rule"),
    Program(lotka_volterra, lotka_volterra_inputs, 1000, 5, "a fit to observations"),
    Program(
        epidemic, epidemic_inputs, 3000, 4, "Euler, a rate for each day", adjoint=hand.epidemic
    ),
    Program(stiff_decay, stiff_decay_inputs, 10_000, 6, "implicit Euler, Newton with `break`"),
    Program(adaptive, adaptive_inputs, 5000, 20, "steps chosen by an error estimate"),
    Program(simpson, simpson_inputs, 500, 3, "a branch on the index", adjoint=hand.simpson),
    Program(kalman, kalman_inputs, 50_000, 6, "a filter's likelihood", adjoint=hand.kalman),
    Program(
        asian_option, asian_option_inputs, 2000, 4, "given random paths", adjoint=hand.asian_option
    ),
    Program(american_put, american_put_inputs, 200, 6, "a tree backwards in place", order=2),
    Program(elliptic, elliptic_inputs, 20_000, 4, "means until they agree", adjoint=hand.elliptic),
)
