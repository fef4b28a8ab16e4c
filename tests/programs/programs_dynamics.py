"""Time stepping, particles, grids: programs with state that is overwritten step by step."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from tests.programs.cases import program
from tests.programs.values import Held


@program(lambda rng: (0.7, 1.3, 20), single=True)
@njit
def euler_scalar(y, k, steps):
    h = 0.05
    for _ in range(steps):
        y = y + h * (-k * y + math.sin(y))
    return y


@njit
def _lotka(x, y, a, b):
    return a * x - b * x * y, b * x * y - 0.5 * y


@program(lambda rng: (1.0, 0.6, 1.1, 0.7, 12), single=True)
@njit
def rk4_tuples(x, y, a, b, steps):
    h = 0.1
    for _ in range(steps):
        k1, l1 = _lotka(x, y, a, b)
        k2, l2 = _lotka(x + h / 2 * k1, y + h / 2 * l1, a, b)
        k3, l3 = _lotka(x + h / 2 * k2, y + h / 2 * l2, a, b)
        k4, l4 = _lotka(x + h * k3, y + h * l3, a, b)
        x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        y += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
    return x * y


@njit
def _lorenz(u, du, s, r, b):
    du[0] = s * (u[1] - u[0])
    du[1] = u[0] * (r - u[2]) - u[1]
    du[2] = u[0] * u[1] - b * u[2]


@program(lambda rng: (np.array([1.0, 0.5, 0.8]), 10.0, 28.0, 8 / 3, 10))
@njit
def rk4_work_arrays(u, s, r, b, steps):
    h = 0.01
    k1, k2, k3, k4 = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    t = np.empty(3)
    for _ in range(steps):
        _lorenz(u, k1, s, r, b)
        for i in range(3):
            t[i] = u[i] + 0.5 * h * k1[i]
        _lorenz(t, k2, s, r, b)
        for i in range(3):
            t[i] = u[i] + 0.5 * h * k2[i]
        _lorenz(t, k3, s, r, b)
        for i in range(3):
            t[i] = u[i] + h * k3[i]
        _lorenz(t, k4, s, r, b)
        for i in range(3):
            u[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i])


@njit
def _oscillators(u, k):
    du = np.zeros_like(u)
    for i in range(len(u)):
        for j in range(len(u)):
            du[i] += k * math.sin(u[j] - u[i])
    return du


@program(lambda rng: (rng.standard_normal(4), 0.7, 5))
@njit
def rk4_array_expressions(u, k, steps):
    h = 0.1
    for _ in range(steps):
        k1 = _oscillators(u, k)
        k2 = _oscillators(u + h / 2 * k1, k)
        k3 = _oscillators(u + h / 2 * k2, k)
        k4 = _oscillators(u + h * k3, k)
        u = u + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return (u * u).sum()


@program(lambda rng: (1.0, 1.7))
@njit
def adaptive_step(y, k):
    t = 0.0
    h = 0.01
    while t < 1.0:
        if t + h > 1.0:
            h = 1.0 - t
        slope = -k * y
        full = y + h * slope
        half = y + h / 2 * slope
        two = half + h / 2 * (-k * half)
        error = abs(two - full)
        if error < 1e-3:
            t += h
            y = two
            if error < 1e-4:
                h *= 1.5
        else:
            h *= 0.5
    return y


@program(lambda rng: (0.9, 0.3), lambda rng: (2.4, 0.7))
@njit
def kepler(mean, eccentricity):
    e = mean
    for _ in range(50):
        step = (e - eccentricity * math.sin(e) - mean) / (1.0 - eccentricity * math.cos(e))
        e -= step
        if abs(step) < 1e-10:
            break
    return math.cos(e) - eccentricity


@program(lambda rng: (rng.uniform(0.1, 3.0, 6), 0.4))
@njit
def kepler_many(means, eccentricity):
    total = 0.0
    for i in range(len(means)):
        e = means[i]
        while abs(e - eccentricity * math.sin(e) - means[i]) > 1e-9:
            e -= (e - eccentricity * math.sin(e) - means[i]) / (1.0 - eccentricity * math.cos(e))
        total += math.sin(e) ** 2
    return total


@program(lambda rng: (2.0, 0.3))
@njit
def implicit_euler_newton(y, k):
    h = 0.1
    for _ in range(6):
        z = y
        for _ in range(8):
            f = z - y + h * k * z * z * z
            z -= f / (1.0 + 3.0 * h * k * z * z)
        y = z
    return y


@program(
    lambda rng: (
        3.0 * rng.standard_normal((4, 3)),
        rng.standard_normal((4, 3)),
        rng.uniform(0.5, 2, 4),
        4,
    )
)
@njit
def n_body(x, v, mass, steps):
    n = len(mass)
    dt = 0.01
    for _ in range(steps):
        for i in range(n):
            for j in range(n):
                if i != j:
                    r2 = 0.01
                    for k in range(3):
                        r2 += (x[j, k] - x[i, k]) ** 2
                    f = mass[j] / (r2 * math.sqrt(r2))
                    for k in range(3):
                        v[i, k] += dt * f * (x[j, k] - x[i, k])
        for i in range(n):
            for k in range(3):
                x[i, k] += dt * v[i, k]


def _particles(rng):
    grid = np.array([[i, j, k] for i in range(2) for j in range(2) for k in range(2)], float)
    return 1.1 * grid + 0.05 * rng.standard_normal(grid.shape), 1.0, 0.9


@program(_particles, single=True)
@njit
def lennard_jones(x, epsilon, sigma):
    energy = 0.0
    for i in range(x.shape[0]):
        for j in range(i):
            r2 = 0.0
            for k in range(3):
                r2 += (x[i, k] - x[j, k]) ** 2
            s6 = (sigma * sigma / r2) ** 3
            energy += 4.0 * epsilon * (s6 * s6 - s6)
    return energy


@program(_particles)
@njit
def lennard_jones_cutoff(x, epsilon, sigma):
    energy = 0.0
    for i in range(x.shape[0]):
        for j in range(i):
            dx, dy, dz = x[i, 0] - x[j, 0], x[i, 1] - x[j, 1], x[i, 2] - x[j, 2]
            r2 = dx * dx + dy * dy + dz * dz
            if r2 < 2.0:
                s6 = (sigma * sigma / r2) ** 3
                energy += 4.0 * epsilon * s6 * (s6 - 1.0)
    return energy


@program(lambda rng: (rng.standard_normal((4, 2)), rng.standard_normal((4, 2)), 1.0, 5))
@njit
def springs_verlet(x, v, k, steps):
    n = x.shape[0]
    force = np.zeros((n, 2))
    for _ in range(steps):
        force[:] = 0.0
        for i in range(n - 1):
            d = x[i + 1] - x[i]
            length = math.sqrt(d[0] ** 2 + d[1] ** 2)
            pull = k * (length - 1.0) / length * d
            force[i] += pull
            force[i + 1] -= pull
        v += 0.05 * force
        x += 0.05 * v
    return (v * v).sum() / 2


@program(lambda rng: (rng.standard_normal(9), 0.2, 6), single=True)
@njit
def heat_1d_double_buffer(u, alpha, steps):
    new = u.copy()
    for _ in range(steps):
        for i in range(1, len(u) - 1):
            new[i] = u[i] + alpha * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        u, new = new, u
    return (u * u).sum()


@program(lambda rng: (rng.standard_normal(9), 0.2, 6))
@njit
def heat_1d_in_place(u, alpha, steps):
    for _ in range(steps):
        left = u[0]
        for i in range(1, len(u) - 1):
            here = u[i]
            u[i] = here + alpha * (left - 2.0 * here + u[i + 1])
            left = here


@program(
    lambda rng: (rng.standard_normal((5, 6)), 0.1, 4),
    lambda rng: (rng.standard_normal((6, 5)).T, 0.1, 3),
)
@njit
def heat_2d(u, alpha, steps):
    for _ in range(steps):
        new = u.copy()
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                lap = u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4.0 * u[i, j]
                new[i, j] = u[i, j] + alpha * lap
        u[:, :] = new


@program(lambda rng: (rng.standard_normal((5, 5)), 4))
@njit
def gauss_seidel_stencil(u, sweeps):
    for _ in range(sweeps):
        for i in range(1, 4):
            for j in range(1, 4):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])


@program(lambda rng: (rng.standard_normal((4, 4, 4)), rng.uniform(0.5, 1, (4, 4, 4))))
@njit
def stencil_3d(u, k):
    s = 0.0
    for i in range(1, 3):
        for j in range(1, 3):
            for m in range(1, 3):
                flux = k[i, j, m] * (u[i + 1, j, m] + u[i, j - 1, m] - 2 * u[i, j, m + 1])
                s += flux * flux
    return s


@program(lambda rng: (1.0 + 0.2 * rng.uniform(size=8), 5))
@njit
def burgers_upwind(u, steps):
    for _ in range(steps):
        old = u.copy()
        for i in range(len(u)):
            if old[i] > 0.0:
                u[i] = old[i] - 0.1 * old[i] * (old[i] - old[i - 1])
            else:
                u[i] = old[i] - 0.1 * old[i] * (old[(i + 1) % len(u)] - old[i])


@program(lambda rng: (rng.standard_normal((4, 4)), rng.standard_normal((4, 4)), 3))
@njit
def reaction_diffusion(u, v, steps):
    for _ in range(steps):
        un = u.copy()
        vn = v.copy()
        for i in range(4):
            for j in range(4):
                lu = (
                    un[i - 1, j]
                    + un[(i + 1) % 4, j]
                    + un[i, j - 1]
                    + un[i, (j + 1) % 4]
                    - 4 * un[i, j]
                )
                lv = (
                    vn[i - 1, j]
                    + vn[(i + 1) % 4, j]
                    + vn[i, j - 1]
                    + vn[i, (j + 1) % 4]
                    - 4 * vn[i, j]
                )
                r = un[i, j] * un[i, j] * vn[i, j]
                u[i, j] = un[i, j] + 0.05 * (0.2 * lu + 1.0 + r - 3.0 * un[i, j])
                v[i, j] = vn[i, j] + 0.05 * (0.1 * lv + 2.0 * un[i, j] - r)


@program(lambda rng: (1.0, 0.2, 0.05, Held(rng.standard_normal(12))))
@njit
def random_walk(s, sigma, drift, noise):
    for i in range(len(noise)):
        s = s * math.exp((drift - 0.5 * sigma * sigma) * 0.1 + sigma * math.sqrt(0.1) * noise[i])
    return max(s - 0.9, 0.0)


@program(lambda rng: (rng.standard_normal(3), rng.standard_normal(3), 0.3))
@njit
def quaternion_rotation(axis, x, angle):
    n = math.sqrt(axis[0] ** 2 + axis[1] ** 2 + axis[2] ** 2)
    w, s = math.cos(angle / 2), math.sin(angle / 2) / n
    a, b, c = s * axis[0], s * axis[1], s * axis[2]
    t = np.empty(3)
    t[0] = 2 * (b * x[2] - c * x[1])
    t[1] = 2 * (c * x[0] - a * x[2])
    t[2] = 2 * (a * x[1] - b * x[0])
    return x[0] + w * t[0] + (b * t[2] - c * t[1]) + x[1] * t[2]


@program(lambda rng: (0.4, 1.0, 30))
@njit
def pendulum_trajectory(theta, length, steps):
    path = np.zeros((steps + 1, 2))
    path[0, 0] = theta
    for i in range(steps):
        path[i + 1, 1] = path[i, 1] - 0.05 * 9.81 / length * math.sin(path[i, 0])
        path[i + 1, 0] = path[i, 0] + 0.05 * path[i + 1, 1]
    s = 0.0
    for i in range(steps + 1):
        s += path[i, 0] ** 2
    return s


@program(lambda rng: (rng.standard_normal(5), rng.standard_normal((3, 5)), 0.4))
@njit
def leaky_integrator(state, signal, rate):
    for t in range(signal.shape[0]):
        for i in range(len(state)):
            state[i] = (1.0 - rate) * state[i] + rate * math.tanh(signal[t, i])
            if state[i] > 0.5:
                state[i] -= 0.5 * rate
    return state.sum()
