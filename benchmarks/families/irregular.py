"""Irregular code: sparse rows, trees, loops until convergence, sorting, tables, lists, recursion."""

from __future__ import annotations

from math import cos, exp, log, sin, sqrt, tanh

import numpy as np
from numba import njit, typed, types

from benchmarks.families import irregular_adjoints as hand
from benchmarks.program import Program

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


def lennard_jones_inputs(n):
    grid = np.stack(np.meshgrid(*[np.arange(n)] * 3, indexing="ij"), axis=-1)
    jitter = np.random.default_rng(1).uniform(-0.1, 0.1, (n**3, 3))
    return 1.2 * grid.reshape(-1, 3) + jitter, 2.5


# ------------------------------------------------------------- sparse rows


def sparse(n, per_row=8):
    """Rows of a sparse matrix in compressed form: where they begin, columns, values."""
    rng = np.random.default_rng(0)
    counts = rng.integers(1, 2 * per_row, n)
    begins = np.concatenate(([0], np.cumsum(counts)))
    return begins, rng.integers(0, n, begins[-1]), rng.uniform(-0.1, 0.1, begins[-1])


@njit
def sparse_product(begins, columns, values, x, rounds):
    y = x.copy()
    for _ in range(rounds):
        new = np.zeros_like(y)
        for i in range(len(begins) - 1):
            for k in range(begins[i], begins[i + 1]):
                new[i] += values[k] * y[columns[k]]
        y = new + x
    return (y * y).sum()


@njit
def sparse_gradients(begins, columns, values, b):
    n = len(b)
    x = np.zeros(n)
    r = b.copy()
    p = b.copy()
    rr = np.dot(r, r)
    q = np.empty(n)
    t = np.empty(n)
    for _ in range(200):
        if rr < 1e-20:
            break
        # (I + A^T A) p
        t[:] = 0.0
        q[:] = p
        for i in range(n):
            for k in range(begins[i], begins[i + 1]):
                t[i] += values[k] * p[columns[k]]
        for i in range(n):
            for k in range(begins[i], begins[i + 1]):
                q[columns[k]] += values[k] * t[i]
        alpha = rr / np.dot(p, q)
        x += alpha * p
        r -= alpha * q
        new = np.dot(r, r)
        p[:] = r + new / rr * p
        rr = new
    return np.dot(x, b)


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


def bundle_inputs(n):
    rng = np.random.default_rng(7)
    cameras = 0.3 * np.abs(rng.normal(size=(50, 9))) + np.array([0, 0, 0, 0, 0, 5, 1, 0, 0])
    points, seen = rng.normal(size=(2000, 3)), rng.normal(size=(n, 2))
    return cameras, points, seen, rng.integers(0, 50, n), rng.integers(0, 2000, n)


# ------------------------------------------------------------- graphs


@njit
def page_rank(source, target, weight, teleport):
    n = len(teleport)
    out = np.zeros(n)
    for e in range(len(source)):
        out[source[e]] += weight[e]
    jump = 0.15 * teleport / teleport.sum()
    rank = np.full(n, 1.0 / n)
    change = 1.0
    while change > 1e-10:
        new = jump.copy()
        for e in range(len(source)):
            new[target[e]] += 0.85 * rank[source[e]] * weight[e] / out[source[e]]
        change = np.abs(new - rank).sum()
        rank = new
    return (rank * rank).sum()


def page_rank_inputs(n):
    rng = np.random.default_rng(0)
    source = np.concatenate((np.arange(n), rng.integers(0, n, 4 * n)))
    return source, rng.integers(0, n, 5 * n), rng.uniform(0.5, 1, 5 * n), rng.dirichlet(np.ones(n))


@njit
def messages(nodes, source, target, w_self, w_other, layers):
    h = nodes.copy()
    for _ in range(layers):
        gathered = np.zeros_like(h)
        for e in range(len(source)):
            gathered[target[e]] += h[source[e]]
        h = np.tanh(h @ w_self + gathered @ w_other)
    return (h**2).sum()


def messages_inputs(n):
    rng = np.random.default_rng(0)
    w = 0.3 * rng.normal(size=(2, 8, 8))
    return (
        rng.normal(size=(n, 8)),
        rng.integers(0, n, 4 * n),
        rng.integers(0, n, 4 * n),
        w[0],
        w[1],
        3,
    )


@njit
def shortest_paths(source, target, lengths, n):
    distance = np.full(n, np.inf)
    distance[0] = 0.0
    changed = True
    while changed:
        changed = False
        for e in range(len(source)):
            d = distance[source[e]] + lengths[e]
            if d < distance[target[e]]:
                distance[target[e]] = d
                changed = True
    total = 0.0
    for i in range(n):
        if distance[i] < np.inf:
            total += distance[i]
    return total


def shortest_paths_inputs(n):
    rng = np.random.default_rng(0)
    return rng.integers(0, n, 5 * n), rng.integers(0, n, 5 * n), rng.uniform(0.1, 1.0, 5 * n), n


# ------------------------------------------------------------- trees and recursion


@njit
def tree_value(node, left, right, values, mix):
    if left[node] < 0:
        return values[node]
    a = tree_value(left[node], left, right, values, mix)
    b = tree_value(right[node], left, right, values, mix)
    return tanh(mix[0] * a + mix[1] * b + values[node])


@njit
def tree(left, right, values, mix):
    return tree_value(0, left, right, values, mix)


def tree_inputs(n):
    """A heap: the children of node i are 2 i + 1 and 2 i + 2."""
    children = np.arange(n) * 2 + 1
    inner = children + 1 < n
    values = np.random.default_rng(0).normal(size=n)
    return (
        np.where(inner, children, -1),
        np.where(inner, children + 1, -1),
        values,
        np.array([0.6, 0.7]),
    )


@njit
def tree_bottom_up(parent, values, weights):
    sums = values.copy()
    for i in range(len(parent) - 1, 0, -1):
        sums[parent[i]] += weights[i] * sin(sums[i])
    return sums[0]


def tree_bottom_up_inputs(n):
    rng = np.random.default_rng(0)
    parent = np.array([0] + [rng.integers(max(0, i - 10), i) for i in range(1, n)])
    return parent, rng.normal(size=n), rng.uniform(0.2, 0.8, n)


@njit
def integrand(t, p):
    return exp(-p[0] * t) * sin(p[1] / (t + 0.05))


@njit
def adaptive_simpson(a, b, fa, fm, fb, whole, tolerance, p):
    m = 0.5 * (a + b)
    fl, fr = integrand(0.5 * (a + m), p), integrand(0.5 * (m + b), p)
    left = (m - a) / 6.0 * (fa + 4.0 * fl + fm)
    right = (b - m) / 6.0 * (fm + 4.0 * fr + fb)
    if abs(left + right - whole) < 15.0 * tolerance:
        return left + right + (left + right - whole) / 15.0
    return adaptive_simpson(a, m, fa, fl, fm, left, 0.5 * tolerance, p) + adaptive_simpson(
        m, b, fm, fr, fb, right, 0.5 * tolerance, p
    )


@njit
def quadrature(p, tolerance):
    fa, fm, fb = integrand(0.0, p), integrand(1.0, p), integrand(2.0, p)
    whole = (fa + 4.0 * fm + fb) / 3.0
    return adaptive_simpson(0.0, 2.0, fa, fm, fb, whole, tolerance, p)


# ------------------------------------------------------------- until convergence


@njit
def fixed_point(w, b, start):
    x = start.copy()
    change = 1.0
    while change > 1e-12:
        new = np.tanh(w @ x + b)
        change = np.max(np.abs(new - x))
        x = new
    return np.sum(x * x)


def fixed_point_inputs(n):
    rng = np.random.default_rng(0)
    return 0.5 / sqrt(n) * rng.normal(size=(n, n)), rng.normal(size=n), np.zeros(n)


@njit
def secant(a, b):
    total = 0.0
    for i in range(len(a)):
        x0, x1 = 4.0, 3.8
        f0 = exp(x0) - a[i] * x0 - b[i]
        f1 = exp(x1) - a[i] * x1 - b[i]
        steps = 0
        while abs(f1) > 1e-10 and steps < 50:
            x0, x1 = x1, x1 - f1 * (x1 - x0) / (f1 - f0)
            f0, f1 = f1, exp(x1) - a[i] * x1 - b[i]
            steps += 1
        total += x1 * x1
    return total


@njit
def sphere_tracing(spheres, radii, width):
    shade = 0.0
    for i in range(width):
        for j in range(width):
            x, y, z = (i + 0.5) / width - 0.5, (j + 0.5) / width - 0.5, 1.0
            n = sqrt(x * x + y * y + z * z)
            x, y, z = x / n, y / n, z / n
            t = 0.0
            for _ in range(100):
                nearest = 10.0
                for k in range(len(radii)):
                    dx, dy, dz = t * x - spheres[k, 0], t * y - spheres[k, 1], t * z - spheres[k, 2]
                    nearest = min(nearest, sqrt(dx * dx + dy * dy + dz * dz) - radii[k])
                if nearest < 1e-10 or t > 10.0:
                    break
                t += nearest
            if t < 10.0:
                shade += exp(-0.3 * t)
    return shade / (width * width)


def sphere_tracing_inputs(n):
    rng = np.random.default_rng(0)
    return rng.uniform(-0.5, 0.5, (5, 3)) + np.array([0, 0, 3.0]), rng.uniform(0.2, 0.4, 5), n


# ------------------------------------------------------------- sorting, tables, segments


@njit
def gini(income, weights):
    order = np.argsort(income)
    total, share, area = 0.0, 0.0, 0.0
    for i in order:
        before = share
        total += weights[i]
        share += weights[i] * income[i]
        area += 0.5 * weights[i] * (before + share)
    return 1.0 - 2.0 * area / (total * share)


@njit
def trimmed(x, cut):
    s = np.sort(x)
    middle = s[cut : len(s) - cut]
    return middle.mean() + 0.1 * np.median(x) + 0.01 * (s[-1] - s[0])


@njit
def table_lookup(knots, values, points):
    total = 0.0
    for i in range(len(points)):
        k = np.searchsorted(knots, points[i]) - 1
        k = max(0, min(k, len(knots) - 2))
        t = (points[i] - knots[k]) / (knots[k + 1] - knots[k])
        y = (1.0 - t) * values[k] + t * values[k + 1]
        total += y * y
    return total


def table_inputs(n):
    rng = np.random.default_rng(0)
    return np.sort(rng.uniform(0, 1, 64)), rng.normal(size=64), rng.uniform(0.05, 0.95, n)


@njit
def spline(y, points):
    n = len(y)
    second = np.zeros(n)
    scratch = np.zeros(n)
    for i in range(1, n - 1):
        p = 0.5 * second[i - 1] + 2.0
        second[i] = -0.5 / p
        bend = y[i + 1] - 2.0 * y[i] + y[i - 1]
        scratch[i] = (3.0 * bend - 0.5 * scratch[i - 1]) / p
    second[n - 1] = 0.0
    for i in range(n - 2, -1, -1):
        second[i] = second[i] * second[i + 1] + scratch[i]
    total = 0.0
    for q in points:
        k = min(int(q), n - 2)
        b = q - k
        a = 1.0 - b
        bent = (a * a * a - a) * second[k] + (b * b * b - b) * second[k + 1]
        total += (a * y[k] + b * y[k + 1] + bent / 6.0) ** 2
    return total


def spline_inputs(n):
    rng = np.random.default_rng(0)
    return rng.normal(size=max(n // 10, 4)), rng.uniform(0.1, max(n // 10, 4) - 1.1, n)


@njit
def segments(values, segment, count):
    sums = np.zeros(count)
    for i in range(len(values)):
        sums[segment[i]] += exp(values[i])
    total = 0.0
    for i in range(len(values)):
        total += (exp(values[i]) / sums[segment[i]]) ** 2
    return total


def segments_inputs(n):
    rng = np.random.default_rng(0)
    return rng.normal(size=n), np.sort(rng.integers(0, n // 5 + 1, n)), n // 5 + 1


@njit
def histogram(x, weights, target):
    bins = np.zeros(len(target))
    for i in range(len(x)):
        place = x[i] * (len(target) - 1)
        k = int(place)
        part = place - k
        bins[k] += weights[i] * (1.0 - part)
        bins[k + 1] += weights[i] * part
    bins /= bins.sum()
    return ((bins - target) ** 2).sum()


def histogram_inputs(n):
    rng = np.random.default_rng(0)
    return rng.uniform(0.0, 0.999, n), rng.uniform(0.5, 1.0, n), rng.dirichlet(np.ones(50))


@njit
def warp(image, flow, target):
    rows, columns = image.shape
    loss = 0.0
    for i in range(rows):
        for j in range(columns):
            y = min(max(i + flow[0, i, j], 0.0), rows - 1.001)
            x = min(max(j + flow[1, i, j], 0.0), columns - 1.001)
            a, b = int(y), int(x)
            dy, dx = y - a, x - b
            top = (1.0 - dx) * image[a, b] + dx * image[a, b + 1]
            bottom = (1.0 - dx) * image[a + 1, b] + dx * image[a + 1, b + 1]
            loss += ((1.0 - dy) * top + dy * bottom - target[i, j]) ** 2
    return loss


def warp_inputs(n):
    rng = np.random.default_rng(0)
    return rng.uniform(size=(n, n)), rng.normal(size=(2, n, n)), rng.uniform(size=(n, n))


@njit
def particles(x0, v0, charge, steps, cells):
    x, v = x0.copy(), v0.copy()
    for _ in range(steps):
        density = np.zeros(cells + 1)
        for i in range(len(x)):
            k = int(x[i])
            part = x[i] - k
            density[k] += charge[i] * (1.0 - part)
            density[k + 1] += charge[i] * part
        field = np.cumsum(density - density.mean())
        for i in range(len(x)):
            k = int(x[i])
            part = x[i] - k
            v[i] += 0.01 * ((1.0 - part) * field[k] + part * field[k + 1])
            x[i] += 0.1 * v[i]
            if x[i] < 0.0:
                x[i] += cells
            elif x[i] >= cells:
                x[i] -= cells
    return np.sum(v * v)


def particles_inputs(n):
    rng = np.random.default_rng(0)
    return (
        rng.uniform(0, 32, n),
        rng.normal(size=n),
        rng.uniform(0.5, 1, n) / n,
        20 if n > 10 else 3,
        32,
    )


# ------------------------------------------------------------- lists, stacks, dictionaries


@njit
def queue(arrivals, services, servers):
    """When each server is free again, in a list; waiting times in another."""
    free = [0.0 for _ in range(servers)]
    waits = []
    now = 0.0
    for i in range(len(arrivals)):
        now += arrivals[i]
        first = 0
        for k in range(1, len(free)):
            if free[k] < free[first]:
                first = k
        start = max(now, free[first])
        if start > now:
            waits.append(start - now)
        free[first] = start + services[i]
    total = 0.0
    for w in waits:
        total += w * w
    return total


def queue_inputs(n):
    rng = np.random.default_rng(0)
    return rng.exponential(1.0, n), rng.exponential(3.0, n), 3


@njit
def postfix(code, constants, xs):
    """An interpreter: a number is pushed for codes below zero."""
    total = 0.0
    for x in xs:
        stack = []
        for c in code:
            if c < 0:
                stack.append(constants[-c - 1])
            elif c == 0:
                stack.append(x)
            elif c == 1:
                b = stack.pop()
                stack.append(stack.pop() + b)
            elif c == 2:
                b = stack.pop()
                stack.append(stack.pop() * b)
            elif c == 3:
                stack.append(sin(stack.pop()))
            else:
                stack.append(exp(-abs(stack.pop())))
        total += stack[-1]
    return total


def postfix_inputs(n):
    code = np.array([0, -1, 2, 3, 0, -2, 1, 2, 4, 0, 0, 2, -3, 2, 1, 3, -4, 1, 0, 2])
    return code, np.array([1.3, 0.4, -0.7, 0.9]), np.random.default_rng(0).normal(size=n)


@njit
def grouped(keys, values):
    sums = typed.Dict.empty(types.int64, types.float64)
    for i in range(len(keys)):
        sums[keys[i]] = sums.get(keys[i], 0.0) + values[i] ** 2
    total = 0.0
    for k in sums:
        total += sqrt(sums[k]) * (1 + k % 3)
    return total


@njit
def alignment(scores, gap, a, b):
    n, m = len(a), len(b)
    best = np.zeros((n + 1, m + 1))
    for i in range(1, n + 1):
        best[i, 0] = -gap[0] * i
    for j in range(1, m + 1):
        best[0, j] = -gap[0] * j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            best[i, j] = max(
                best[i - 1, j - 1] + scores[a[i - 1], b[j - 1]],
                max(best[i - 1, j] - gap[0], best[i, j - 1] - gap[0]),
            )
    return best[n, m]


def alignment_inputs(n):
    rng = np.random.default_rng(0)
    return (
        rng.normal(size=(4, 4)) + np.eye(4),
        np.array([0.5]),
        rng.integers(0, 4, n),
        rng.integers(0, 4, n),
    )


@njit
def rotations(angles, axes, points):
    """A product of rotations that is carried along, as robots have it."""
    pose = np.eye(3)
    total = 0.0
    for k in range(len(angles)):
        c, s = cos(angles[k]), sin(angles[k])
        turn = np.eye(3)
        i, j = axes[k], (axes[k] + 1) % 3
        turn[i, i], turn[j, j], turn[i, j], turn[j, i] = c, c, -s, s
        pose = pose @ turn
        where = pose @ points[k]
        total += log(1.0 + where[0] ** 2) + where[1] * where[2]
    return total


def rotations_inputs(n):
    rng = np.random.default_rng(0)
    return rng.normal(size=n), rng.integers(0, 3, n), rng.normal(size=(n, 3))


def normals(*shape):
    return np.random.default_rng(shape).normal(size=shape)


PROGRAMS = (
    Program(
        lennard_jones,
        lennard_jones_inputs,
        9,
        3,
        "pairs with a cut-off",
        order=6,
        adjoint=hand.lennard_jones,
    ),
    Program(
        *(
            sparse_product,
            lambda n: (*sparse(n), normals(n), 5),
            5000,
            4,
            "compressed rows, five times",
        ),
        adjoint=hand.sparse_product,
    ),
    Program(
        sparse_gradients, lambda n: (*sparse(n), normals(n)), 1000, 30, "sparse conjugate gradients"
    ),
    Program(
        bundle,
        bundle_inputs,
        20_000,
        8,
        "observations of points by 50 cameras",
        adjoint=hand.bundle,
    ),
    Program(page_rank, page_rank_inputs, 1000, 5, "edges, until the ranks stand still"),
    Program(messages, messages_inputs, 500, 4, "a network on a graph"),
    Program(shortest_paths, shortest_paths_inputs, 5000, 9, "the shorter of two"),
    Program(tree, tree_inputs, 10_001, 7, "recursion over a heap"),
    Program(
        tree_bottom_up,
        tree_bottom_up_inputs,
        20_000,
        6,
        "children before parents",
        adjoint=hand.tree_bottom_up,
    ),
    Program(
        quadrature, lambda n: (np.array([1.0, 2.0]), 1e-4 * n**-4.0), 40, 3, "recursion by need"
    ),
    Program(fixed_point, fixed_point_inputs, 100, 4, "until nothing changes", order=2),
    Program(
        *(secant, lambda n: (np.abs(normals(n)) + 0.1, np.abs(normals(n, 1)[:, 0]) + 1.5), 5000, 4),
        "a root per element",
    ),
    Program(sphere_tracing, sphere_tracing_inputs, 40, 5, "`min` and `break`", order=2),
    Program(
        gini,
        lambda n: (np.abs(normals(n)) + 0.1, np.abs(normals(n, 1)[:, 0]) + 0.5),
        5000,
        5,
        "in sorted order",
    ),
    Program(trimmed, lambda n: (normals(n), n // 10), 20_000, 20, "sorted numbers, the median"),
    Program(table_lookup, table_inputs, 20_000, 5, "`searchsorted`", adjoint=hand.table_lookup),
    Program(spline, spline_inputs, 50_000, 7, "a tridiagonal system, then lookups"),
    Program(segments, segments_inputs, 50_000, 9, "sums by segment", adjoint=hand.segments),
    Program(
        histogram, histogram_inputs, 50_000, 7, "scattered with weights", adjoint=hand.histogram
    ),
    Program(warp, warp_inputs, 200, 4, "gathered from four places", order=2, adjoint=hand.warp),
    Program(particles, particles_inputs, 2000, 5, "particles in cells"),
    Program(queue, queue_inputs, 10_000, 9, "lists that grow"),
    Program(postfix, postfix_inputs, 1000, 3, "a stack that is a list"),
    Program(
        grouped,
        lambda n: (np.random.default_rng(0).integers(0, n // 8 + 2, n), normals(n)),
        5000,
        9,
        "a dictionary",
    ),
    Program(
        alignment, alignment_inputs, 300, 5, "the best of three", order=2, adjoint=hand.alignment
    ),
    Program(rotations, rotations_inputs, 2000, 4, "small matrices that are carried along"),
)
