"""The objectives of ADBench, written from their published descriptions, in sizes of that suite; the data are made up.

Where an objective is a vector, the sum of its squares is taken.
"""

from __future__ import annotations

from math import cos, exp, lgamma, log, pi, sin, sqrt, tanh

import numpy as np
from numba import njit

from benchmarks.families import adbench_adjoints as hand
from benchmarks.program import Program

# ------------------------------------------------------------- Gaussian mixture with full covariances


@njit
def gmm(alphas, means, factors, x, gamma, m):
    """Log likelihood with a Wishart prior; a factor has the logarithms of its diagonal, then what is below."""
    k, d = means.shape
    sums = np.empty(k)
    q = np.empty((k, d))
    for j in range(k):
        sums[j] = 0.0
        for i in range(d):
            q[j, i] = exp(factors[j, i])
            sums[j] += factors[j, i]
    terms = np.empty(k)
    centred = np.empty(d)
    total = 0.0
    for n in range(len(x)):
        for j in range(k):
            for i in range(d):
                centred[i] = x[n, i] - means[j, i]
            square = 0.0
            for i in range(d):
                s = q[j, i] * centred[i]
                for o in range(i):
                    s += factors[j, d + i * (i - 1) // 2 + o] * centred[o]
                square += s * s
            terms[j] = alphas[j] + sums[j] - 0.5 * square
        top = terms.max()
        s = 0.0
        for j in range(k):
            s += exp(terms[j] - top)
        total += top + log(s)
    top = alphas.max()
    s = 0.0
    for j in range(k):
        s += exp(alphas[j] - top)
    total -= len(x) * (top + log(s))
    prior = 0.0
    for j in range(k):
        squares = 0.0
        for i in range(d):
            squares += q[j, i] ** 2
        for i in range(d, factors.shape[1]):
            squares += factors[j, i] ** 2
        prior += 0.5 * gamma * gamma * squares - m * sums[j]
    nu = d + m + 1
    constant = nu * d * (log(gamma) - 0.5 * log(2.0)) - 0.25 * d * (d - 1) * log(pi)
    for i in range(d):
        constant -= lgamma(0.5 * (nu - i))
    return total - 0.5 * len(x) * d * log(2.0 * pi) + prior - k * constant


def gmm_inputs(n):
    rng = np.random.default_rng(0)
    d, k = (10, 25) if n > 50 else (3, 4)
    factors = 0.3 * rng.normal(size=(k, d + d * (d - 1) // 2))
    return rng.normal(size=k), rng.uniform(size=(k, d)), factors, rng.normal(size=(n, d)), 1.0, 0


# ------------------------------------------------------------- bundle adjustment, ba1


@njit
def rotated(v, r, out):
    angle2 = r[0] ** 2 + r[1] ** 2 + r[2] ** 2
    if angle2 == 0.0:
        out[0] = v[0] + r[1] * v[2] - r[2] * v[1]
        out[1] = v[1] + r[2] * v[0] - r[0] * v[2]
        out[2] = v[2] + r[0] * v[1] - r[1] * v[0]
        return
    angle = sqrt(angle2)
    c, s = cos(angle), sin(angle)
    w0, w1, w2 = r[0] / angle, r[1] / angle, r[2] / angle
    along = (w0 * v[0] + w1 * v[1] + w2 * v[2]) * (1.0 - c)
    out[0] = v[0] * c + (w1 * v[2] - w2 * v[1]) * s + w0 * along
    out[1] = v[1] * c + (w2 * v[0] - w0 * v[2]) * s + w1 * along
    out[2] = v[2] * c + (w0 * v[1] - w1 * v[0]) * s + w2 * along


@njit
def ba(cameras, points, weights, seen, camera_of, point_of):
    """A camera: rotation, centre, focal length, centre of the image, two numbers of distortion."""
    total = 0.0
    moved = np.empty(3)
    for k in range(len(camera_of)):
        camera = cameras[camera_of[k]]
        rotated(points[point_of[k]] - camera[3:6], camera[:3], moved)
        x, y = moved[0] / moved[2], moved[1] / moved[2]
        r2 = x * x + y * y
        bent = 1.0 + camera[9] * r2 + camera[10] * r2 * r2
        ex = weights[k] * (camera[6] * bent * x + camera[7] - seen[k, 0])
        ey = weights[k] * (camera[6] * bent * y + camera[8] - seen[k, 1])
        total += ex * ex + ey * ey
    for w in weights:
        total += (1.0 - w * w) ** 2
    return total


def ba_inputs(n):
    rng = np.random.default_rng(0)
    count, points = (49, 7776) if n > 100 else (3, 5)
    cameras = 0.1 * rng.normal(size=(count, 11)) + np.array([0, 0, 0, 0, 0, -6, 1, 0, 0, 0, 0])
    where = rng.normal(size=(points, 3))
    pairs = rng.integers(0, count, n), rng.integers(0, points, n)
    return cameras, where, rng.uniform(0.5, 1.5, n), rng.normal(size=(n, 2)), *pairs


# ------------------------------------------------------------- LSTM, two layers


@njit
def sigmoid(x):
    return 1.0 / (1.0 + exp(-x))


@njit
def lstm_cell(weight, bias, hidden, cell, inputs):
    n = len(hidden)
    for i in range(n):
        forget = sigmoid(inputs[i] * weight[i] + bias[i])
        enter = sigmoid(hidden[i] * weight[n + i] + bias[n + i])
        leave = sigmoid(inputs[i] * weight[2 * n + i] + bias[2 * n + i])
        change = tanh(hidden[i] * weight[3 * n + i] + bias[3 * n + i])
        cell[i] = cell[i] * forget + enter * change
        hidden[i] = leave * tanh(cell[i])


@njit
def lstm_predictor(weights, extra, start, sequence):
    """A layer has two rows of `weights` and of `start`: weights and biases, hidden and cell."""
    state = start.copy()
    layers = len(state) // 2
    steps, n = sequence.shape
    loss = 0.0
    for t in range(steps - 1):
        x = sequence[t] * extra[0]
        for k in range(layers):
            lstm_cell(weights[2 * k], weights[2 * k + 1], state[2 * k], state[2 * k + 1], x)
            x = state[2 * k]
        y = x * extra[1] + extra[2]
        y = y - np.log(np.exp(y).sum() + 2.0)
        loss += (y * sequence[t + 1]).sum()
    return -loss / (steps * n)


def lstm_inputs(n):
    rng = np.random.default_rng(0)
    sequence = (rng.uniform(size=(n, 14)) < 0.5).astype(np.float64)
    return (
        0.5 * rng.normal(size=(4, 56)),
        0.5 * rng.normal(size=(3, 14)),
        0.5 * rng.normal(size=(4, 14)),
        sequence,
    )


# ------------------------------------------------------------- hand tracking


@njit
def euler(angles):
    """The rotation about x, then y, then z."""
    cx, sx, cy, sy, cz, sz = *turn(angles[0]), *turn(angles[1]), *turn(angles[2])
    return np.array(
        [
            [cy * cz, sx * sy * cz - cx * sz, sx * sz + cx * sy * cz],
            [cy * sz, cx * cz + sx * sy * sz, cx * sy * sz - sx * cz],
            [-sy, sx * cy, cx * cy],
        ]
    )


@njit
def turn(angle):
    return cos(angle), sin(angle)


@njit
def axis_angle(r):
    angle = sqrt(r[0] ** 2 + r[1] ** 2 + r[2] ** 2)
    if angle < 1e-4:
        return np.eye(3)
    x, y, z = r[0] / angle, r[1] / angle, r[2] / angle
    c, s = turn(angle)
    return np.array(
        [
            [x * x + (1 - x * x) * c, x * y * (1 - c) - z * s, x * z * (1 - c) + y * s],
            [x * y * (1 - c) + z * s, y * y + (1 - y * y) * c, y * z * (1 - c) - x * s],
            [x * z * (1 - c) - y * s, z * y * (1 - c) + x * s, z * z + (1 - z * z) * c],
        ]
    )


@njit
def posed_vertices(theta, relative, inverse, parents, base, weights):
    """Skinned vertices: bones turn by `theta`, and take vertices along by their weights."""
    bones = len(parents)
    angles = np.zeros((bones, 3))
    k = 6
    for finger in range(5):
        for joint in range(1, 4):
            bone = 2 + 4 * finger + joint
            angles[bone, 0] = theta[k]
            k += 1
            if joint == 1:
                angles[bone, 1] = theta[k]
                k += 1
    absolute = np.empty((bones, 4, 4))
    out = np.zeros((base.shape[0], 3))
    for b in range(bones):
        local = np.eye(4)
        local[:3, :3] = euler(angles[b])
        if parents[b] < 0:
            absolute[b] = relative[b] @ local
        else:
            absolute[b] = absolute[parents[b]] @ (relative[b] @ local)
        whole = absolute[b] @ inverse[b]
        for v in range(base.shape[0]):
            if weights[b, v] != 0.0:
                for i in range(3):
                    s = whole[i, 3]
                    for j in range(3):
                        s += whole[i, j] * base[v, j]
                    out[v, i] += weights[b, v] * s
    return out @ axis_angle(theta[:3]).T + theta[3:6]


@njit
def hand_simple(theta, relative, inverse, parents, base, weights, points, match):
    vertices = posed_vertices(theta, relative, inverse, parents, base, weights)
    total = 0.0
    for k in range(len(points)):
        for i in range(3):
            total += (points[k, i] - vertices[match[k], i]) ** 2
    return total


@njit
def hand_complicated(
    theta, us, relative, inverse, parents, base, weights, points, match, triangles
):
    """A point belongs to a place in a triangle."""
    vertices = posed_vertices(theta, relative, inverse, parents, base, weights)
    total = 0.0
    for k in range(len(points)):
        a, b, c = triangles[match[k]]
        for i in range(3):
            where = us[k, 0] * vertices[a, i] + us[k, 1] * vertices[b, i]
            where += (1.0 - us[k, 0] - us[k, 1]) * vertices[c, i]
            total += (points[k, i] - where) ** 2
    return total


def model(rng, vertices):
    bones = 22
    parents = [-1, 0]
    for finger in range(5):
        parents += [1, *range(2 + 4 * finger, 5 + 4 * finger)]
    relative = np.stack([np.eye(4)] * bones)
    relative[:, :3, 3] = 0.3 * rng.normal(size=(bones, 3))
    inverse = np.empty_like(relative)
    absolute = np.empty_like(relative)
    for b in range(bones):
        absolute[b] = relative[b] if parents[b] < 0 else absolute[parents[b]] @ relative[b]
        inverse[b] = np.linalg.inv(absolute[b])
    weights = np.zeros((bones, vertices))
    for v in range(vertices):
        weights[rng.choice(bones, 3, replace=False), v] = rng.dirichlet(np.ones(3))
    return relative, inverse, np.array(parents), rng.normal(size=(vertices, 3)), weights


def hand_simple_inputs(n):
    rng = np.random.default_rng(0)
    vertices = 544 if n > 10 else 5
    return (
        *(0.3 * rng.normal(size=26), *model(rng, vertices), rng.normal(size=(n, 3))),
        rng.integers(0, vertices, n),
    )


def hand_complicated_inputs(n):
    theta, *rest = hand_simple_inputs(n)
    rng = np.random.default_rng(1)
    triangles = np.array([rng.choice(len(rest[3]), 3, replace=False) for _ in range(n)])
    return theta, rng.uniform(0.1, 0.4, (n, 2)), *rest[:-1], rng.integers(0, n, n), triangles


PROGRAMS = (
    Program(gmm, gmm_inputs, 1000, 4, "1k points, d 10, K 25", adjoint=hand.gmm, constants=(3,)),
    Program(
        ba, ba_inputs, 31_843, 6, "ba1: 49 cameras, 7776 points, 31843 observations", constants=(3,)
    ),
    Program(
        lstm_predictor,
        lstm_inputs,
        1024,
        4,
        "two layers, 1024 characters of 14 bits",
        constants=(3,),
    ),
    Program(
        hand_simple,
        hand_simple_inputs,
        10_000,
        3,
        "26 parameters, 10,000 points",
        constants=(1, 2, 4, 5, 6),
    ),
    Program(
        *(hand_complicated, hand_complicated_inputs, 10_000, 3, "places in triangles, too"),
        constants=(2, 3, 5, 6, 7),
    ),
)
