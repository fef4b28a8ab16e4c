"""The programs of `irregular` for JAX; see `benchmarks.jax_side`.

There is no version of recursion, of lists and dictionaries, of an interpreter, and of steps chosen by need.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def lennard_jones(x, cutoff):
    d = x[:, None, :] - x[None, :, :]
    r2 = (d * d).sum(-1)
    near = (r2 < cutoff * cutoff) & ~jnp.eye(len(x), dtype=bool)
    s6 = 1.0 / jnp.where(near, r2, 1.0) ** 3
    return 0.5 * jnp.where(near, 4.0 * (s6 * s6 - s6), 0.0).sum()


def rows_of(begins, count):
    return jnp.searchsorted(begins, jnp.arange(count), side="right") - 1


def sparse_product(begins, columns, values, x, rounds):
    rows = rows_of(begins, len(columns))

    def step(_, y):
        return jax.ops.segment_sum(values * y[columns], rows, len(x), indices_are_sorted=True) + x

    y = lax.fori_loop(0, rounds, step, x)
    return (y * y).sum()


def sparse_gradients(begins, columns, values, b):
    rows = rows_of(begins, len(columns))

    def step(_, state):
        x, r, p, rr = state
        t = jax.ops.segment_sum(values * p[columns], rows, len(b), indices_are_sorted=True)
        q = p.at[columns].add(values * t[rows])
        alpha = rr / (p @ q)
        x, r = x + alpha * p, r - alpha * q
        new = r @ r
        return x, r, r + new / rr * p, new

    return lax.fori_loop(0, 8, step, (jnp.zeros_like(b), b, b, b @ b))[0] @ b


def bundle(cameras, points, seen, camera_of, point_of):
    c, p = cameras[camera_of], points[point_of]
    r = c[:, :3]
    angle = jnp.sqrt((r * r).sum(1, keepdims=True)) + 1e-12
    a = r / angle
    along = (a * p).sum(1, keepdims=True) * (1.0 - jnp.cos(angle))
    q = p * jnp.cos(angle) + jnp.cross(a, p) * jnp.sin(angle) + a * along + c[:, 3:6]
    u = -q[:, :2] / q[:, 2:]
    r2 = (u * u).sum(1)
    bent = 1.0 + r2 * (c[:, 7] + c[:, 8] * r2)
    return (((c[:, 6] * bent)[:, None] * u - seen) ** 2).sum()


def page_rank(source, target, weight, teleport):
    n = len(teleport)
    out = jnp.zeros(n).at[source].add(weight)
    jump = 0.15 * teleport / teleport.sum()

    def step(_, rank):
        return jump.at[target].add(0.85 * rank[source] * weight / out[source])

    rank = lax.fori_loop(0, 30, step, jnp.full(n, 1.0 / n))
    return (rank * rank).sum()


def messages(nodes, source, target, w_self, w_other, layers):
    h = nodes
    for _ in range(layers):
        h = jnp.tanh(h @ w_self + jnp.zeros_like(h).at[target].add(h[source]) @ w_other)
    return (h**2).sum()


def tree_bottom_up(parent, values, weights):
    def step(sums, i):
        return sums.at[parent[i]].add(weights[i] * jnp.sin(sums[i])), None

    return lax.scan(step, values, jnp.arange(len(parent) - 1, 0, -1))[0][0]


# Reverse mode keeps all the sums of each step: 3 GB at the size of the benchmark.
del tree_bottom_up


def fixed_point(w, b, start):
    x = lax.fori_loop(0, 40, lambda _, x: jnp.tanh(w @ x + b), start)
    return (x * x).sum()


def gini(income, weights):
    order = jnp.argsort(income)
    w = weights[order]
    share = jnp.cumsum(w * income[order])
    before = jnp.concatenate((jnp.zeros(1), share[:-1]))
    return 1.0 - (w * (before + share)).sum() / (w.sum() * share[-1])


def trimmed(x, cut):
    s = jnp.sort(x)
    return s[cut : len(s) - cut].mean() + 0.1 * jnp.median(x) + 0.01 * (s[-1] - s[0])


def table_lookup(knots, values, points):
    k = jnp.clip(jnp.searchsorted(knots, points) - 1, 0, len(knots) - 2)
    t = (points - knots[k]) / (knots[k + 1] - knots[k])
    return (((1.0 - t) * values[k] + t * values[k + 1]) ** 2).sum()


def spline(y, points):
    n = len(y)
    bends = jnp.concatenate((jnp.zeros(1), y[2:] - 2.0 * y[1:-1] + y[:-2]))[1:]

    def down(state, bend):
        p = 0.5 * state[0] + 2.0
        new = -0.5 / p, (3.0 * bend - 0.5 * state[1]) / p
        return new, new

    def up(after, row):
        new = row[0] * after + row[1]
        return new, new

    zero = jnp.zeros(())
    _, rows = lax.scan(down, (zero, zero), bends)
    inner = lax.scan(up, zero, rows, reverse=True)[1]
    second = jnp.concatenate((jnp.zeros(1), inner, jnp.zeros(1)))
    k = jnp.minimum(points.astype(int), n - 2)
    b = points - k
    a = 1.0 - b
    bent = (a**3 - a) * second[k] + (b**3 - b) * second[k + 1]
    return ((a * y[k] + b * y[k + 1] + bent / 6.0) ** 2).sum()


def segments(values, segment, count):
    powers = jnp.exp(values)
    sums = jax.ops.segment_sum(powers, segment, count, indices_are_sorted=True)
    return ((powers / sums[segment]) ** 2).sum()


def histogram(x, weights, target):
    place = x * (len(target) - 1)
    k = place.astype(int)
    part = place - k
    bins = jnp.zeros(len(target)).at[k].add(weights * (1.0 - part)).at[k + 1].add(weights * part)
    return ((bins / bins.sum() - target) ** 2).sum()


def warp(image, flow, target):
    rows, columns = image.shape
    i, j = np.mgrid[:rows, :columns]
    y = jnp.clip(i + flow[0], 0.0, rows - 1.001)
    x = jnp.clip(j + flow[1], 0.0, columns - 1.001)
    a, b = y.astype(int), x.astype(int)
    dy, dx = y - a, x - b
    top = (1.0 - dx) * image[a, b] + dx * image[a, b + 1]
    bottom = (1.0 - dx) * image[a + 1, b] + dx * image[a + 1, b + 1]
    return (((1.0 - dy) * top + dy * bottom - target) ** 2).sum()


def particles(x0, v0, charge, steps, cells):
    def step(state, _):
        x, v = state
        k = x.astype(int)
        part = x - k
        density = jnp.zeros(cells + 1).at[k].add(charge * (1.0 - part)).at[k + 1].add(charge * part)
        field = jnp.cumsum(density - density.mean())
        v = v + 0.01 * ((1.0 - part) * field[k] + part * field[k + 1])
        x = x + 0.1 * v
        return (jnp.where(x < 0.0, x + cells, jnp.where(x >= cells, x - cells, x)), v), None

    return (lax.scan(step, (x0, v0), length=steps)[0][1] ** 2).sum()


def alignment(scores, gap, a, b):
    def row(above, i):
        start = above[0] - gap[0]

        def cell(left, given):
            up, corner, s = given
            new = jnp.maximum(corner + s, jnp.maximum(up - gap[0], left - gap[0]))
            return new, new

        _, new = lax.scan(cell, start, (above[1:], above[:-1], scores[i, b]))
        return jnp.concatenate((start[None], new)), None

    return lax.scan(row, -gap[0] * jnp.arange(len(b) + 1), a)[0][-1]


def rotations(angles, axes, points):
    def step(pose, given):
        angle, i, point = given
        j = (i + 1) % 3
        c, s = jnp.cos(angle), jnp.sin(angle)
        turn = jnp.eye(3).at[i, i].set(c).at[j, j].set(c).at[i, j].set(-s).at[j, i].set(s)
        pose = pose @ turn
        where = pose @ point
        return pose, jnp.log(1.0 + where[0] ** 2) + where[1] * where[2]

    return lax.scan(step, jnp.eye(3), (angles, axes, points))[1].sum()
