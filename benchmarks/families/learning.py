"""Statistics and machine learning, as people write it for numba."""

from __future__ import annotations

from math import exp, lgamma, log, sqrt, tanh

import numpy as np
from numba import njit

from benchmarks.families import learning_adjoints as hand
from benchmarks.program import Program


def normals(*shape, scale=1.0, seed=0):
    return scale * np.random.default_rng((seed, *shape)).normal(size=shape)


# ------------------------------------------------------------- transcendental, memory bound


@njit
def log_sum_exp(x):
    largest = x[0]
    for i in range(x.shape[0]):
        largest = max(largest, x[i])
    total = 0.0
    for i in range(x.shape[0]):
        total += exp(x[i] - largest)
    return largest + log(total)


# ------------------------------------------------------------- a dense LSTM


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


def lstm_inputs(n):
    rng = np.random.default_rng(5)
    m = n // 2
    w, u = 0.1 * rng.normal(size=(4 * n, m)), 0.1 * rng.normal(size=(4 * n, n))
    return w, u, rng.normal(size=4 * n), rng.normal(size=(100 if n > 10 else 5, m)), np.zeros(n)


# ------------------------------------------------------------- mixtures


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


def gaussian_mixture_inputs(n):
    rng = np.random.default_rng(6)
    x, means = rng.normal(size=(n, 8)), rng.normal(size=(10, 8))
    return x, means, 0.1 * rng.normal(size=(10, 8)), rng.normal(size=10)


@njit
def student_mixture(x, centres, scales, freedom, logits):
    weights = np.exp(logits - np.max(logits))
    weights /= weights.sum()
    total = 0.0
    for i in range(len(x)):
        density = 0.0
        for j in range(len(centres)):
            z = (x[i] - centres[j]) / scales[j]
            nu = freedom[j]
            constant = (
                lgamma(0.5 * (nu + 1.0)) - lgamma(0.5 * nu) - 0.5 * log(np.pi * nu) - log(scales[j])
            )
            density += weights[j] * exp(constant - 0.5 * (nu + 1.0) * log(1.0 + z * z / nu))
        total -= log(density)
    return total


def student_mixture_inputs(n):
    rng = np.random.default_rng(0)
    return (
        rng.normal(size=n),
        rng.normal(size=4),
        rng.uniform(0.5, 1, 4),
        rng.uniform(2, 9, 4),
        rng.normal(size=4),
    )


@njit
def soft_k_means(points, centres, sharpness):
    total = 0.0
    for i in range(len(points)):
        d = np.sum((centres - points[i]) ** 2, axis=1)
        w = np.exp(-sharpness[0] * (d - d.min()))
        total += np.sum(w * d) / np.sum(w)
    return total


@njit
def k_means(points, centres):
    total = 0.0
    for i in range(len(points)):
        best = np.inf
        for j in range(len(centres)):
            d = 0.0
            for k in range(points.shape[1]):
                d += (points[i, k] - centres[j, k]) ** 2
            if d < best:
                best = d
        total += best
    return total / len(points)


# ------------------------------------------------------------- regressions


@njit
def logistic_regression(x, labels, w, bias):
    z = x @ w + bias[0]
    return np.sum(np.log1p(np.exp(-labels * z))) + 0.5 * (w @ w)


def logistic_inputs(n):
    labels = np.where(normals(n, seed=1) > 0, 1, -1)
    return normals(n, 20), labels, normals(20), normals(1)


@njit
def poisson_regression(x, counts, w):
    total = 0.0
    for i in range(len(x)):
        eta = 0.0
        for j in range(len(w)):
            eta += x[i, j] * w[j]
        total += exp(eta) - counts[i] * eta + lgamma(counts[i] + 1.0)
    return total


def poisson_inputs(n):
    return normals(n, 8), np.random.default_rng(0).integers(0, 9, n), normals(8, scale=0.3)


@njit
def softmax_regression(x, labels, w):
    n, classes = len(x), w.shape[1]
    loss = 0.0
    logits = np.empty(classes)
    for i in range(n):
        for c in range(classes):
            logits[c] = 0.0
            for j in range(x.shape[1]):
                logits[c] += x[i, j] * w[j, c]
        top = logits.max()
        loss += log(np.sum(np.exp(logits - top))) + top - logits[labels[i]]
    return loss / n


def softmax_inputs(n):
    return normals(n, 16), np.random.default_rng(0).integers(0, 10, n), normals(16, 10)


# ------------------------------------------------------------- networks


@njit
def perceptron(x, y, w1, b1, w2, b2):
    hidden = np.tanh(x @ w1 + b1)
    out = hidden @ w2 + b2
    return ((out - y) ** 2).mean()


def perceptron_inputs(n):
    return normals(n, 16), normals(n, 2), normals(16, 32), normals(32), normals(32, 2), normals(2)


@njit
def perceptron_loops(x, y, w1, w2):
    loss = 0.0
    hidden = np.empty(w1.shape[0])
    for i in range(len(x)):
        out = 0.0
        for h in range(len(hidden)):
            s = 0.0
            for j in range(x.shape[1]):
                s += w1[h, j] * x[i, j]
            hidden[h] = max(s, 0.0)
            out += w2[h] * hidden[h]
        loss += (out - y[i]) ** 2
    return loss / len(x)


@njit
def attention(x, wq, wk, wv):
    q, k, v = x @ wq, x @ wk, x @ wv
    scores = q @ k.T / np.sqrt(q.shape[1])
    out = np.empty_like(v)
    for i in range(len(x)):
        e = np.exp(scores[i] - scores[i].max())
        out[i] = (e / e.sum()) @ v
    return (out * out).sum()


def attention_inputs(n):
    return (
        normals(n, 16),
        normals(16, 16, scale=0.3),
        normals(16, 16, scale=0.3, seed=1),
        normals(16, 16, seed=2),
    )


@njit
def layer_norm(x, gain, shift, w):
    total = 0.0
    for i in range(len(x)):
        row = x[i]
        centred = row - row.mean()
        y = gain * centred / np.sqrt((centred * centred).mean() + 1e-5) + shift
        z = y @ w
        total += np.sum(z * (1.0 / (1.0 + np.exp(-1.702 * z))))
    return total


@njit
def convolutional(images, kernels, w):
    total = 0.0
    for n in range(len(images)):
        score = 0.0
        for c in range(len(kernels)):
            out = np.zeros((images.shape[1] - 2, images.shape[2] - 2))
            for i in range(out.shape[0]):
                for j in range(out.shape[1]):
                    for a in range(3):
                        for b in range(3):
                            out[i, j] += images[n, i + a, j + b] * kernels[c, a, b]
            for i in range(out.shape[0] // 2):
                for j in range(out.shape[1] // 2):
                    block = out[2 * i : 2 * i + 2, 2 * j : 2 * j + 2]
                    score += w[c, i, j] * max(block.max(), 0.0)
        total += score * score
    return total


def convolutional_inputs(n):
    return normals(n, 16, 16), normals(4, 3, 3), normals(4, 7, 7, scale=0.1)


@njit
def autoencoder(x, noise, enc, mu_w, sd_w, dec, out_w):
    hidden = np.tanh(x @ enc)
    mu = hidden @ mu_w
    log_sd = hidden @ sd_w
    z = mu + np.exp(log_sd) * noise
    back = 1.0 / (1.0 + np.exp(-np.tanh(z @ dec) @ out_w))
    fit = np.sum((x - back) ** 2)
    divergence = 0.5 * np.sum(np.exp(2.0 * log_sd) + mu**2 - 1.0 - 2.0 * log_sd)
    return (fit + divergence) / len(x)


def autoencoder_inputs(n):
    s = 0.2
    return (
        *(normals(n, 24), normals(n, 4), normals(24, 16, scale=s), normals(16, 4, scale=s)),
        *(normals(16, 4, scale=s, seed=1), normals(4, 16, scale=s), normals(16, 24, scale=s)),
    )


# ------------------------------------------------------------- sequences


@njit
def hidden_markov(start, transition, emission, observed):
    n = len(start)
    alpha = np.log(start) + np.log(emission[:, observed[0]])
    new = np.empty(n)
    for t in range(1, len(observed)):
        for j in range(n):
            top = -np.inf
            for i in range(n):
                top = max(top, alpha[i] + log(transition[i, j]))
            s = 0.0
            for i in range(n):
                s += exp(alpha[i] + log(transition[i, j]) - top)
            new[j] = top + log(s) + log(emission[j, observed[t]])
        alpha[:] = new
    top = alpha.max()
    return top + log(np.sum(np.exp(alpha - top)))


def hidden_markov_inputs(n):
    rng = np.random.default_rng(0)
    start, rows = rng.dirichlet(np.ones(6)), [rng.dirichlet(np.ones(k), 6) for k in (6, 5)]
    return start, *rows, rng.integers(0, 5, n)


@njit
def hidden_markov_scaled(start, transition, emission, observed):
    alpha = start * emission[:, observed[0]]
    likelihood = 0.0
    for t in range(1, len(observed)):
        total = alpha.sum()
        likelihood += np.log(total)
        alpha = (alpha / total) @ transition * emission[:, observed[t]]
    return likelihood + np.log(alpha.sum())


@njit
def random_field(scores, transition, tags):
    n, k = scores.shape
    alpha = scores[0].copy()
    path = scores[0, tags[0]]
    for t in range(1, n):
        new = np.empty(k)
        for j in range(k):
            a = alpha + transition[:, j]
            top = a.max()
            new[j] = scores[t, j] + top + np.log(np.exp(a - top).sum())
        alpha = new
        path += transition[tags[t - 1], tags[t]] + scores[t, tags[t]]
    top = alpha.max()
    return top + np.log(np.exp(alpha - top).sum()) - path


def random_field_inputs(n):
    return normals(n, 6), normals(6, 6), np.random.default_rng(0).integers(0, 6, n)


@njit
def soft_minimum(a, b, c, gamma):
    low = min(a, min(b, c))
    return low - gamma * log(
        exp((low - a) / gamma) + exp((low - b) / gamma) + exp((low - c) / gamma)
    )


@njit
def soft_dtw(x, y, gamma):
    n, m = len(x), len(y)
    r = np.full((n + 1, m + 1), 1e10)
    r[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            d = 0.0
            for k in range(x.shape[1]):
                d += (x[i - 1, k] - y[j - 1, k]) ** 2
            r[i, j] = d + soft_minimum(r[i - 1, j], r[i, j - 1], r[i - 1, j - 1], gamma)
    return r[n, m]


# ------------------------------------------------------------- kernels and embeddings


@njit
def gaussian_process(x, y, p):
    n = len(y)
    k = np.empty((n, n))
    for i in range(n):
        for j in range(i + 1):
            r2 = 0.0
            for d in range(x.shape[1]):
                r2 += (x[i, d] - x[j, d]) ** 2
            k[i, j] = exp(p[0] - 0.5 * r2 * exp(-2.0 * p[1]))
        k[i, i] += exp(p[2])
    for j in range(n):
        for i in range(j, n):
            for m in range(j):
                k[i, j] -= k[i, m] * k[j, m]
            if i == j:
                k[j, j] = sqrt(k[j, j])
            else:
                k[i, j] /= k[j, j]
    z = y.copy()
    value = 0.0
    for i in range(n):
        for m in range(i):
            z[i] -= k[i, m] * z[m]
        z[i] /= k[i, i]
        value += 0.5 * z[i] * z[i] + log(k[i, i])
    return value


@njit
def kernel_ridge(x, y, alpha, width):
    n = len(x)
    loss = 0.0
    for i in range(n):
        f = 0.0
        for j in range(n):
            d = x[i] - x[j]
            f += alpha[j] * np.exp(-np.dot(d, d) / width[0])
        loss += (f - y[i]) ** 2
    return loss / n


@njit
def neighbours(p, y):
    n = len(y)
    q = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if i != j:
                q[i, j] = 1.0 / (1.0 + np.sum((y[i] - y[j]) ** 2))
    q /= q.sum()
    loss = 0.0
    for i in range(n):
        for j in range(n):
            if i != j:
                loss += p[i, j] * np.log(p[i, j] / q[i, j])
    return loss


def neighbours_inputs(n):
    p = np.random.default_rng(0).uniform(0.1, 1.0, (n, n))
    return p / p.sum(), normals(n, 2)


@njit
def factorisation(users, items, user_of, item_of, ratings):
    loss = 0.0
    for k in range(len(ratings)):
        s = 0.0
        for d in range(users.shape[1]):
            s += users[user_of[k], d] * items[item_of[k], d]
        loss += (ratings[k] - s) ** 2
    return loss + 0.1 * (np.sum(users**2) + np.sum(items**2))


def factorisation_inputs(n):
    rng = np.random.default_rng(0)
    return (
        normals(50, 8),
        normals(80, 8),
        rng.integers(0, 50, n),
        rng.integers(0, 80, n),
        normals(n),
    )


@njit
def skip_gram(words, contexts, centre, near, far):
    loss = 0.0
    for k in range(len(centre)):
        v = words[centre[k]]
        loss += np.log1p(np.exp(-np.dot(v, contexts[near[k]])))
        for j in range(far.shape[1]):
            loss += np.log1p(np.exp(np.dot(v, contexts[far[k, j]])))
    return loss / len(centre)


def skip_gram_inputs(n):
    rng = np.random.default_rng(0)
    return (
        *(normals(100, 16, scale=0.3), normals(100, 16, scale=0.3, seed=1)),
        *(rng.integers(0, 100, n), rng.integers(0, 100, n), rng.integers(0, 100, (n, 4))),
    )


PROGRAMS = (
    Program(
        log_sum_exp,
        lambda n: (normals(n),),
        300_000,
        9,
        "two passes over memory",
        adjoint=hand.log_sum_exp,
    ),
    Program(lstm, lstm_inputs, 64, 4, "100 steps", order=2, adjoint=hand.lstm),
    Program(
        *(gaussian_mixture, gaussian_mixture_inputs, 2000, 6, "diagonal, 10 components"),
        adjoint=hand.gaussian_mixture,
    ),
    Program(student_mixture, student_mixture_inputs, 5000, 5, "`lgamma` in the inner loop"),
    Program(
        soft_k_means,
        lambda n: (normals(n, 4), normals(8, 4), np.array([0.5])),
        3000,
        4,
        "rows of arrays",
    ),
    Program(
        k_means,
        lambda n: (normals(n, 8), normals(16, 8)),
        5000,
        4,
        "the nearest",
        adjoint=hand.k_means,
    ),
    Program(
        logistic_regression,
        logistic_inputs,
        10_000,
        5,
        "array expressions",
        adjoint=hand.logistic_regression,
    ),
    Program(
        poisson_regression, poisson_inputs, 20_000, 5, "loops", adjoint=hand.poisson_regression
    ),
    Program(
        softmax_regression,
        softmax_inputs,
        3000,
        4,
        "loops and rows",
        adjoint=hand.softmax_regression,
    ),
    Program(
        perceptron, perceptron_inputs, 1000, 4, "whole batches with `@`", adjoint=hand.perceptron
    ),
    Program(
        *(
            perceptron_loops,
            lambda n: (normals(n, 16), normals(n), normals(32, 16), normals(32)),
            1000,
            4,
        ),
        "loops",
        adjoint=hand.perceptron_loops,
    ),
    Program(attention, attention_inputs, 128, 5, "one head", order=2, adjoint=hand.attention),
    Program(
        layer_norm,
        lambda n: (normals(n, 32), normals(32), normals(32), normals(32, 8)),
        2000,
        3,
        "row by row",
    ),
    Program(convolutional, convolutional_inputs, 20, 2, "loops, pooling of slices"),
    Program(autoencoder, autoencoder_inputs, 500, 3, "a variational autoencoder"),
    Program(hidden_markov, hidden_markov_inputs, 500, 4, "logarithms", adjoint=hand.hidden_markov),
    Program(hidden_markov_scaled, hidden_markov_inputs, 2000, 4, "scaled, small arrays"),
    Program(random_field, random_field_inputs, 1000, 4, "a chain, small arrays"),
    Program(
        *(
            soft_dtw,
            lambda n: (normals(n, 2), normals(n, 2, seed=1), 0.5),
            100,
            4,
            "dynamic programming",
        ),
        order=2,
        adjoint=hand.soft_dtw,
    ),
    Program(
        *(
            gaussian_process,
            lambda n: (normals(n, 3), normals(n), np.array([0.1, 0.2, -1.0])),
            100,
            4,
        ),
        "kernel, factors in place, solution",
        order=3,
    ),
    Program(
        *(
            kernel_ridge,
            lambda n: (normals(n, 4), normals(n), normals(n, seed=1), np.array([2.0])),
            150,
            4,
        ),
        "rows of arrays in two loops",
        order=2,
    ),
    Program(neighbours, neighbours_inputs, 150, 4, "t-SNE", order=2, adjoint=hand.neighbours),
    Program(factorisation, factorisation_inputs, 20_000, 9, "gathers", adjoint=hand.factorisation),
    Program(skip_gram, skip_gram_inputs, 5000, 5, "rows that are gathered"),
)
