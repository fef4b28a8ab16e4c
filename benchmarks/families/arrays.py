"""Stencils and array expressions, as people write them with NumPy."""

from __future__ import annotations

import numpy as np
from numba import njit

from benchmarks.families import arrays_adjoints as hand
from benchmarks.program import Program

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


def heat_inputs(n):
    rng = np.random.default_rng(4)
    return rng.uniform(size=(n, n)), rng.uniform(0.05, 0.2, (n, n)), 100 if n > 10 else 3


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


def brusselator_inputs(n):
    rng = np.random.default_rng(9)
    return rng.uniform(size=(n, n)), rng.uniform(size=(n, n)), 3.4, 1.0, 50 if n > 10 else 3


# ------------------------------------------------------------- the same equations with slices


@njit
def heat_slices(initial, kappa, steps):
    u = initial.copy()
    for _ in range(steps):
        around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        u[1:-1, 1:-1] += kappa[1:-1, 1:-1] * (around - 4.0 * u[1:-1, 1:-1])
    return (u * u).sum()


def heat_slices_inputs(n):
    rng = np.random.default_rng(4)
    return rng.uniform(size=(n, n)), rng.uniform(0.05, 0.2, (n, n)), 30 if n > 10 else 3


@njit
def wave(initial, speed, steps):
    old = initial.copy()
    now = initial.copy()
    for _ in range(steps):
        new = now.copy()
        new[1:-1] = (
            2.0 * now[1:-1] - old[1:-1] + speed[1:-1] ** 2 * (now[2:] - 2.0 * now[1:-1] + now[:-2])
        )
        old, now = now, new
    return np.sum(now**2)


def wave_inputs(n):
    x = np.linspace(0.0, 1.0, n)
    return np.exp(-100.0 * (x - 0.4) ** 2), 0.5 + 0.3 * np.sin(6.0 * x), 200 if n > 20 else 3


@njit
def burgers(initial, viscosity, steps, dt, dx):
    u = initial.copy()
    for _ in range(steps):
        left = (u[1:-1] - u[:-2]) / dx
        right = (u[2:] - u[1:-1]) / dx
        slope = np.where(u[1:-1] > 0.0, left, right)
        u[1:-1] = u[1:-1] - dt * u[1:-1] * slope + dt * viscosity[0] * (right - left) / dx
    return np.sum(u * u) * dx


def burgers_inputs(n):
    x = np.linspace(0.0, 1.0, n)
    dx = 1.0 / n
    return np.sin(2.0 * np.pi * x) + 0.1, np.array([dx]), 200 if n > 20 else 3, 0.2 * dx, dx


@njit
def shallow_water(height, steps, dt):
    h = height.copy()
    u = np.zeros_like(h)
    v = np.zeros_like(h)
    for _ in range(steps):
        u[1:-1, 1:-1] -= 0.5 * dt * 9.81 * (h[2:, 1:-1] - h[:-2, 1:-1])
        v[1:-1, 1:-1] -= 0.5 * dt * 9.81 * (h[1:-1, 2:] - h[1:-1, :-2])
        flow_x = h * u
        flow_y = h * v
        h[1:-1, 1:-1] -= (
            0.5 * dt * (flow_x[2:, 1:-1] - flow_x[:-2, 1:-1] + flow_y[1:-1, 2:] - flow_y[1:-1, :-2])
        )
    return ((h - 1.0) ** 2).sum() + (u**2 + v**2).sum()


def shallow_water_inputs(n):
    x = np.linspace(-1.0, 1.0, n)
    return (
        1.0 + 0.1 * np.exp(-10.0 * (x[:, None] ** 2 + x[None, :] ** 2)),
        20 if n > 10 else 3,
        0.02,
    )


@njit
def gray_scott(u0, v0, feed, kill, steps):
    u, v = u0.copy(), v0.copy()
    for _ in range(steps):
        lu = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * u[1:-1, 1:-1]
        lv = v[:-2, 1:-1] + v[2:, 1:-1] + v[1:-1, :-2] + v[1:-1, 2:] - 4.0 * v[1:-1, 1:-1]
        x, y = u[1:-1, 1:-1], v[1:-1, 1:-1]
        eaten = x * y * y
        x += 0.16 * lu - eaten + feed[1:-1, 1:-1] * (1.0 - x)
        y += 0.08 * lv + eaten - (feed[1:-1, 1:-1] + kill[1:-1, 1:-1]) * y
    return np.sum(v)


def gray_scott_inputs(n):
    rng = np.random.default_rng(0)
    fields = [rng.uniform(size=(n, n)) for _ in range(4)]
    return fields[0], 0.5 * fields[1], 0.05 * fields[2], 0.06 * fields[3], 20 if n > 10 else 3


@njit
def advection(initial, speed, steps):
    u = initial.copy()
    for _ in range(steps):
        flow = speed * u
        u = u - 0.5 * (flow - np.roll(flow, 1)) + 0.1 * (np.roll(u, -1) - 2.0 * u + np.roll(u, 1))
    return (u * u * u).sum()


def advection_inputs(n):
    rng = np.random.default_rng(0)
    return rng.uniform(size=n), rng.uniform(0.5, 1.0, n), 100 if n > 20 else 3


# ------------------------------------------------------------- images


@njit
def total_variation(image, noisy):
    dx = image[1:, :-1] - image[:-1, :-1]
    dy = image[:-1, 1:] - image[:-1, :-1]
    return 0.1 * np.sum(np.sqrt(dx * dx + dy * dy + 1e-6)) + 0.5 * np.sum((image - noisy) ** 2)


def images(n):
    rng = np.random.default_rng(0)
    return rng.uniform(size=(n, n)), rng.uniform(size=(n, n))


@njit
def convolution(image, kernel, target):
    m = kernel.shape[0]
    rows, columns = image.shape[0] - m + 1, image.shape[1] - m + 1
    out = np.zeros((rows, columns))
    for a in range(m):
        for b in range(m):
            out += kernel[a, b] * image[a : a + rows, b : b + columns]
    return ((out - target) ** 2).mean()


def convolution_inputs(n):
    rng = np.random.default_rng(0)
    return rng.uniform(size=(n + 4, n + 4)), rng.normal(size=(5, 5)), rng.uniform(size=(n, n))


@njit
def corners(image):
    gx = 0.5 * (image[2:, 1:-1] - image[:-2, 1:-1])
    gy = 0.5 * (image[1:-1, 2:] - image[1:-1, :-2])
    xx, yy, xy = gx * gx, gy * gy, gx * gy
    sxx = xx[:-2] + xx[1:-1] + xx[2:]
    syy = yy[:-2] + yy[1:-1] + yy[2:]
    sxy = xy[:-2] + xy[1:-1] + xy[2:]
    trace = sxx + syy
    return np.sum(sxx * syy - sxy * sxy - 0.05 * trace * trace)


@njit
def pooling(image, weights):
    rows, columns = image.shape[0] // 2, image.shape[1] // 2
    small = np.maximum(
        np.maximum(image[0::2, 0::2], image[0::2, 1::2]),
        np.maximum(image[1::2, 0::2], image[1::2, 1::2]),
    )
    total = 0.0
    for i in range(rows):
        for j in range(columns):
            total += weights[i, j] * small[i, j] ** 2
    return total


def pooling_inputs(n):
    rng = np.random.default_rng(0)
    return rng.uniform(size=(2 * n, 2 * n)), rng.uniform(size=(n, n))


# ------------------------------------------------------------- reductions and broadcasting


@njit
def standardise(x, scale, shift, target):
    mean = x.sum(axis=0) / x.shape[0]
    centred = x - mean
    variance = (centred * centred).sum(axis=0) / x.shape[0]
    out = scale * centred / np.sqrt(variance + 1e-5) + shift
    return ((out - target) ** 2).sum()


def standardise_inputs(n):
    rng = np.random.default_rng(0)
    return (
        rng.normal(size=(n, 32)),
        rng.uniform(0.5, 1.5, 32),
        rng.normal(size=32),
        rng.normal(size=(n, 32)),
    )


@njit
def pairwise(x, y, width):
    squared = ((x[:, None, :] - y[None, :, :]) ** 2).sum(axis=2)
    return np.exp(-squared / width[0]).sum()


def pairwise_inputs(n):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 3)), rng.normal(size=(n, 3)), np.array([2.0])


@njit
def rank_one(a, u, v):
    m = a.copy()
    for k in range(u.shape[0]):
        m += np.outer(u[k], v[k])
        m *= 0.99
    return (m * m).sum()


def rank_one_inputs(n):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, n)), 0.1 * rng.normal(size=(20, n)), 0.1 * rng.normal(size=(20, n))


@njit
def huber(prediction, target, weights):
    miss = prediction - target
    loss = np.where(np.abs(miss) < 1.0, 0.5 * miss**2, np.abs(miss) - 0.5)
    return np.sum(weights * loss) / np.sum(weights)


def huber_inputs(n):
    rng = np.random.default_rng(0)
    return rng.normal(size=n), rng.normal(size=n), rng.uniform(0.5, 1.0, n)


@njit
def portfolio(returns, weights):
    growth = np.cumsum(np.log1p(returns @ weights))
    mean = growth[-1] / len(growth)
    moves = np.diff(growth)
    return mean - 2.0 * np.var(moves) - 0.1 * np.max(growth)


def portfolio_inputs(n):
    rng = np.random.default_rng(0)
    return 0.01 * rng.normal(size=(n, 10)), rng.dirichlet(np.ones(10))


@njit
def elementwise(x, a, b, c):
    return np.sum(np.exp(-a * x**2) * np.sin(b * x) + np.log1p(c**2 * x**2) / np.cosh(x))


def elementwise_inputs(n):
    rng = np.random.default_rng(0)
    return rng.normal(size=n), rng.uniform(0.5, 1.0, n), rng.normal(size=n), rng.normal(size=n)


@njit
def poisson(source, guess, sweeps):
    u = guess.copy()
    for _ in range(sweeps):
        new = np.zeros_like(u)
        new[1:-1, 1:-1] = 0.25 * (
            u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] + source[1:-1, 1:-1]
        )
        u = new
    return np.abs(u).max() + (u * source).sum()


def poisson_inputs(n):
    return *images(n), 30 if n > 10 else 3


PROGRAMS = (
    Program(
        heat, heat_inputs, 128, 5, "loops, two buffers that are swapped", order=2, adjoint=hand.heat
    ),
    Program(
        brusselator,
        brusselator_inputs,
        64,
        4,
        "loops, periodic, two species",
        order=2,
        adjoint=hand.brusselator,
    ),
    Program(
        heat_slices,
        heat_slices_inputs,
        128,
        5,
        "shifted slices, in place",
        order=2,
        adjoint=hand.heat_slices,
    ),
    Program(
        wave, wave_inputs, 2000, 7, "shifted slices, a new array for each step", adjoint=hand.wave
    ),
    Program(burgers, burgers_inputs, 1000, 7, "upwind by `np.where`"),
    Program(shallow_water, shallow_water_inputs, 64, 5, "three fields with slices", order=2),
    Program(gray_scott, gray_scott_inputs, 64, 5, "views that are updated in place", order=2),
    Program(advection, advection_inputs, 2000, 7, "`np.roll`"),
    Program(
        total_variation,
        images,
        256,
        5,
        "differences of neighbours",
        order=2,
        adjoint=hand.total_variation,
    ),
    Program(
        convolution,
        convolution_inputs,
        128,
        4,
        "a sum of shifted slices",
        order=2,
        adjoint=hand.convolution,
    ),
    Program(corners, lambda n: images(n)[:1], 256, 8, "sums of products of slopes", order=2),
    Program(pooling, pooling_inputs, 200, 3, "`np.maximum` of strided slices", order=2),
    Program(
        standardise, standardise_inputs, 2000, 5, "sums along an axis", adjoint=hand.standardise
    ),
    Program(
        pairwise,
        pairwise_inputs,
        200,
        4,
        "broadcasting with `None`",
        order=2,
        adjoint=hand.pairwise,
    ),
    Program(rank_one, rank_one_inputs, 128, 4, "outer products", order=2),
    Program(huber, huber_inputs, 100_000, 6, "`np.where` and `np.abs`", adjoint=hand.huber),
    Program(portfolio, portfolio_inputs, 20_000, 6, "`cumsum`, `diff`, `var`, `max`"),
    Program(
        elementwise, elementwise_inputs, 30_000, 6, "one long expression", adjoint=hand.elementwise
    ),
    Program(poisson, poisson_inputs, 128, 5, "Jacobi sweeps, a new array for each", order=2),
)
