"""The adjoints of stencils and array expressions; see `scalar_adjoints` for the rules."""

from __future__ import annotations

from math import cos, cosh, exp, log1p, sin, sinh, sqrt

import numpy as np
from numba import njit


@njit
def heat(initial, d_initial, kappa, d_kappa, steps):
    """All time steps are stored; backwards each cell gathers from its neighbours."""
    rows, columns = initial.shape
    history = np.empty((steps + 1, rows, columns))
    for i in range(rows):
        for j in range(columns):
            history[0, i, j] = initial[i, j]
    for t in range(steps):
        u, new = history[t], history[t + 1]
        for j in range(columns):
            new[0, j], new[rows - 1, j] = u[0, j], u[rows - 1, j]
        for i in range(1, rows - 1):
            new[i, 0], new[i, columns - 1] = u[i, 0], u[i, columns - 1]
            for j in range(1, columns - 1):
                around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
                new[i, j] = u[i, j] + kappa[i, j] * (around - 4.0 * u[i, j])
    u = history[steps]
    d_u = np.empty((rows, columns))
    total = 0.0
    for i in range(rows):
        for j in range(columns):
            total += u[i, j] * u[i, j]
            d_u[i, j] = 2.0 * u[i, j]
    flow = np.zeros((rows, columns))  # kappa times d_u, and zero on the border
    for t in range(steps - 1, -1, -1):
        u = history[t]
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
                d_kappa[i, j] += d_u[i, j] * (around - 4.0 * u[i, j])
                flow[i, j] = d_u[i, j] * kappa[i, j]
        for j in range(1, columns - 1):
            d_u[0, j] += flow[1, j]
            d_u[rows - 1, j] += flow[rows - 2, j]
        for i in range(1, rows - 1):
            d_u[i, 0] += flow[i, 1]
            d_u[i, columns - 1] += flow[i, columns - 2]
            for j in range(1, columns - 1):
                around = flow[i - 1, j] + flow[i + 1, j] + flow[i, j - 1] + flow[i, j + 1]
                d_u[i, j] += around - 4.0 * flow[i, j]
    for i in range(rows):
        for j in range(columns):
            d_initial[i, j] += d_u[i, j]
    return total


@njit
def wrap(a):
    """Fill the border of a periodic field from the opposite sides."""
    n, m = a.shape
    for j in range(m):
        a[0, j], a[n - 1, j] = a[n - 2, j], a[1, j]
    for i in range(n):
        a[i, 0], a[i, m - 1] = a[i, m - 2], a[i, 1]


@njit
def brusselator(u0, d_u0, v0, d_v0, a, b, steps):
    """All time steps are stored; the fields of adjoints have a border, so that no index wraps."""
    n = u0.shape[0]
    us, vs = np.empty((steps + 1, n, n)), np.empty((steps + 1, n, n))
    for i in range(n):
        for j in range(n):
            us[0, i, j], vs[0, i, j] = u0[i, j], v0[i, j]
    for t in range(steps):
        u, v, new_u, new_v = us[t], vs[t], us[t + 1], vs[t + 1]
        for i in range(n):
            up, down = (i + 1) % n, (i - 1) % n
            for j in range(n):
                right, left = (j + 1) % n, (j - 1) % n
                lu = u[up, j] + u[down, j] + u[i, right] + u[i, left] - 4.0 * u[i, j]
                lv = v[up, j] + v[down, j] + v[i, right] + v[i, left] - 4.0 * v[i, j]
                uuv = u[i, j] * u[i, j] * v[i, j]
                new_u[i, j] = u[i, j] + 1e-3 * (b + uuv - (a + 1.0) * u[i, j] + 10.0 * lu)
                new_v[i, j] = v[i, j] + 1e-3 * (a * u[i, j] - uuv + 10.0 * lv)
    u, v = us[steps], vs[steps]
    total = 0.0
    d_u, d_v = np.empty((n + 2, n + 2)), np.empty((n + 2, n + 2))
    old_u, old_v = np.empty((n + 2, n + 2)), np.empty((n + 2, n + 2))
    for i in range(n):
        for j in range(n):
            total += u[i, j] * u[i, j] + v[i, j]
            d_u[i + 1, j + 1] = 2.0 * u[i, j]
            d_v[i + 1, j + 1] = 1.0
    for t in range(steps - 1, -1, -1):
        u, v = us[t], vs[t]
        wrap(d_u)
        wrap(d_v)
        for i in range(1, n + 1):
            for j in range(1, n + 1):
                x, y = u[i - 1, j - 1], v[i - 1, j - 1]
                p, q = d_u[i, j], d_v[i, j]
                lp = d_u[i - 1, j] + d_u[i + 1, j] + d_u[i, j - 1] + d_u[i, j + 1] - 4.0 * p
                lq = d_v[i - 1, j] + d_v[i + 1, j] + d_v[i, j - 1] + d_v[i, j + 1] - 4.0 * q
                d_uuv = p - q
                old_u[i, j] = p + 1e-3 * (2.0 * x * y * d_uuv - (a + 1.0) * p + a * q + 10.0 * lp)
                old_v[i, j] = q + 1e-3 * (x * x * d_uuv + 10.0 * lq)
        d_u, old_u = old_u, d_u
        d_v, old_v = old_v, d_v
    for i in range(n):
        for j in range(n):
            d_u0[i, j] += d_u[i + 1, j + 1]
            d_v0[i, j] += d_v[i + 1, j + 1]
    return total


@njit
def heat_slices(initial, d_initial, kappa, d_kappa, steps):
    """The numbers around each cell are what the slope by `kappa` is: they are stored."""
    rows, columns = initial.shape
    u = initial.copy()
    tape = np.empty((steps, rows, columns))
    for t in range(steps):
        flow = tape[t]
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
                flow[i, j] = around - 4.0 * u[i, j]
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                u[i, j] += kappa[i, j] * flow[i, j]
    total = 0.0
    d_u = np.empty((rows, columns))
    for i in range(rows):
        for j in range(columns):
            total += u[i, j] * u[i, j]
            d_u[i, j] = 2.0 * u[i, j]
    back = np.zeros((rows, columns))
    for t in range(steps - 1, -1, -1):
        flow = tape[t]
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                d_kappa[i, j] += d_u[i, j] * flow[i, j]
                back[i, j] = d_u[i, j] * kappa[i, j]
        for j in range(1, columns - 1):
            d_u[0, j] += back[1, j]
            d_u[rows - 1, j] += back[rows - 2, j]
        for i in range(1, rows - 1):
            d_u[i, 0] += back[i, 1]
            d_u[i, columns - 1] += back[i, columns - 2]
            for j in range(1, columns - 1):
                around = back[i - 1, j] + back[i + 1, j] + back[i, j - 1] + back[i, j + 1]
                d_u[i, j] += around - 4.0 * back[i, j]
    for i in range(rows):
        for j in range(columns):
            d_initial[i, j] += d_u[i, j]
    return total


@njit
def wave(initial, d_initial, speed, d_speed, steps):
    """All time steps are stored."""
    n = len(initial)
    u = np.empty((steps + 2, n))
    u[0] = initial
    u[1] = initial
    squares = speed * speed
    for t in range(steps):
        old, now, new = u[t], u[t + 1], u[t + 2]
        new[0], new[n - 1] = now[0], now[n - 1]
        for i in range(1, n - 1):
            bend = now[i + 1] - 2.0 * now[i] + now[i - 1]
            new[i] = 2.0 * now[i] - old[i] + squares[i] * bend
    total = 0.0
    last = u[steps + 1]
    d_new, d_now = np.empty(n), np.zeros(n)
    d_squares, flow = np.zeros(n), np.zeros(n)
    for i in range(n):
        total += last[i] * last[i]
        d_new[i] = 2.0 * last[i]
    for t in range(steps - 1, -1, -1):
        now = u[t + 1]
        for i in range(1, n - 1):
            d_squares[i] += d_new[i] * (now[i + 1] - 2.0 * now[i] + now[i - 1])
            flow[i] = d_new[i] * squares[i]
        # In place of the adjoint of the newest comes that of the oldest.
        d_now[0] += d_new[0] + flow[1]
        d_now[n - 1] += d_new[n - 1] + flow[n - 2]
        d_new[0], d_new[n - 1] = 0.0, 0.0
        for i in range(1, n - 1):
            d_now[i] += 2.0 * d_new[i] + flow[i - 1] - 2.0 * flow[i] + flow[i + 1]
            d_new[i] = -d_new[i]
        d_new, d_now = d_now, d_new
    for i in range(n):
        d_initial[i] += d_new[i] + d_now[i]
        d_speed[i] += 2.0 * speed[i] * d_squares[i]
    return total


@njit
def total_variation(image, d_image, noisy, d_noisy):
    rows, columns = image.shape
    total, fit = 0.0, 0.0
    for i in range(rows - 1):
        for j in range(columns - 1):
            dx = image[i + 1, j] - image[i, j]
            dy = image[i, j + 1] - image[i, j]
            length = sqrt(dx * dx + dy * dy + 1e-6)
            total += length
            scale = 0.1 / length
            d_image[i + 1, j] += scale * dx
            d_image[i, j + 1] += scale * dy
            d_image[i, j] -= scale * (dx + dy)
    for i in range(rows):
        for j in range(columns):
            miss = image[i, j] - noisy[i, j]
            fit += miss * miss
            d_image[i, j] += miss
            d_noisy[i, j] -= miss
    return 0.1 * total + 0.5 * fit


@njit
def convolution(image, d_image, kernel, d_kernel, target, d_target):
    m = kernel.shape[0]
    rows, columns = image.shape[0] - m + 1, image.shape[1] - m + 1
    out = np.zeros((rows, columns))
    for i in range(rows):
        for a in range(m):
            for b in range(m):
                k = kernel[a, b]
                for j in range(columns):
                    out[i, j] += k * image[i + a, j + b]
    total = 0.0
    scale = 1.0 / (rows * columns)
    for i in range(rows):
        for j in range(columns):
            miss = out[i, j] - target[i, j]
            total += miss * miss
            out[i, j] = 2.0 * scale * miss
            d_target[i, j] -= out[i, j]
    for i in range(rows):
        for a in range(m):
            for b in range(m):
                k = kernel[a, b]
                for j in range(columns):
                    d_image[i + a, j + b] += k * out[i, j]
    for a in range(m):
        for b in range(m):
            # The products have to be added in some order: one sum per column can be vectorised.
            sums = np.zeros(columns)
            for i in range(rows):
                for j in range(columns):
                    sums[j] += out[i, j] * image[i + a, j + b]
            d_kernel[a, b] += sums.sum()
    return total * scale


@njit
def standardise(x, d_x, scale, d_scale, shift, d_shift, target, d_target):
    n, m = x.shape
    mean, spread = np.zeros(m), np.zeros(m)
    for i in range(n):
        for j in range(m):
            mean[j] += x[i, j]
    mean /= n
    for i in range(n):
        for j in range(m):
            spread[j] += (x[i, j] - mean[j]) ** 2
    inverse = 1.0 / np.sqrt(spread / n + 1e-5)
    slopes, along = np.zeros(m), np.zeros(m)
    total = 0.0
    for i in range(n):
        lost = np.zeros(m)
        for j in range(m):
            part = (x[i, j] - mean[j]) * inverse[j]
            miss = scale[j] * part + shift[j] - target[i, j]
            lost[j] = miss * miss
            d_target[i, j] -= 2.0 * miss
            slopes[j] += 2.0 * miss
            along[j] += 2.0 * miss * part
        total += lost.sum()
    for j in range(m):
        d_scale[j] += along[j]
        d_shift[j] += slopes[j]
    slopes /= n
    along /= n
    for i in range(n):
        for j in range(m):
            part = (x[i, j] - mean[j]) * inverse[j]
            miss = scale[j] * part + shift[j] - target[i, j]
            d_x[i, j] += scale[j] * inverse[j] * (2.0 * miss - slopes[j] - part * along[j])
    return total


@njit
def pairwise(x, d_x, y, d_y, width, d_width):
    """Nothing is stored: each pair is taken forwards and backwards at once."""
    n, m = x.shape
    total, d_w = 0.0, 0.0
    per_width = 1.0 / width[0]
    for i in range(n):
        for j in range(len(y)):
            squared = 0.0
            for k in range(m):
                squared += (x[i, k] - y[j, k]) ** 2
            power = exp(-squared * per_width)
            total += power
            d_w += power * squared
            scale = 2.0 * power * per_width
            for k in range(m):
                pull = scale * (x[i, k] - y[j, k])
                d_x[i, k] -= pull
                d_y[j, k] += pull
    d_width[0] += d_w * per_width * per_width
    return total


@njit
def huber(prediction, d_prediction, target, d_target, weights, d_weights):
    n = len(prediction)
    total = weights.sum()
    per_total = 1.0 / total
    lost = np.empty(n)
    for i in range(n):
        miss = prediction[i] - target[i]
        size = abs(miss)
        small = size < 1.0
        lost[i] = 0.5 * miss * miss if small else size - 0.5
        slope = miss if small else 1.0 if miss > 0.0 else -1.0
        pull = weights[i] * slope * per_total
        d_prediction[i] += pull
        d_target[i] -= pull
    value = np.sum(weights * lost) * per_total
    for i in range(n):
        d_weights[i] += (lost[i] - value) * per_total
    return value


@njit
def elementwise(x, d_x, a, d_a, b, d_b, c, d_c):
    total = 0.0
    for i in range(len(x)):
        square = x[i] * x[i]
        power, sine, cosine = exp(-a[i] * square), sin(b[i] * x[i]), cos(b[i] * x[i])
        inside = c[i] * c[i] * square
        logarithm, above = log1p(inside), cosh(x[i])
        total += power * sine + logarithm / above
        per_above = 1.0 / above
        outer = 2.0 * c[i] * x[i] / (1.0 + inside) * per_above
        d_a[i] -= square * power * sine
        d_b[i] += x[i] * power * cosine
        d_c[i] += outer * x[i]
        d_x[i] += (
            b[i] * power * cosine
            - 2.0 * a[i] * x[i] * power * sine
            + outer * c[i]
            - logarithm * sinh(x[i]) * per_above * per_above
        )
    return total
