"""Statistics, learning, finance: losses, recursions over time and over graphs."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from tests.programs.cases import program
from tests.programs.values import Held


@program(lambda rng: (rng.standard_normal(6),), single=True)
@njit
def logsumexp(x):
    m = x[0]
    for i in range(1, len(x)):
        if x[i] > m:
            m = x[i]
    s = 0.0
    for i in range(len(x)):
        s += math.exp(x[i] - m)
    return m + math.log(s)


@program(lambda rng: (rng.standard_normal(5), np.zeros(5)), single=True)
@njit
def softmax(x, out):
    m = x.max()
    s = 0.0
    for i in range(len(x)):
        out[i] = math.exp(x[i] - m)
        s += out[i]
    for i in range(len(x)):
        out[i] /= s


@program(lambda rng: (rng.standard_normal((4, 3)),))
@njit
def log_softmax_rows(x):
    s = 0.0
    for i in range(x.shape[0]):
        row = x[i]
        m = row.max()
        s += row[i % 3] - m - math.log(np.exp(row - m).sum())
    return s


@program(
    lambda rng: (
        rng.standard_normal(3),
        0.2,
        Held(rng.standard_normal((7, 3))),
        rng.integers(0, 2, 7),
    )
)
@njit
def logistic_regression(w, b, x, y):
    loss = 0.0
    for i in range(x.shape[0]):
        z = b
        for j in range(len(w)):
            z += w[j] * x[i, j]
        if z > 0:
            loss += math.log1p(math.exp(-z)) + (1 - y[i]) * z
        else:
            loss += math.log1p(math.exp(z)) - y[i] * z
    return loss / x.shape[0]


@program(
    lambda rng: (
        rng.standard_normal((4, 3)),
        rng.standard_normal(4),
        rng.standard_normal(4),
        Held(rng.standard_normal(3)),
    )
)
@njit
def neural_network(w1, b1, w2, x):
    h = np.empty(4)
    for i in range(4):
        s = b1[i]
        for j in range(3):
            s += w1[i, j] * x[j]
        h[i] = s if s > 0.0 else 0.01 * s
    out = 0.0
    for i in range(4):
        out += w2[i] * h[i]
    return (out - 1.0) ** 2


@program(lambda rng: (0.5 * rng.standard_normal((3, 3)), rng.standard_normal((5, 3))), single=True)
@njit
def recurrent_network(w, x):
    h = np.zeros(3, w.dtype)
    for t in range(x.shape[0]):
        h = np.tanh(w @ h + x[t])
    return (h * h).sum()


@program(
    lambda rng: (rng.standard_normal((4, 2)), rng.standard_normal((4, 2)), rng.standard_normal(2))
)
@njit
def gated_cell(w, u, x):
    h = np.zeros(2)
    c = np.zeros(2)
    for _ in range(4):
        for i in range(2):
            f = 1.0 / (1.0 + math.exp(-(w[i, 0] * x[i] + u[i, 0] * h[i])))
            g = math.tanh(w[i + 2, 1] * x[i] + u[i + 2, 1] * h[1 - i])
            c[i] = f * c[i] + (1.0 - f) * g
        for i in range(2):
            h[i] = math.tanh(c[i]) * 0.9
    return h[0] * h[1] + c[0]


@program(lambda rng: (0.9, 0.3, 0.5, rng.standard_normal(8)), single=True)
@njit
def kalman_scalar(a, q, r, y):
    m, p = 0.0, 1.0
    loglik = 0.0
    for t in range(len(y)):
        m = a * m
        p = a * a * p + q
        s = p + r
        k = p / s
        e = y[t] - m
        loglik -= 0.5 * (math.log(s) + e * e / s)
        m += k * e
        p *= 1.0 - k
    return loglik


@program(
    lambda rng: (np.array([[1.0, 0.1], [0.0, 0.9]]), 0.1 * np.eye(2), 0.4, rng.standard_normal(5))
)
@njit
def kalman_matrix(f, q, r, y):
    m = np.zeros(2)
    p = np.eye(2)
    loglik = 0.0
    for t in range(len(y)):
        m = np.array([f[0, 0] * m[0] + f[0, 1] * m[1], f[1, 0] * m[0] + f[1, 1] * m[1]])
        new = q.copy()
        for i in range(2):
            for j in range(2):
                for k in range(2):
                    for l in range(2):
                        new[i, j] += f[i, k] * p[k, l] * f[j, l]
        p = new
        s = p[0, 0] + r
        e = y[t] - m[0]
        loglik -= 0.5 * (math.log(s) + e * e / s)
        gain = p[:, 0] / s
        m = m + gain * e
        p = p - np.outer(gain, p[0])
    return loglik


def _hmm(rng):
    a = rng.uniform(0.2, 1.0, (3, 3))
    b = rng.uniform(0.2, 1.0, (3, 4))
    a, b = a / a.sum(1, keepdims=True), b / b.sum(1, keepdims=True)
    return a, b, np.array([0, 2, 1, 3, 3, 0])


@program(_hmm)
@njit
def hmm_forward(a, b, y):
    n = a.shape[0]
    alpha = np.full(n, 1.0 / n)
    loglik = 0.0
    for t in range(len(y)):
        new = np.zeros(n)
        for j in range(n):
            for i in range(n):
                new[j] += alpha[i] * a[i, j]
            new[j] *= b[j, y[t]]
        s = new.sum()
        loglik += math.log(s)
        alpha = new / s
    return loglik


@program(_hmm)
@njit
def viterbi_score(a, b, y):
    n = a.shape[0]
    score = np.zeros(n)
    for t in range(len(y)):
        new = np.empty(n)
        for j in range(n):
            best = -1e300
            for i in range(n):
                best = max(best, score[i] + math.log(a[i, j]))
            new[j] = best + math.log(b[j, y[t]])
        score = new
    return score.max()


@program(lambda rng: (rng.standard_normal(5), rng.standard_normal(6)))
@njit
def dtw(x, y):
    d = np.full((len(x) + 1, len(y) + 1), 1e30)
    d[0, 0] = 0.0
    for i in range(len(x)):
        for j in range(len(y)):
            best = min(d[i, j], min(d[i, j + 1], d[i + 1, j]))
            d[i + 1, j + 1] = (x[i] - y[j]) ** 2 + best
    return d[len(x), len(y)]


@program(lambda rng: (rng.standard_normal(4), rng.standard_normal(5), 0.5))
@njit
def soft_dtw(x, y, gamma):
    d = np.full((len(x) + 1, len(y) + 1), 1e6)
    d[0, 0] = 0.0
    for i in range(1, len(x) + 1):
        for j in range(1, len(y) + 1):
            a, b, c = -d[i - 1, j - 1] / gamma, -d[i - 1, j] / gamma, -d[i, j - 1] / gamma
            m = max(a, b, c)
            s = math.exp(a - m) + math.exp(b - m) + math.exp(c - m)
            d[i, j] = (x[i - 1] - y[j - 1]) ** 2 - gamma * (math.log(s) + m)
    return d[len(x), len(y)]


@program(
    lambda rng: (rng.standard_normal((5, 2)), rng.standard_normal((3, 2)), rng.standard_normal(3))
)
@njit
def gaussian_mixture(x, means, logits):
    total = 0.0
    for i in range(x.shape[0]):
        best = -1e300
        terms = np.empty(3)
        for k in range(3):
            q = 0.0
            for d in range(2):
                q += (x[i, d] - means[k, d]) ** 2
            terms[k] = logits[k] - 0.5 * q
            best = max(best, terms[k])
        s = 0.0
        for k in range(3):
            s += math.exp(terms[k] - best)
        total += best + math.log(s)
    return total


@program(lambda rng: (1.0, 0.95, 0.02, 0.2, 1.5), single=True)
@njit
def black_scholes(s, k, r, sigma, t):
    d1 = (math.log(s / k) + (r + 0.5 * sigma**2) * t) / (sigma * math.sqrt(t))
    d2 = d1 - sigma * math.sqrt(t)
    n1 = 0.5 * (1.0 + math.erf(d1 / math.sqrt(2.0)))
    n2 = 0.5 * (1.0 + math.erf(d2 / math.sqrt(2.0)))
    return s * n1 - k * math.exp(-r * t) * n2


@program(lambda rng: (1.0, 1.013, 0.03, 0.3, 10), lambda rng: (1.0, 1.013, 0.03, 0.3, 1))
@njit
def binomial_tree(s, k, r, sigma, n):
    dt = 1.0 / n
    up = math.exp(sigma * math.sqrt(dt))
    p = (math.exp(r * dt) - 1.0 / up) / (up - 1.0 / up)
    discount = math.exp(-r * dt)
    v = np.empty(n + 1)
    for i in range(n + 1):
        v[i] = max(k - s * up ** (2 * i - n), 0.0)
    for step in range(n, 0, -1):
        for i in range(step):
            v[i] = discount * (p * v[i + 1] + (1.0 - p) * v[i])
    return v[0]


@program(lambda rng: (1.0, 1.013, 0.03, 0.3, 8))
@njit
def american_put(s, k, r, sigma, n):
    dt = 1.0 / n
    up = math.exp(sigma * math.sqrt(dt))
    p = (math.exp(r * dt) - 1.0 / up) / (up - 1.0 / up)
    v = np.empty(n + 1)
    for i in range(n + 1):
        v[i] = max(k - s * up ** (2 * i - n), 0.0)
    for step in range(n - 1, -1, -1):
        for i in range(step + 1):
            hold = math.exp(-r * dt) * (p * v[i + 1] + (1.0 - p) * v[i])
            v[i] = max(hold, k - s * up ** (2 * i - step))
    return v[0]


@program(lambda rng: (1.0, 0.2, 1.05, Held(rng.standard_normal((4, 5)))))
@njit
def monte_carlo_asian(s0, sigma, strike, z):
    total = 0.0
    for path in range(z.shape[0]):
        s = s0
        average = 0.0
        for t in range(z.shape[1]):
            s *= math.exp(-0.5 * sigma**2 * 0.2 + sigma * math.sqrt(0.2) * z[path, t])
            average += s / z.shape[1]
        if average > strike:
            total += average - strike
        else:
            total += 0.1 * average
    return total


@program(lambda rng: (0.05, rng.uniform(0.05, 0.1, 6)))
@njit
def bond_yield_by_newton(guess, coupons):
    y = guess
    for _ in range(30):
        price = -0.5
        slope = 0.0
        for t in range(len(coupons)):
            d = (1.0 + y) ** (-(t + 1))
            price += coupons[t] * d
            slope -= (t + 1) * coupons[t] * d / (1.0 + y)
        y -= price / slope
        if abs(price) < 1e-13:
            return y
    return y


@program(lambda rng: (0.1, 0.2, 0.6, rng.standard_normal(8)))
@njit
def garch_likelihood(omega, alpha, beta, x):
    h = omega
    s = 0.0
    for t in range(len(x)):
        s += math.log(h) + x[t] ** 2 / h
        h = omega + alpha * x[t] ** 2 + beta * h
    return s


@program(lambda rng: (rng.standard_normal((5, 2)), 0.7, 1.3, rng.standard_normal(5)))
@njit
def gaussian_process(x, length, scale, y):
    n = x.shape[0]
    k = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            d = 0.0
            for m in range(2):
                d += ((x[i, m] - x[j, m]) / length) ** 2
            k[i, j] = scale * math.exp(-0.5 * d)
        k[i, i] += 0.5
    s = 0.0
    z = y.copy()
    for j in range(n):
        for m in range(j):
            k[j, j] -= k[j, m] ** 2
            z[j] -= k[j, m] * z[m]
        k[j, j] = math.sqrt(k[j, j])
        z[j] /= k[j, j]
        for i in range(j + 1, n):
            for m in range(j):
                k[i, j] -= k[i, m] * k[j, m]
            k[i, j] /= k[j, j]
        s += math.log(k[j, j]) + 0.5 * z[j] ** 2
    return s


@program(lambda rng: (rng.standard_normal((6, 2)), rng.standard_normal((2, 2)), 3))
@njit
def k_means_cost(x, centres, sweeps):
    cost = 0.0
    for _ in range(sweeps):
        sums = np.zeros((2, 2))
        counts = np.zeros(2, np.int64)
        cost = 0.0
        for i in range(x.shape[0]):
            best = 0
            distance = 1e300
            for k in range(2):
                d = (x[i, 0] - centres[k, 0]) ** 2 + (x[i, 1] - centres[k, 1]) ** 2
                if d < distance:
                    distance = d
                    best = k
            cost += distance
            counts[best] += 1
            for m in range(2):
                sums[best, m] += x[i, m]
        for k in range(2):
            if counts[k] > 0:
                for m in range(2):
                    centres[k, m] = sums[k, m] / counts[k]
    return cost


@program(lambda rng: (rng.standard_normal(5), 0.1, 10))
@njit
def unrolled_gradient_descent(x, rate, steps):
    for _ in range(steps):
        for i in range(len(x) - 1):
            g = 2.0 * (x[i] - 1.0) - 4.0 * x[i] * (x[i + 1] - x[i] ** 2) * 0.1
            x[i] -= rate * g
    return (x * x).sum()


@program(lambda rng: (rng.standard_normal((6, 3)),))
@njit
def pairwise_distances(x):
    d = np.zeros((6, 6))
    for i in range(6):
        for j in range(i):
            s = 0.0
            for k in range(3):
                s += (x[i, k] - x[j, k]) ** 2
            d[i, j] = d[j, i] = math.sqrt(s)
    return d.sum() + d.max()


@program(lambda rng: (rng.standard_normal(8), np.array([0, 1, 1, 2, 0, 2, 2, 1])))
@njit
def grouped_means(x, group):
    sums = np.zeros(3)
    counts = np.zeros(3)
    for i in range(len(x)):
        sums[group[i]] += x[i]
        counts[group[i]] += 1.0
    s = 0.0
    for i in range(len(x)):
        s += (x[i] - sums[group[i]] / counts[group[i]]) ** 2
    return s


@program(lambda rng: (rng.uniform(0.1, 0.9, 10), 0.3))
@njit
def exponential_smoothing(x, a):
    level = x[0]
    sse = 0.0
    for t in range(1, len(x)):
        e = x[t] - level
        sse += e * e
        level += a * e
    return sse


@program(lambda rng: (rng.standard_normal(6), 0.5))
@njit
def huber_and_quantile_losses(x, delta):
    s = 0.0
    for v in x:
        if abs(v) < delta:
            s += 0.5 * v * v
        else:
            s += delta * (abs(v) - 0.5 * delta)
        s += 0.9 * v if v > 0 else -0.1 * v
    return s
