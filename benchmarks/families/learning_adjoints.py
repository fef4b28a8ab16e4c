"""The adjoints of statistics and machine learning; see `scalar_adjoints` for the rules."""

from __future__ import annotations

from math import exp, lgamma, log, sqrt, tanh

import numpy as np
from numba import njit


@njit
def log_sum_exp(x, d_x):
    """The exponentials are stored.

    The shift by the largest number changes the result by nothing but rounding: its adjoint is
    one minus the sum of the weights.
    """
    powers = np.empty_like(x)
    largest = x[0]
    for i in range(x.shape[0]):
        largest = max(largest, x[i])
    total = 0.0
    for i in range(x.shape[0]):
        powers[i] = exp(x[i] - largest)
        total += powers[i]
    scale = 1.0 / total
    for i in range(x.shape[0]):
        d_x[i] += powers[i] * scale
    return largest + log(total)


@njit
def lstm(w, d_w, u, d_u, b, d_b, xs, d_xs, initial, d_initial):
    """Gates and states of all steps are stored."""
    n, steps, inputs = len(initial), xs.shape[0], xs.shape[1]
    h, c = np.empty((steps + 1, n)), np.empty((steps + 1, n))
    gates, bent = np.empty((steps, 4 * n)), np.empty((steps, n))
    for i in range(n):
        h[0, i], c[0, i] = initial[i], 0.0
    for t in range(steps):
        z = gates[t]
        for i in range(4 * n):
            s = b[i]
            for j in range(inputs):
                s += w[i, j] * xs[t, j]
            for j in range(n):
                s += u[i, j] * h[t, j]
            z[i] = s
        for i in range(n):
            z[i] = 1.0 / (1.0 + exp(-z[i]))
            z[n + i] = 1.0 / (1.0 + exp(-z[n + i]))
            z[2 * n + i] = 1.0 / (1.0 + exp(-z[2 * n + i]))
            z[3 * n + i] = tanh(z[3 * n + i])
            c[t + 1, i] = z[i] * c[t, i] + z[n + i] * z[3 * n + i]
            bent[t, i] = tanh(c[t + 1, i])
            h[t + 1, i] = z[2 * n + i] * bent[t, i]
    d_h, d_c = np.empty(n), np.zeros(n)
    total = 0.0
    for i in range(n):
        total += h[steps, i] * h[steps, i]
        d_h[i] = 2.0 * h[steps, i]

    for t in range(steps - 1, -1, -1):
        z = gates[t]  # from here on the adjoint of what goes into the gates
        for i in range(n):
            forget, enter, leave, value = z[i], z[n + i], z[2 * n + i], z[3 * n + i]
            d_c[i] += d_h[i] * leave * (1.0 - bent[t, i] * bent[t, i])
            z[i] = d_c[i] * c[t, i] * forget * (1.0 - forget)
            z[n + i] = d_c[i] * value * enter * (1.0 - enter)
            z[2 * n + i] = d_h[i] * bent[t, i] * leave * (1.0 - leave)
            z[3 * n + i] = d_c[i] * enter * (1.0 - value * value)
            d_c[i] *= forget
            d_h[i] = 0.0
        for i in range(4 * n):
            d_b[i] += z[i]
            for j in range(inputs):
                d_xs[t, j] += w[i, j] * z[i]
                d_w[i, j] += z[i] * xs[t, j]
            for j in range(n):
                d_h[j] += u[i, j] * z[i]
                d_u[i, j] += z[i] * h[t, j]
    for i in range(n):
        d_initial[i] += d_h[i]
    return total


@njit
def gaussian_mixture(x, d_x, means, d_means, log_scales, d_log_scales, weights, d_weights):
    """Per point, distances and the exponentials of the scales are stored."""
    count, dimensions = x.shape
    parts = np.empty(means.shape[0])
    inverse, apart = np.empty_like(means), np.empty_like(means)
    total = 0.0
    for i in range(count):
        largest = -1e300
        for j in range(means.shape[0]):
            q = 0.0
            for m in range(dimensions):
                inverse[j, m] = exp(-log_scales[j, m])
                v = (x[i, m] - means[j, m]) * inverse[j, m]
                apart[j, m] = v
                q += v * v + 2.0 * log_scales[j, m]
            parts[j] = weights[j] - 0.5 * q
            largest = max(largest, parts[j])
        s = 0.0
        for j in range(means.shape[0]):
            parts[j] = exp(parts[j] - largest)
            s += parts[j]
        total += largest + log(s)
        scale = 1.0 / s
        for j in range(means.shape[0]):
            share = parts[j] * scale
            d_weights[j] += share
            for m in range(dimensions):
                v = apart[j, m]
                pull = share * v * inverse[j, m]
                d_x[i, m] -= pull
                d_means[j, m] += pull
                d_log_scales[j, m] += share * (v * v - 1.0)
    return total


@njit
def k_means(points, d_points, centres, d_centres):
    n, m = points.shape
    total = 0.0
    for i in range(n):
        best, nearest = np.inf, 0
        for j in range(len(centres)):
            d = 0.0
            for k in range(m):
                d += (points[i, k] - centres[j, k]) ** 2
            if d < best:
                best, nearest = d, j
        total += best
        for k in range(m):
            pull = 2.0 * (points[i, k] - centres[nearest, k]) / n
            d_points[i, k] += pull
            d_centres[nearest, k] -= pull
    return total / n


@njit
def logistic_regression(x, d_x, labels, w, d_w, bias, d_bias):
    z = x @ w
    m = len(w)
    total, d_b = 0.0, 0.0
    for i in range(len(z)):
        power = exp(-labels[i] * (z[i] + bias[0]))
        total += np.log1p(power)
        d = -labels[i] * power / (1.0 + power)
        d_b += d
        for j in range(m):
            d_x[i, j] += d * w[j]
            d_w[j] += d * x[i, j]
    d_bias[0] += d_b
    for j in range(m):
        total += 0.5 * w[j] * w[j]
        d_w[j] += w[j]
    return total


@njit
def poisson_regression(x, d_x, counts, w, d_w):
    total = 0.0
    m = len(w)
    for i in range(len(x)):
        eta = 0.0
        for j in range(m):
            eta += x[i, j] * w[j]
        rate = exp(eta)
        total += rate - counts[i] * eta + lgamma(counts[i] + 1.0)
        d = rate - counts[i]
        for j in range(m):
            d_x[i, j] += d * w[j]
            d_w[j] += d * x[i, j]
    return total


@njit
def softmax_regression(x, d_x, labels, w, d_w):
    n, m, classes = len(x), x.shape[1], w.shape[1]
    logits = np.empty(classes)
    loss = 0.0
    for i in range(n):
        logits[:] = 0.0
        for j in range(m):
            for c in range(classes):
                logits[c] += x[i, j] * w[j, c]
        top, right = logits.max(), logits[labels[i]]
        s = 0.0
        for c in range(classes):
            logits[c] = exp(logits[c] - top)
            s += logits[c]
        loss += log(s) + top - right
        scale = 1.0 / (s * n)
        for c in range(classes):
            logits[c] *= scale
        logits[labels[i]] -= 1.0 / n
        for j in range(m):
            s, f = 0.0, x[i, j]
            for c in range(classes):
                s += w[j, c] * logits[c]
                d_w[j, c] += f * logits[c]
            d_x[i, j] += s
    return loss / n


@njit
def perceptron(x, d_x, y, d_y, w1, d_w1, b1, d_b1, w2, d_w2, b2, d_b2):
    hidden = np.tanh(x @ w1 + b1)
    out = hidden @ w2
    n, m = out.shape
    loss = 0.0
    for i in range(n):
        for j in range(m):
            miss = out[i, j] + b2[j] - y[i, j]
            loss += miss * miss
            out[i, j] = 2.0 * miss / (n * m)
            d_y[i, j] -= out[i, j]
            d_b2[j] += out[i, j]
    d_w2 += hidden.T @ out
    d_hidden = out @ w2.T
    for i in range(n):
        for j in range(hidden.shape[1]):
            d_hidden[i, j] *= 1.0 - hidden[i, j] * hidden[i, j]
            d_b1[j] += d_hidden[i, j]
    d_w1 += x.T @ d_hidden
    d_x += d_hidden @ w1.T
    return loss / (n * m)


@njit
def perceptron_loops(x, d_x, y, d_y, w1, d_w1, w2, d_w2):
    n, m = x.shape
    width = len(w2)
    hidden = np.empty(width)
    loss = 0.0
    for i in range(n):
        out = 0.0
        for h in range(width):
            s = 0.0
            for j in range(m):
                s += w1[h, j] * x[i, j]
            hidden[h] = max(s, 0.0)
            out += w2[h] * hidden[h]
        miss = out - y[i]
        loss += miss * miss
        d_out = 2.0 * miss / n
        d_y[i] -= d_out
        for h in range(width):
            if hidden[h] > 0.0:
                d_w2[h] += d_out * hidden[h]
                d = d_out * w2[h]
                for j in range(m):
                    d_w1[h, j] += d * x[i, j]
                    d_x[i, j] += d * w1[h, j]
    return loss / n


@njit
def attention(x, d_x, wq, d_wq, wk, d_wk, wv, d_wv):
    n = len(x)
    q, k, v = x @ wq, x @ wk, x @ wv
    scale = 1.0 / sqrt(q.shape[1])
    shares = q @ k.T
    for i in range(n):
        row = shares[i]
        top = row.max() * scale
        s = 0.0
        for j in range(n):
            row[j] = exp(row[j] * scale - top)
            s += row[j]
        for j in range(n):
            row[j] /= s
    out = shares @ v
    value = (out * out).sum()
    out *= 2.0
    d_v = shares.T @ out
    d_shares = out @ v.T
    for i in range(n):
        row, d_row = shares[i], d_shares[i]
        s = np.dot(row, d_row)
        for j in range(n):
            d_row[j] = scale * row[j] * (d_row[j] - s)
    d_q, d_k = d_shares @ k, d_shares.T @ q
    d_wq += x.T @ d_q
    d_wk += x.T @ d_k
    d_wv += x.T @ d_v
    d_x += d_q @ wq.T + d_k @ wk.T + d_v @ wv.T
    return value


@njit
def hidden_markov(start, d_start, transition, d_transition, emission, d_emission, observed):
    """All states are stored; the shares of the sums are computed again from them."""
    n, steps = len(start), len(observed)
    alphas = np.empty((steps, n))
    logs = np.log(transition)
    for j in range(n):
        alphas[0, j] = log(start[j]) + log(emission[j, observed[0]])
    for t in range(1, steps):
        old, new = alphas[t - 1], alphas[t]
        for j in range(n):
            top = -np.inf
            for i in range(n):
                top = max(top, old[i] + logs[i, j])
            s = 0.0
            for i in range(n):
                s += exp(old[i] + logs[i, j] - top)
            new[j] = top + log(s) + log(emission[j, observed[t]])
    last = alphas[steps - 1]
    top = last.max()
    d = np.exp(last - top)
    value = top + log(d.sum())
    d /= d.sum()
    d_logs, d_old = np.zeros((n, n)), np.empty(n)
    for t in range(steps - 1, 0, -1):
        old, new, seen = alphas[t - 1], alphas[t], observed[t]
        d_old[:] = 0.0
        for j in range(n):
            d_emission[j, seen] += d[j] / emission[j, seen]
            before = new[j] - log(emission[j, seen])
            for i in range(n):
                share = d[j] * exp(old[i] + logs[i, j] - before)
                d_old[i] += share
                d_logs[i, j] += share
        d, d_old = d_old, d
    for j in range(n):
        d_start[j] += d[j] / start[j]
        d_emission[j, observed[0]] += d[j] / emission[j, observed[0]]
    d_transition += d_logs / transition
    return value


@njit
def soft_dtw(x, d_x, y, d_y, gamma):
    """The table is stored; the shares follow from it and the distances, which are stored too."""
    n, m, dims = len(x), len(y), x.shape[1]
    r, distance = np.full((n + 1, m + 1), 1e10), np.empty((n, m))
    r[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            d = 0.0
            for k in range(dims):
                d += (x[i - 1, k] - y[j - 1, k]) ** 2
            distance[i - 1, j - 1] = d
            a, b, c = r[i - 1, j], r[i, j - 1], r[i - 1, j - 1]
            low = min(a, min(b, c))
            s = exp((low - a) / gamma) + exp((low - b) / gamma) + exp((low - c) / gamma)
            r[i, j] = d + low - gamma * log(s)
    e = np.zeros((n + 1, m + 1))
    e[n, m] = 1.0
    for i in range(n, 0, -1):
        for j in range(m, 0, -1):
            d = e[i, j]
            before = r[i, j] - distance[i - 1, j - 1]
            e[i - 1, j] += d * exp((before - r[i - 1, j]) / gamma)
            e[i, j - 1] += d * exp((before - r[i, j - 1]) / gamma)
            e[i - 1, j - 1] += d * exp((before - r[i - 1, j - 1]) / gamma)
            for k in range(dims):
                pull = 2.0 * d * (x[i - 1, k] - y[j - 1, k])
                d_x[i - 1, k] += pull
                d_y[j - 1, k] -= pull
    return r[n, m]


@njit
def neighbours(p, d_p, y, d_y):
    n, dims = y.shape
    q = np.zeros((n, n))
    total = 0.0
    for i in range(n):
        for j in range(n):
            if i != j:
                s = 1.0
                for k in range(dims):
                    s += (y[i, k] - y[j, k]) ** 2
                q[i, j] = 1.0 / s
                total += q[i, j]
    loss, d_total = 0.0, 0.0
    for i in range(n):
        for j in range(n):
            if i != j:
                ratio = log(p[i, j] / q[i, j] * total)
                loss += p[i, j] * ratio
                d_p[i, j] += ratio + 1.0
                d_total += p[i, j]
    d_total /= total
    for i in range(n):
        for j in range(n):
            if i != j:
                d = d_total - p[i, j] / q[i, j]
                scale = -2.0 * d * q[i, j] * q[i, j]
                for k in range(dims):
                    pull = scale * (y[i, k] - y[j, k])
                    d_y[i, k] += pull
                    d_y[j, k] -= pull
    return loss


@njit
def factorisation(users, d_users, items, d_items, user_of, item_of, ratings, d_ratings):
    loss = 0.0
    m = users.shape[1]
    for k in range(len(ratings)):
        u, i = user_of[k], item_of[k]
        s = 0.0
        for d in range(m):
            s += users[u, d] * items[i, d]
        miss = ratings[k] - s
        loss += miss * miss
        d_ratings[k] += 2.0 * miss
        for d in range(m):
            d_users[u, d] -= 2.0 * miss * items[i, d]
            d_items[i, d] -= 2.0 * miss * users[u, d]
    d_users += 0.2 * users
    d_items += 0.2 * items
    return loss + 0.1 * (np.sum(users**2) + np.sum(items**2))
