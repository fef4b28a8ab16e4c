"""The programs of `learning` for JAX; see `benchmarks.jax_side`."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax
from jax.nn import logsumexp
from jax.scipy.linalg import solve_triangular
from jax.scipy.special import gammaln


def log_sum_exp(x):
    return logsumexp(x)


def lstm(w, u, b, xs, initial):
    def step(state, x):
        h, c = state
        forget, enter, leave, value = jnp.split(w @ x + u @ h + b, 4)
        c = jax.nn.sigmoid(forget) * c + jax.nn.sigmoid(enter) * jnp.tanh(value)
        return (jax.nn.sigmoid(leave) * jnp.tanh(c), c), None

    (h, _), _ = lax.scan(step, (initial, jnp.zeros_like(initial)), xs)
    return (h * h).sum()


def gaussian_mixture(x, means, log_scales, weights):
    v = (x[:, None, :] - means) * jnp.exp(-log_scales)
    return logsumexp(weights - 0.5 * (v * v + 2.0 * log_scales).sum(2), axis=1).sum()


def student_mixture(x, centres, scales, freedom, logits):
    z = (x[:, None] - centres) / scales
    constant = gammaln(0.5 * (freedom + 1.0)) - gammaln(0.5 * freedom)
    constant = constant - 0.5 * jnp.log(jnp.pi * freedom) - jnp.log(scales)
    density = jnp.exp(constant - 0.5 * (freedom + 1.0) * jnp.log(1.0 + z * z / freedom))
    return -jnp.log(density @ jax.nn.softmax(logits)).sum()


def distances(points, centres):
    return ((points[:, None, :] - centres) ** 2).sum(2)


def soft_k_means(points, centres, sharpness):
    d = distances(points, centres)
    return (jax.nn.softmax(-sharpness[0] * d, axis=1) * d).sum()


def k_means(points, centres):
    return distances(points, centres).min(1).mean()


def logistic_regression(x, labels, w, bias):
    return jnp.log1p(jnp.exp(-labels * (x @ w + bias[0]))).sum() + 0.5 * (w @ w)


def poisson_regression(x, counts, w):
    eta = x @ w
    return (jnp.exp(eta) - counts * eta + gammaln(counts + 1.0)).sum()


def softmax_regression(x, labels, w):
    logits = x @ w
    right = jnp.take_along_axis(logits, labels[:, None], axis=1)[:, 0]
    return (logsumexp(logits, axis=1) - right).mean()


def perceptron(x, y, w1, b1, w2, b2):
    return ((jnp.tanh(x @ w1 + b1) @ w2 + b2 - y) ** 2).mean()


def perceptron_loops(x, y, w1, w2):
    return ((jax.nn.relu(x @ w1.T) @ w2 - y) ** 2).mean()


def attention(x, wq, wk, wv):
    q, k, v = x @ wq, x @ wk, x @ wv
    return ((jax.nn.softmax(q @ k.T / jnp.sqrt(q.shape[1]), axis=1) @ v) ** 2).sum()


def layer_norm(x, gain, shift, w):
    centred = x - x.mean(1, keepdims=True)
    y = gain * centred / jnp.sqrt((centred**2).mean(1, keepdims=True) + 1e-5) + shift
    z = y @ w
    return (z * jax.nn.sigmoid(1.702 * z)).sum()


def convolutional(images, kernels, w):
    out = lax.conv(images[:, None], kernels[:, None], (1, 1), "VALID")
    n, c, rows, columns = out.shape
    blocks = out.reshape(n, c, rows // 2, 2, columns // 2, 2).max((3, 5))
    return ((w * jax.nn.relu(blocks)).sum((1, 2, 3)) ** 2).sum()


def autoencoder(x, noise, enc, mu_w, sd_w, dec, out_w):
    hidden = jnp.tanh(x @ enc)
    mu, log_sd = hidden @ mu_w, hidden @ sd_w
    back = jax.nn.sigmoid(jnp.tanh((mu + jnp.exp(log_sd) * noise) @ dec) @ out_w)
    divergence = 0.5 * (jnp.exp(2.0 * log_sd) + mu**2 - 1.0 - 2.0 * log_sd).sum()
    return (((x - back) ** 2).sum() + divergence) / len(x)


def hidden_markov(start, transition, emission, observed):
    logs, seen = jnp.log(transition), jnp.log(emission)

    def step(alpha, o):
        return logsumexp(alpha[:, None] + logs, axis=0) + seen[:, o], None

    alpha = jnp.log(start) + seen[:, observed[0]]
    return logsumexp(lax.scan(step, alpha, observed[1:])[0])


def hidden_markov_scaled(start, transition, emission, observed):
    def step(alpha, o):
        total = alpha.sum()
        return (alpha / total) @ transition * emission[:, o], jnp.log(total)

    alpha, logs = lax.scan(step, start * emission[:, observed[0]], observed[1:])
    return logs.sum() + jnp.log(alpha.sum())


def random_field(scores, transition, tags):
    def step(alpha, row):
        return row + logsumexp(alpha[:, None] + transition, axis=0), None

    alpha = lax.scan(step, scores[0], scores[1:])[0]
    path = scores[jnp.arange(len(tags)), tags].sum() + transition[tags[:-1], tags[1:]].sum()
    return logsumexp(alpha) - path


def soft_dtw(x, y, gamma):
    d = distances(x, y)

    def row(above, distance):
        def cell(left, given):
            up, corner, d = given
            new = d - gamma * logsumexp(-jnp.array([up, left, corner]) / gamma)
            return new, new

        _, new = lax.scan(cell, 1e10, (above[1:], above[:-1], distance))
        return jnp.concatenate((jnp.array([1e10]), new)), None

    first = jnp.full(len(y) + 1, 1e10).at[0].set(0.0)
    return lax.scan(row, first, d)[0][-1]


def gaussian_process(x, y, p):
    n = len(y)
    k = jnp.exp(p[0] - 0.5 * distances(x, x) * jnp.exp(-2.0 * p[1])) + jnp.exp(p[2]) * jnp.eye(n)
    lower = jnp.linalg.cholesky(k)
    z = solve_triangular(lower, y, lower=True)
    return 0.5 * z @ z + jnp.log(jnp.diagonal(lower)).sum()


def kernel_ridge(x, y, alpha, width):
    return ((jnp.exp(-distances(x, x) / width[0]) @ alpha - y) ** 2).mean()


def neighbours(p, y):
    apart = ~jnp.eye(len(y), dtype=bool)
    q = jnp.where(apart, 1.0 / (1.0 + distances(y, y)), 0.0)
    q = q / q.sum()
    return jnp.where(
        apart, p * jnp.log(jnp.where(apart, p / jnp.where(apart, q, 1.0), 1.0)), 0.0
    ).sum()


def factorisation(users, items, user_of, item_of, ratings):
    miss = ratings - (users[user_of] * items[item_of]).sum(1)
    return (miss**2).sum() + 0.1 * ((users**2).sum() + (items**2).sum())


def skip_gram(words, contexts, centre, near, far):
    v = words[centre]
    loss = jnp.log1p(jnp.exp(-(v * contexts[near]).sum(1))).sum()
    return (loss + jnp.log1p(jnp.exp((v[:, None] * contexts[far]).sum(2))).sum()) / len(centre)
