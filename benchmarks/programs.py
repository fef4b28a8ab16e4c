"""The programs: plain numba functions as people write them, and inputs for each.

Every function returns one float and leaves its arguments as they were, so it can be called again
and again on the same inputs.  All floating-point arrays are differentiated, everything else is
constant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import cos, exp, log, sin

import numpy as np
from numba import njit


@dataclass(frozen=True, slots=True)
class Program:
    """A function, its inputs and one line on what makes it interesting."""

    name: str
    function: Callable[..., float]
    make_inputs: Callable[[], tuple]
    about: str


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


def lorenz_inputs():
    # Two time units: longer and chaos would make every gradient meaningless.
    steps = 10_000
    return np.array([1.0, 0.5, 20.0]), np.array([10.0, 28.0, 8.0 / 3.0]), steps, 2.0 / steps


# ------------------------------------------------------------- a branch that is mostly not taken


@njit
def lennard_jones(x, cutoff):
    energy = 0.0
    for i in range(x.shape[0]):
        for j in range(i):
            r2 = 0.0
            for k in range(3):
                d = x[i, k] - x[j, k]
                r2 += d * d
            if r2 < cutoff * cutoff:
                s6 = 1.0 / (r2 * r2 * r2)
                energy += 4.0 * (s6 * s6 - s6)
    return energy


def lennard_jones_inputs():
    side = 9
    grid = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), axis=-1)
    jitter = np.random.default_rng(1).uniform(-0.1, 0.1, (side**3, 3))
    return 1.2 * grid.reshape(-1, 3) + jitter, 2.5


# ------------------------------------------------------------- transcendental, memory bound


@njit
def log_sum_exp(x):
    largest = x[0]
    for i in range(x.shape[0]):
        largest = max(largest, x[i])
    total = 0.0
    for i in range(x.shape[0]):
        total += exp(x[i] - largest)
    return largest + log(total)


def log_sum_exp_inputs():
    return (np.random.default_rng(2).normal(size=1_000_000),)


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


def kepler_inputs():
    rng = np.random.default_rng(3)
    return rng.uniform(0.3, 3.0, 50_000), rng.uniform(0.0, 0.7, 50_000)


# ------------------------------------------------------------- two buffers that change places


@njit
def heat(initial, kappa, steps):
    u = initial.copy()
    new = initial.copy()
    rows, columns = u.shape
    for _ in range(steps):
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
                new[i, j] = u[i, j] + kappa[i, j] * (around - 4.0 * u[i, j])
        u, new = new, u
    total = 0.0
    for i in range(rows):
        for j in range(columns):
            total += u[i, j] * u[i, j]
    return total


def heat_inputs():
    rng = np.random.default_rng(4)
    return rng.uniform(size=(128, 128)), rng.uniform(0.05, 0.2, (128, 128)), 100


PROGRAMS = {
    program.name: program
    for program in (
        Program("lorenz", lorenz, lorenz_inputs, "RK4, 10^4 steps, state and work arrays"),
        Program("lennard_jones", lennard_jones, lennard_jones_inputs, "pairs with a cut-off"),
        Program("log_sum_exp", log_sum_exp, log_sum_exp_inputs, "10^6 numbers"),
        Program("kepler", kepler, kepler_inputs, "a Newton `while` loop per element"),
        Program("heat", heat, heat_inputs, "stencil, double buffering by swapping"),
    )
}


# ------------------------------------------------------------- for the cost of a first call


@njit
def warm_up(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += sin(x[i]) * x[i]
    return total


@njit
def thirty_lines(x, w):
    """A two-layer network with a penalty, trained for a few steps: thirty lines of loops."""
    hidden = np.empty(w.shape[0])
    output = 0.0
    penalty = 0.0
    for i in range(w.shape[0]):
        s = 0.0
        for j in range(x.shape[0]):
            s += w[i, j] * x[j]
        if s > 0.0:
            hidden[i] = s
        else:
            hidden[i] = exp(s) - 1.0
    largest = hidden[0]
    for i in range(hidden.shape[0]):
        if hidden[i] > largest:
            largest = hidden[i]
    for i in range(hidden.shape[0]):
        output += exp(hidden[i] - largest)
    output = largest + log(output)
    for i in range(w.shape[0]):
        for j in range(w.shape[1]):
            penalty += w[i, j] * w[i, j]
    state = output
    step = 0
    while step < 10:
        state = state - 0.1 * (state - sin(state) * penalty)
        step += 1
    y = x.copy()
    for j in range(1, y.shape[0]):
        y[j] = 0.5 * (y[j] + y[j - 1])
    for j in range(y.shape[0]):
        state += y[j] * cos(y[j])
    return state + 0.01 * penalty


@njit
def square(x):
    return x * x
