"""Gradients written by hand: what a gradient by the compiler has to stand up to.

Each function is the adjoint of the program of the same name.  Every floating-point array is
followed by its shadow, to which its part of the gradient is added; the value of the program is
returned.  The rules are those of the compiler:

* The program that was run is differentiated, not the mathematics behind it: Newton's iterations
  run backwards, no closed form replaces them.
* The forward sweep computes what the program computes, as often as the program does.  What the
  reverse sweep can use again is stored.  Where the program is a sum of independent items, each
  item is taken forwards and backwards at once, and nothing is stored.
* Plain `njit`, like the programs.
"""

from __future__ import annotations

from math import cos, exp, log, sin

import numpy as np
from numba import njit

from benchmarks import model_adjoints

# ------------------------------------------------------------- three numbers at a time, as tuples


@njit
def get(a, t, i):
    return a[t, i, 0], a[t, i, 1], a[t, i, 2]


@njit
def put(a, t, i, s):
    a[t, i, 0], a[t, i, 1], a[t, i, 2] = s


@njit
def ahead(a, h, b):
    """`a + h b`."""
    return a[0] + h * b[0], a[1] + h * b[1], a[2] + h * b[2]


@njit
def lorenz_slope(s, p):
    return p[0] * (s[1] - s[0]), s[0] * (p[1] - s[2]) - s[1], s[0] * s[1] - p[2] * s[2]


@njit
def lorenz_slope_back(s, p, k, dp):
    """The adjoint of the state and the new one of `p`, for the adjoint `k` of the slope."""
    ds = (
        (p[1] - s[2]) * k[1] - p[0] * k[0] + s[1] * k[2],
        p[0] * k[0] - k[1] + s[0] * k[2],
        -s[0] * k[1] - p[2] * k[2],
    )
    return ds, (dp[0] + (s[1] - s[0]) * k[0], dp[1] + s[0] * k[1], dp[2] - s[2] * k[2])


@njit
def lorenz(initial, d_initial, p, d_p, steps, dt):
    """All four points of each step are stored."""
    points = np.empty((steps, 4, 3))
    parameters = p[0], p[1], p[2]
    state = initial[0], initial[1], initial[2]
    total = 0.0
    for t in range(steps):
        k1 = lorenz_slope(state, parameters)
        second = ahead(state, 0.5 * dt, k1)
        k2 = lorenz_slope(second, parameters)
        third = ahead(state, 0.5 * dt, k2)
        k3 = lorenz_slope(third, parameters)
        fourth = ahead(state, dt, k3)
        k4 = lorenz_slope(fourth, parameters)
        put(points, t, 0, state)
        put(points, t, 1, second)
        put(points, t, 2, third)
        put(points, t, 3, fourth)
        slopes = ahead(ahead(ahead(k1, 2.0, k2), 2.0, k3), 1.0, k4)
        state = ahead(state, dt / 6.0, slopes)
        total += dt * state[2]
    zero = (0.0, 0.0, 0.0)
    d_state, dp = zero, zero
    for t in range(steps - 1, -1, -1):
        d_state = d_state[0], d_state[1], d_state[2] + dt
        outer, inner = ahead(zero, dt / 6.0, d_state), ahead(zero, dt / 3.0, d_state)
        d4, dp = lorenz_slope_back(get(points, t, 3), parameters, outer, dp)
        d_state = ahead(d_state, 1.0, d4)
        d3, dp = lorenz_slope_back(get(points, t, 2), parameters, ahead(inner, dt, d4), dp)
        d_state = ahead(d_state, 1.0, d3)
        d2, dp = lorenz_slope_back(get(points, t, 1), parameters, ahead(inner, 0.5 * dt, d3), dp)
        d_state = ahead(d_state, 1.0, d2)
        d1, dp = lorenz_slope_back(get(points, t, 0), parameters, ahead(outer, 0.5 * dt, d2), dp)
        d_state = ahead(d_state, 1.0, d1)
    for j in range(3):
        d_initial[j] += d_state[j]
        d_p[j] += dp[j]
    return total


# ------------------------------------------------------------- the others


@njit
def lennard_jones(x, d_x, cutoff):
    energy = 0.0
    for i in range(x.shape[0]):
        f0, f1, f2 = 0.0, 0.0, 0.0
        for j in range(i):
            d0, d1, d2 = x[i, 0] - x[j, 0], x[i, 1] - x[j, 1], x[i, 2] - x[j, 2]
            r2 = d0 * d0 + d1 * d1 + d2 * d2
            if r2 < cutoff * cutoff:
                s2 = 1.0 / r2
                s6 = 1.0 / (r2 * r2 * r2)
                energy += 4.0 * (s6 * s6 - s6)
                twice = -24.0 * (2.0 * s6 * s6 - s6) * s2
                f0 += twice * d0
                f1 += twice * d1
                f2 += twice * d2
                d_x[j, 0] -= twice * d0
                d_x[j, 1] -= twice * d1
                d_x[j, 2] -= twice * d2
        d_x[i, 0] += f0
        d_x[i, 1] += f1
        d_x[i, 2] += f2
    return energy


@njit
def log_sum_exp(x, d_x):
    """The exponentials are stored.

    The shift by the largest number changes the result by nothing but rounding: its adjoint is
    one minus the sum of the weights.
    """
    powers = np.empty_like(x)
    largest = x[0]
    for i in range(x.shape[0]):
        largest = max(largest, x[i])
    total = 0.0
    for i in range(x.shape[0]):
        powers[i] = exp(x[i] - largest)
        total += powers[i]
    scale = 1.0 / total
    for i in range(x.shape[0]):
        d_x[i] += powers[i] * scale
    return largest + log(total)


@njit
def kepler(mean_anomaly, d_mean_anomaly, eccentricity, d_eccentricity):
    """The iterations of one element are stored, which is a handful at a time."""
    tape = np.empty((16, 4))
    total = 0.0
    for i in range(mean_anomaly.shape[0]):
        m = mean_anomaly[i]
        e = eccentricity[i]
        anomaly = m
        change = 1.0
        count = 0
        while abs(change) > 1e-13:
            sine, cosine = sin(anomaly), cos(anomaly)
            slope = 1.0 - e * cosine
            change = (anomaly - e * sine - m) / slope
            anomaly -= change
            if count == tape.shape[0]:
                tape = np.concatenate((tape, np.empty_like(tape)))
            tape[count, 0], tape[count, 1] = sine, cosine
            tape[count, 2], tape[count, 3] = slope, change
            count += 1
        total += anomaly * anomaly
        d_anomaly = 2.0 * anomaly
        d_m, d_e = 0.0, 0.0
        for k in range(count - 1, -1, -1):
            sine, cosine, slope, change = tape[k, 0], tape[k, 1], tape[k, 2], tape[k, 3]
            per_slope = 1.0 / slope
            d_m += d_anomaly * per_slope
            d_e += d_anomaly * (sine - change * cosine) * per_slope
            d_anomaly *= change * e * sine * per_slope
        d_mean_anomaly[i] += d_m + d_anomaly
        d_eccentricity[i] += d_e
    return total


@njit
def heat(initial, d_initial, kappa, d_kappa, steps):
    """All time steps are stored; backwards each cell gathers from its neighbours."""
    rows, columns = initial.shape
    history = np.empty((steps + 1, rows, columns))
    for i in range(rows):
        for j in range(columns):
            history[0, i, j] = initial[i, j]
    for t in range(steps):
        u, new = history[t], history[t + 1]
        for j in range(columns):
            new[0, j], new[rows - 1, j] = u[0, j], u[rows - 1, j]
        for i in range(1, rows - 1):
            new[i, 0], new[i, columns - 1] = u[i, 0], u[i, columns - 1]
            for j in range(1, columns - 1):
                around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
                new[i, j] = u[i, j] + kappa[i, j] * (around - 4.0 * u[i, j])
    u = history[steps]
    d_u = np.empty((rows, columns))
    total = 0.0
    for i in range(rows):
        for j in range(columns):
            total += u[i, j] * u[i, j]
            d_u[i, j] = 2.0 * u[i, j]
    flow = np.zeros((rows, columns))  # kappa times d_u, and zero on the border
    for t in range(steps - 1, -1, -1):
        u = history[t]
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
                d_kappa[i, j] += d_u[i, j] * (around - 4.0 * u[i, j])
                flow[i, j] = d_u[i, j] * kappa[i, j]
        for j in range(1, columns - 1):
            d_u[0, j] += flow[1, j]
            d_u[rows - 1, j] += flow[rows - 2, j]
        for i in range(1, rows - 1):
            d_u[i, 0] += flow[i, 1]
            d_u[i, columns - 1] += flow[i, columns - 2]
            for j in range(1, columns - 1):
                around = flow[i - 1, j] + flow[i + 1, j] + flow[i, j - 1] + flow[i, j + 1]
                d_u[i, j] += around - 4.0 * flow[i, j]
    for i in range(rows):
        for j in range(columns):
            d_initial[i, j] += d_u[i, j]
    return total


ADJOINTS = {
    function.__name__: function for function in (lorenz, lennard_jones, log_sum_exp, kepler, heat)
} | model_adjoints.ADJOINTS
