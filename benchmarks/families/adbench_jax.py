"""The objectives of ADBench for JAX; see `benchmarks.jax_side`."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.nn import logsumexp


def gmm(alphas, means, factors, x, gamma, m):
    k, d = means.shape
    sums = factors[:, :d].sum(1)
    diagonal = jnp.exp(factors[:, :d])
    below = np.tril_indices(d, -1)
    lower = jnp.zeros((k, d, d)).at[:, below[0], below[1]].set(factors[:, d:])
    lower = lower.at[:, np.arange(d), np.arange(d)].set(diagonal)
    images = jnp.einsum("kij,nkj->nki", lower, x[:, None, :] - means)
    terms = alphas + sums - 0.5 * (images**2).sum(2)
    total = logsumexp(terms, axis=1).sum() - len(x) * logsumexp(alphas)
    squares = (diagonal**2).sum() + (factors[:, d:] ** 2).sum()
    return total + 0.5 * gamma * gamma * squares - m * sums.sum()


def ba(cameras, points, weights, seen, camera_of, point_of):
    c, p = cameras[camera_of], points[point_of]
    r, v = c[:, :3], p - c[:, 3:6]
    angle = jnp.sqrt((r * r).sum(1, keepdims=True))
    w = r / angle
    along = (w * v).sum(1, keepdims=True) * (1.0 - jnp.cos(angle))
    q = v * jnp.cos(angle) + jnp.cross(w, v) * jnp.sin(angle) + w * along
    u = q[:, :2] / q[:, 2:]
    r2 = (u * u).sum(1)
    bent = 1.0 + c[:, 9] * r2 + c[:, 10] * r2 * r2
    miss = weights[:, None] * ((c[:, 6] * bent)[:, None] * u + c[:, 7:9] - seen)
    return (miss**2).sum() + ((1.0 - weights**2) ** 2).sum()


def lstm_predictor(weights, extra, start, sequence):
    sigmoid = jax.nn.sigmoid

    def step(state, pair):
        x, following = pair
        x = x * extra[0]
        rows = []
        for k in range(len(start) // 2):
            forget, enter, leave, change = jnp.split(weights[2 * k], 4)
            b1, b2, b3, b4 = jnp.split(weights[2 * k + 1], 4)
            hidden, cell = state[2 * k], state[2 * k + 1]
            cell = cell * sigmoid(x * forget + b1) + sigmoid(hidden * enter + b2) * jnp.tanh(
                hidden * change + b4
            )
            x = sigmoid(x * leave + b3) * jnp.tanh(cell)
            rows += [x, cell]
        y = x * extra[1] + extra[2]
        y = y - jnp.log(jnp.exp(y).sum() + 2.0)
        return jnp.stack(rows), (y * following).sum()

    losses = lax.scan(step, start, (sequence[:-1], sequence[1:]))[1]
    return -losses.sum() / sequence.size


def euler(angles):
    (cx, cy, cz), (sx, sy, sz) = jnp.cos(angles).T, jnp.sin(angles).T
    rows = [
        [cy * cz, sx * sy * cz - cx * sz, sx * sz + cx * sy * cz],
        [cy * sz, cx * cz + sx * sy * sz, cx * sy * sz - sx * cz],
        [-sy, sx * cy, cx * cy],
    ]
    return jnp.stack([jnp.stack(row, -1) for row in rows], -2)


def posed_vertices(theta, relative, inverse, parents, base, weights):
    bones = len(weights)
    fingers = theta[6:26].reshape(5, 4)
    joints = 2 + 4 * np.arange(5)
    angles = jnp.zeros((bones, 3))
    for joint, (flexion, spread) in enumerate(((0, 1), (2, None), (3, None)), start=1):
        angles = angles.at[joints + joint, 0].set(fingers[:, flexion])
        if spread is not None:
            angles = angles.at[joints + joint, 1].set(fingers[:, spread])
    local = jnp.zeros((bones, 4, 4)).at[:, :3, :3].set(euler(angles)).at[:, 3, 3].set(1.0)
    moved = relative @ local

    def bone(absolute, b):
        above = jnp.where(parents[b] < 0, jnp.eye(4), absolute[parents[b]])
        return absolute.at[b].set(above @ moved[b]), None

    absolute = lax.scan(bone, jnp.zeros((bones, 4, 4)), jnp.arange(bones))[0]
    whole = absolute @ inverse
    places = jnp.einsum("bij,vj->bvi", whole[:, :3, :3], base) + whole[:, None, :3, 3]
    out = (weights[:, :, None] * places).sum(0)
    angle = jnp.sqrt((theta[:3] ** 2).sum())
    x, y, z = theta[:3] / angle
    cross = jnp.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turn = jnp.eye(3) + jnp.sin(angle) * cross + (1.0 - jnp.cos(angle)) * cross @ cross
    return out @ turn.T + theta[3:6]


def hand_simple(theta, relative, inverse, parents, base, weights, points, match):
    return (
        (points - posed_vertices(theta, relative, inverse, parents, base, weights)[match]) ** 2
    ).sum()


def hand_complicated(
    theta, us, relative, inverse, parents, base, weights, points, match, triangles
):
    corners = posed_vertices(theta, relative, inverse, parents, base, weights)[triangles[match]]
    shares = jnp.concatenate((us, 1.0 - us.sum(1, keepdims=True)), axis=1)
    return ((points - jnp.einsum("nc,nci->ni", shares, corners)) ** 2).sum()
