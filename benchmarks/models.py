"""Larger programs: the models whose gradients people take most often, as plain numba functions."""

from __future__ import annotations

from math import cos, erf, exp, log, pi, sin, sqrt, tanh

import numpy as np
from numba import njit

from benchmarks.programs import Program

# ------------------------------------------------------------- a dense LSTM over 100 steps


@njit
def lstm(w, u, b, xs, initial):
    n = len(initial)
    h = initial.copy()
    c = np.zeros(n)
    z = np.zeros(4 * n)
    for t in range(xs.shape[0]):
        for i in range(4 * n):
            s = b[i]
            for j in range(xs.shape[1]):
                s += w[i, j] * xs[t, j]
            for j in range(n):
                s += u[i, j] * h[j]
            z[i] = s
        for i in range(n):
            forget = 1.0 / (1.0 + exp(-z[i]))
            enter = 1.0 / (1.0 + exp(-z[n + i]))
            leave = 1.0 / (1.0 + exp(-z[2 * n + i]))
            c[i] = forget * c[i] + enter * tanh(z[3 * n + i])
            h[i] = leave * tanh(c[i])
    total = 0.0
    for i in range(n):
        total += h[i] * h[i]
    return total


def lstm_inputs():
    rng = np.random.default_rng(5)
    n, m = 64, 32
    w, u = 0.1 * rng.normal(size=(4 * n, m)), 0.1 * rng.normal(size=(4 * n, n))
    return w, u, rng.normal(size=4 * n), rng.normal(size=(100, m)), np.zeros(n)


# ------------------------------------------------------------- Gaussian mixture, log likelihood


@njit
def gaussian_mixture(x, means, log_scales, weights):
    count, dimensions = x.shape
    parts = np.empty(means.shape[0])
    total = 0.0
    for i in range(count):
        largest = -1e300
        for j in range(means.shape[0]):
            q = 0.0
            for m in range(dimensions):
                v = (x[i, m] - means[j, m]) * exp(-log_scales[j, m])
                q += v * v + 2.0 * log_scales[j, m]
            parts[j] = weights[j] - 0.5 * q
            largest = max(largest, parts[j])
        s = 0.0
        for j in range(means.shape[0]):
            s += exp(parts[j] - largest)
        total += largest + log(s)
    return total


def gaussian_mixture_inputs():
    rng = np.random.default_rng(6)
    x, means = rng.normal(size=(2000, 8)), rng.normal(size=(10, 8))
    return x, means, 0.1 * rng.normal(size=(10, 8)), rng.normal(size=10)


# ------------------------------------------------------------- bundle adjustment, squared residuals


@njit
def bundle(cameras, points, seen, camera_of, point_of):
    total = 0.0
    for k in range(len(camera_of)):
        c, p = camera_of[k], point_of[k]
        x, y, z = points[p, 0], points[p, 1], points[p, 2]
        rx, ry, rz = cameras[c, 0], cameras[c, 1], cameras[c, 2]
        angle = sqrt(rx * rx + ry * ry + rz * rz) + 1e-12
        ax, ay, az = rx / angle, ry / angle, rz / angle
        cosine, sine = cos(angle), sin(angle)
        along = (ax * x + ay * y + az * z) * (1.0 - cosine)
        px = x * cosine + (ay * z - az * y) * sine + ax * along + cameras[c, 3]
        py = y * cosine + (az * x - ax * z) * sine + ay * along + cameras[c, 4]
        pz = z * cosine + (ax * y - ay * x) * sine + az * along + cameras[c, 5]
        u, v = -px / pz, -py / pz
        r2 = u * u + v * v
        distortion = 1.0 + r2 * (cameras[c, 7] + cameras[c, 8] * r2)
        du = cameras[c, 6] * distortion * u - seen[k, 0]
        dv = cameras[c, 6] * distortion * v - seen[k, 1]
        total += du * du + dv * dv
    return total


def bundle_inputs():
    rng = np.random.default_rng(7)
    cameras = 0.3 * np.abs(rng.normal(size=(50, 9))) + np.array([0, 0, 0, 0, 0, 5, 1, 0, 0])
    points, seen = rng.normal(size=(2000, 3)), rng.normal(size=(20_000, 2))
    return cameras, points, seen, rng.integers(0, 50, 20_000), rng.integers(0, 2000, 20_000)


# ------------------------------------------------------------- a loss of an in-place Fourier transform


@njit
def fourier(real, imaginary, target):
    re, im = real.copy(), imaginary.copy()
    n = len(re)
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j ^= bit
        if i < j:
            re[i], re[j] = re[j], re[i]
            im[i], im[j] = im[j], im[i]
    length = 2
    while length <= n:
        step = -2.0 * pi / length
        half = length // 2
        for start in range(0, n, length):
            for k in range(half):
                wr, wi = cos(step * k), sin(step * k)
                a, b = start + k, start + k + half
                tr = re[b] * wr - im[b] * wi
                ti = re[b] * wi + im[b] * wr
                re[b], im[b] = re[a] - tr, im[a] - ti
                re[a] += tr
                im[a] += ti
        length *= 2
    total = 0.0
    for i in range(n):
        miss = sqrt(re[i] * re[i] + im[i] * im[i]) - target[i]
        total += miss * miss
    return total


def fourier_inputs():
    rng = np.random.default_rng(8)
    return rng.normal(size=4096), rng.normal(size=4096), rng.uniform(size=4096)


# ------------------------------------------------------------- Brusselator, explicit Euler


@njit
def brusselator(u0, v0, a, b, steps):
    u, v = u0.copy(), v0.copy()
    new_u, new_v = np.empty_like(u), np.empty_like(v)
    n = u.shape[0]
    for _ in range(steps):
        for i in range(n):
            up, down = (i + 1) % n, (i - 1) % n
            for j in range(n):
                right, left = (j + 1) % n, (j - 1) % n
                lu = u[up, j] + u[down, j] + u[i, right] + u[i, left] - 4.0 * u[i, j]
                lv = v[up, j] + v[down, j] + v[i, right] + v[i, left] - 4.0 * v[i, j]
                uuv = u[i, j] * u[i, j] * v[i, j]
                new_u[i, j] = u[i, j] + 1e-3 * (b + uuv - (a + 1.0) * u[i, j] + 10.0 * lu)
                new_v[i, j] = v[i, j] + 1e-3 * (a * u[i, j] - uuv + 10.0 * lv)
        u, new_u = new_u, u
        v, new_v = new_v, v
    total = 0.0
    for i in range(n):
        for j in range(n):
            total += u[i, j] * u[i, j] + v[i, j]
    return total


def brusselator_inputs():
    rng = np.random.default_rng(9)
    return rng.uniform(size=(64, 64)), rng.uniform(size=(64, 64)), 3.4, 1.0, 50


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


def black_scholes_inputs():
    rng = np.random.default_rng(10)
    n = 100_000
    spot, strike = rng.uniform(80, 120, n), rng.uniform(80, 120, n)
    return spot, strike, rng.uniform(0.1, 2.0, n), rng.uniform(0.1, 0.5, n), 0.02


MODELS = {
    program.name: program
    for program in (
        Program("lstm", lstm, lstm_inputs, "64 units, 100 steps"),
        Program("gaussian_mixture", gaussian_mixture, gaussian_mixture_inputs, "10 components"),
        Program("bundle", bundle, bundle_inputs, "20,000 observations by 50 cameras"),
        Program("fourier", fourier, fourier_inputs, "radix 2, in place, 4096 points"),
        Program("brusselator", brusselator, brusselator_inputs, "periodic stencil, two species"),
        Program("black_scholes", black_scholes, black_scholes_inputs, "10^5 options"),
    )
}
