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

from math import cos, erf, exp, log, pi, sin, sqrt

import numpy as np
from numba import njit

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
def black_scholes(spot, d_spot, strike, d_strike, years, d_years, volatility, d_volatility, rate):
    total = 0.0
    density = 1.0 / sqrt(2.0 * pi)
    for i in range(len(spot)):
        s, k, t, sigma = spot[i], strike[i], years[i], volatility[i]
        root = sqrt(t)
        spread = sigma * root
        growth = rate + 0.5 * sigma * sigma
        d1 = (log(s / k) + growth * t) / spread
        d2 = d1 - spread
        likely1 = 0.5 * (1.0 + erf(d1 / sqrt(2.0)))
        likely2 = 0.5 * (1.0 + erf(d2 / sqrt(2.0)))
        discounted = k * exp(-rate * t)
        owed = discounted * likely2
        total += s * likely1 - owed

        d_d2 = -discounted * density * exp(-0.5 * d2 * d2)
        d_d1 = s * density * exp(-0.5 * d1 * d1) + d_d2
        d_top = d_d1 / spread
        d_spread = -d_d2 - d_top * d1
        d_spot[i] += likely1 + d_top / s
        d_strike[i] -= (owed + d_top) / k
        d_years[i] += rate * owed + d_top * growth + 0.5 * d_spread * sigma / root
        d_volatility[i] += d_top * t * sigma + d_spread * root
    return total


@njit
def horner(coefficients, d_coefficients, points, d_points):
    """The values of one point are stored."""
    degree = len(coefficients)
    tape = np.empty(degree)
    total = 0.0
    for i in range(len(points)):
        x = points[i]
        value = 0.0
        for k in range(degree - 1, -1, -1):
            tape[k] = value
            value = value * x + coefficients[k]
        total += value * value
        d_value = 2.0 * value
        d_x = 0.0
        for k in range(degree):
            d_coefficients[k] += d_value
            d_x += d_value * tape[k]
            d_value *= x
        d_points[i] += d_x
    return total


@njit
def logistic_map(rates, d_rates, starts, d_starts, rounds):
    tape = np.empty(rounds)
    total = 0.0
    for i in range(len(rates)):
        x, r = starts[i], rates[i]
        for k in range(rounds):
            tape[k] = x
            x = r * x * (1.0 - x)
        total += x
        d_x, d_r = 1.0, 0.0
        for k in range(rounds - 1, -1, -1):
            x = tape[k]
            d_r += d_x * x * (1.0 - x)
            d_x *= r * (1.0 - 2.0 * x)
        d_rates[i] += d_r
        d_starts[i] += d_x
    return total


@njit
def van_der_pol_slope(x, v, mu):
    return v, mu * (1.0 - x * x) * v - x


@njit
def van_der_pol_back(x, v, mu, da, db):
    """Adjoints of x, v and mu, for the adjoints of the slope."""
    bend = 1.0 - x * x
    return -(2.0 * mu * x * v + 1.0) * db, da + mu * bend * db, bend * v * db


@njit
def van_der_pol(start, d_start, mus, d_mus, steps, dt):
    """The state of each step is stored, the points inside are computed again."""
    tape = np.empty((steps, 2))
    x, v, mu = start[0], start[1], mus[0]
    h = 0.5 * dt
    total = 0.0
    for t in range(steps):
        tape[t, 0], tape[t, 1] = x, v
        a1, b1 = van_der_pol_slope(x, v, mu)
        a2, b2 = van_der_pol_slope(x + h * a1, v + h * b1, mu)
        a3, b3 = van_der_pol_slope(x + h * a2, v + h * b2, mu)
        a4, b4 = van_der_pol_slope(x + dt * a3, v + dt * b3, mu)
        x += dt / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
        v += dt / 6.0 * (b1 + 2.0 * b2 + 2.0 * b3 + b4)
        total += dt * x * x
    d_x, d_v, d_mu = 0.0, 0.0, 0.0
    for t in range(steps - 1, -1, -1):
        after = x
        x, v = tape[t, 0], tape[t, 1]
        d_x += 2.0 * dt * after
        a1, b1 = van_der_pol_slope(x, v, mu)
        x2, v2 = x + h * a1, v + h * b1
        a2, b2 = van_der_pol_slope(x2, v2, mu)
        x3, v3 = x + h * a2, v + h * b2
        a3, b3 = van_der_pol_slope(x3, v3, mu)
        x4, v4 = x + dt * a3, v + dt * b3
        p, q = dt / 6.0 * d_x, dt / 6.0 * d_v
        dx4, dv4, m4 = van_der_pol_back(x4, v4, mu, p, q)
        dx3, dv3, m3 = van_der_pol_back(x3, v3, mu, 2.0 * p + dt * dx4, 2.0 * q + dt * dv4)
        dx2, dv2, m2 = van_der_pol_back(x2, v2, mu, 2.0 * p + h * dx3, 2.0 * q + h * dv3)
        dx1, dv1, m1 = van_der_pol_back(x, v, mu, p + h * dx2, q + h * dv2)
        d_x += dx1 + dx2 + dx3 + dx4
        d_v += dv1 + dv2 + dv3 + dv4
        d_mu += m1 + m2 + m3 + m4
    d_start[0] += d_x
    d_start[1] += d_v
    d_mus[0] += d_mu
    return total


@njit
def epidemic(contact, d_contact, recovery, d_recovery, cases, d_cases):
    days = len(contact)
    tape = np.empty((days, 24, 2))
    off = np.empty(days)
    susceptible, infected = 0.99, 0.01
    loss = 0.0
    for day in range(days):
        new = 0.0
        for hour in range(24):
            tape[day, hour, 0], tape[day, hour, 1] = susceptible, infected
            caught = contact[day] * susceptible * infected / 24.0
            healed = recovery[0] * infected / 24.0
            susceptible -= caught
            infected += caught - healed
            new += caught
        off[day] = new - cases[day]
        loss += off[day] * off[day]
    d_s, d_i, d_r = 0.0, 0.0, 0.0
    for day in range(days - 1, -1, -1):
        d_new = 2.0 * off[day]
        d_cases[day] -= d_new
        rate, d_rate = contact[day] / 24.0, 0.0
        for hour in range(23, -1, -1):
            s, i = tape[day, hour, 0], tape[day, hour, 1]
            d_caught = d_new - d_s + d_i
            d_rate += d_caught * s * i
            d_s += d_caught * rate * i
            d_r -= d_i * i
            d_i += d_caught * rate * s - d_i * recovery[0] / 24.0
        d_contact[day] += d_rate / 24.0
    d_recovery[0] += d_r / 24.0
    return loss


@njit
def simpson(a, d_a, b, d_b, intervals):
    """The sums that the partials need are added up on the way forwards."""
    total = 0.0
    h = 2.0 / intervals
    for i in range(len(a)):
        s, in_a, in_b = 0.0, 0.0, 0.0
        for k in range(intervals + 1):
            t = k * h
            weight = 1.0 if k == 0 or k == intervals else 4.0 if k % 2 == 1 else 2.0
            power = weight * exp(-a[i] * t * t)
            f = power * cos(b[i] * t)
            s += f
            in_a -= t * t * f
            in_b -= t * power * sin(b[i] * t)
        area = s * h / 3.0
        total += log(1.0 + area * area)
        outer = 2.0 * area / (1.0 + area * area) * h / 3.0
        d_a[i] += outer * in_a
        d_b[i] += outer * in_b
    return total


@njit
def kalman(observations, d_observations, p, d_p):
    count = len(observations)
    tape = np.empty((count, 4))
    a, noise, blur = p[0], exp(p[1]), exp(p[2])
    mean, variance = 0.0, 1.0
    likelihood = 0.0
    for t in range(count):
        tape[t, 0], tape[t, 1] = mean, variance
        mean = a * mean
        variance = a * a * variance + noise
        tape[t, 3] = 1.0 / (variance + blur)
        miss = observations[t] - mean
        tape[t, 2] = miss
        gain = variance * tape[t, 3]
        mean += gain * miss
        variance *= 1.0 - gain
        likelihood -= 0.5 * (log(2.0 * pi / tape[t, 3]) + miss * miss * tape[t, 3])
    d_mean, d_variance, d_a, d_noise, d_blur = 0.0, 0.0, 0.0, 0.0, 0.0
    for t in range(count - 1, -1, -1):
        old_mean, old_variance, miss, per_spread = tape[t, 0], tape[t, 1], tape[t, 2], tape[t, 3]
        variance = a * a * old_variance + noise
        gain = variance * per_spread
        d_gain = d_mean * miss - d_variance * variance
        d_miss = d_mean * gain - miss * per_spread
        d_spread = -0.5 * per_spread * (1.0 - miss * miss * per_spread) - d_gain * gain * per_spread
        d_variance = d_variance * (1.0 - gain) + d_gain * per_spread + d_spread
        d_observations[t] += d_miss
        d_mean -= d_miss
        d_blur += d_spread
        d_noise += d_variance
        d_a += d_mean * old_mean + 2.0 * a * old_variance * d_variance
        d_mean *= a
        d_variance *= a * a
    d_p[0] += d_a
    d_p[1] += d_noise * noise
    d_p[2] += d_blur * blur
    return likelihood


@njit
def asian_option(normals, d_normals, spot, d_spot, volatility, d_volatility, rate, strike):
    """Backwards the sum of all later prices is carried; what no path pays for is left out."""
    paths, days = normals.shape
    dt = 1.0 / days
    root = sqrt(dt)
    tape = np.empty(days)
    total = 0.0
    scale = exp(-rate) / paths / days
    d_price = 0.0
    for i in range(paths):
        price = spot[0]
        mean = 0.0
        for t in range(days):
            drift = (rate - 0.5 * volatility[t] ** 2) * dt
            price *= exp(drift + volatility[t] * root * normals[i, t])
            tape[t] = price
            mean += price
        if mean / days > strike:
            total += mean / days - strike
            later = 0.0
            for t in range(days - 1, -1, -1):
                later += scale * tape[t]
                d_normals[i, t] += later * volatility[t] * root
                d_volatility[t] += later * (root * normals[i, t] - volatility[t] * dt)
            d_price += later
    d_spot[0] += d_price / spot[0]
    return exp(-rate) * total / paths


@njit
def elliptic(modulus, d_modulus):
    tape = np.empty((16, 3))
    total = 0.0
    for i in range(len(modulus)):
        a, b = 1.0, sqrt(1.0 - modulus[i] * modulus[i])
        first = b
        count = 0
        while abs(a - b) > 1e-14 * a:
            mean = sqrt(a * b)
            if count == tape.shape[0]:
                tape = np.concatenate((tape, np.empty_like(tape)))
            tape[count, 0], tape[count, 1], tape[count, 2] = a, b, mean
            a, b = 0.5 * (a + b), mean
            count += 1
        total += pi / (2.0 * a)
        d_a, d_b = -pi / (2.0 * a * a), 0.0
        for k in range(count - 1, -1, -1):
            outer = 0.5 * d_b / tape[k, 2]
            d_a, d_b = 0.5 * d_a + outer * tape[k, 1], 0.5 * d_a + outer * tape[k, 0]
        d_modulus[i] -= d_b * modulus[i] / first
    return total
