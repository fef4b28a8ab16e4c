"""The adjoints of linear algebra; see `scalar_adjoints` for the rules."""

from __future__ import annotations

from math import cos, log, pi, sin, sqrt, tanh

import numpy as np
from numba import njit


@njit
def swap_reversed_bits(re, im):
    """Exchange each number with the one at its index read backwards; its own inverse."""
    n = len(re)
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j ^= bit
        if i < j:
            re[i], re[j] = re[j], re[i]
            im[i], im[j] = im[j], im[i]


@njit
def fourier(real, d_real, imaginary, d_imaginary, target, d_target):
    """The transform is linear: nothing but the roots of unity is stored, once per length."""
    re, im = real.copy(), imaginary.copy()
    n = len(re)
    cosines, sines = np.empty(n), np.empty(n)
    swap_reversed_bits(re, im)
    length = 2
    while length <= n:
        step = -2.0 * pi / length
        half = length // 2
        for start in range(0, n, length):
            for k in range(half):
                wr, wi = cos(step * k), sin(step * k)
                cosines[half + k], sines[half + k] = wr, wi
                a, b = start + k, start + k + half
                tr = re[b] * wr - im[b] * wi
                ti = re[b] * wi + im[b] * wr
                re[b], im[b] = re[a] - tr, im[a] - ti
                re[a] += tr
                im[a] += ti
        length *= 2
    total = 0.0
    for i in range(n):
        radius = sqrt(re[i] * re[i] + im[i] * im[i])
        miss = radius - target[i]
        total += miss * miss
        # From here on `re` and `im` hold adjoints.
        d_target[i] -= 2.0 * miss
        scale = 2.0 * miss / radius
        re[i] *= scale
        im[i] *= scale
    length = n
    while length > 1:
        half = length // 2
        wr, wi = cosines[half:length], sines[half:length]
        for start in range(0, n, length):
            middle, end = start + half, start + length
            ar, br, ai, bi = re[start:middle], re[middle:end], im[start:middle], im[middle:end]
            for k in range(half):
                tr, ti = ar[k] - br[k], ai[k] - bi[k]
                ar[k] += br[k]
                ai[k] += bi[k]
                br[k] = tr * wr[k] + ti * wi[k]
                bi[k] = ti * wr[k] - tr * wi[k]
        length //= 2
    swap_reversed_bits(re, im)
    for i in range(n):
        d_real[i] += re[i]
        d_imaginary[i] += im[i]
    return total


@njit
def forward_substitution(lower, d_lower, b, d_b):
    """Nothing is stored but the solution."""
    n = len(b)
    x = b.copy()
    for i in range(n):
        s = x[i]
        for j in range(i):
            s -= lower[i, j] * x[j]
        x[i] = s / lower[i, i]
    d_x = 2.0 * x
    for i in range(n - 1, -1, -1):
        d = d_x[i] / lower[i, i]
        d_b[i] += d
        d_lower[i, i] -= d * x[i]
        for j in range(i):
            d_lower[i, j] -= d * x[j]
            d_x[j] -= d * lower[i, j]
    return np.dot(x, x)


@njit
def many_substitutions(lower, d_lower, b, d_b):
    n, m = b.shape
    x = b.copy()
    for i in range(n):
        row = x[i]
        for j in range(i):
            f, other = lower[i, j], x[j]
            for k in range(m):
                row[k] -= f * other[k]
        f = 1.0 / lower[i, i]
        for k in range(m):
            row[k] *= f
    d_x = 2.0 * x
    total = 0.0
    for i in range(n):
        for k in range(m):
            total += x[i, k] * x[i, k]
    for i in range(n - 1, -1, -1):
        f = 1.0 / lower[i, i]
        d, row = d_x[i], x[i]
        s = 0.0
        for k in range(m):
            d[k] *= f
            d_b[i, k] += d[k]
            s += d[k] * row[k]
        d_lower[i, i] -= s
        for j in range(i):
            f, other, d_other = lower[i, j], x[j], d_x[j]
            s = 0.0
            for k in range(m):
                s += d[k] * other[k]
                d_other[k] -= f * d[k]
            d_lower[i, j] -= s
    return total


@njit
def thomas(below, d_below, diagonal, d_diagonal, above, d_above, right, d_right):
    """Pivots, multipliers and both states of the right side are stored."""
    n = len(diagonal)
    c, d, x, per_pivot = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    per_pivot[0] = 1.0 / diagonal[0]
    c[0] = above[0] * per_pivot[0]
    d[0] = right[0] * per_pivot[0]
    for i in range(1, n):
        per_pivot[i] = 1.0 / (diagonal[i] - below[i] * c[i - 1])
        c[i] = above[i] * per_pivot[i]
        d[i] = (right[i] - below[i] * d[i - 1]) * per_pivot[i]
    x[n - 1] = d[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = d[i] - c[i] * x[i + 1]
    # From the solution back to the eliminated system, `d_d` in place of the adjoint of `x`.
    d_d, d_c = np.empty(n), np.zeros(n)
    carried, total = 0.0, 0.0
    for i in range(n):
        total += x[i] * x[i]
        d_d[i] = 2.0 * x[i] + carried
        if i < n - 1:
            d_c[i] = -d_d[i] * x[i + 1]
            carried = -d_d[i] * c[i]
    for i in range(n - 1, 0, -1):
        outer = d_d[i] * per_pivot[i]
        pivot = -outer * d[i] - d_c[i] * c[i] * per_pivot[i]
        d_right[i] += outer
        d_above[i] += d_c[i] * per_pivot[i]
        d_diagonal[i] += pivot
        d_below[i] -= outer * d[i - 1] + pivot * c[i - 1]
        d_d[i - 1] -= outer * below[i]
        d_c[i - 1] -= pivot * below[i]
    d_right[0] += d_d[0] * per_pivot[0]
    d_above[0] += d_c[0] * per_pivot[0]
    d_diagonal[0] -= (d_d[0] * d[0] + d_c[0] * c[0]) * per_pivot[0]
    return total


@njit
def cholesky(a, d_a):
    """The adjoint of the factor takes the place of a copy of it, row by row from below."""
    n = len(a)
    lower = np.zeros_like(a)
    total = 0.0
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= lower[i, k] * lower[j, k]
            if i == j:
                lower[i, i] = sqrt(s)
            else:
                lower[i, j] = s / lower[j, j]
        total += log(lower[i, i])
    d = np.zeros_like(a)
    for i in range(n):
        d[i, i] = 2.0 / lower[i, i]
    for i in range(n - 1, -1, -1):
        for j in range(i, -1, -1):
            if i == j:
                s = 0.5 * d[i, i] / lower[i, i]
                for k in range(j):
                    d[i, k] -= 2.0 * s * lower[i, k]
            else:
                s = d[i, j] / lower[j, j]
                d[j, j] -= s * lower[i, j]
                for k in range(j):
                    d[i, k] -= s * lower[j, k]
                    d[j, k] -= s * lower[i, k]
            d_a[i, j] += s
    return 2.0 * total


@njit
def matmul_loops(a, d_a, b, d_b):
    n, m, w = a.shape[0], a.shape[1], b.shape[1]
    c = np.zeros((n, w))
    for i in range(n):
        for k in range(m):
            f = a[i, k]
            for j in range(w):
                c[i, j] += f * b[k, j]
    total = (c * c).sum()
    c *= 2.0
    turned = b.T.copy()
    for i in range(n):
        # With the transpose all three loops add rows to rows, which can be vectorised.
        for j in range(w):
            f = c[i, j]
            for k in range(m):
                d_a[i, k] += f * turned[j, k]
        for k in range(m):
            f = a[i, k]
            for j in range(w):
                d_b[k, j] += f * c[i, j]
    return total


@njit
def double_product(a, d_a, x, d_x):
    n = len(x)
    rounds = 10
    starts, middles, lengths = np.empty((rounds + 1, n)), np.empty((rounds, n)), np.empty(rounds)
    starts[0] = x
    for t in range(rounds):
        middles[t] = a @ starts[t]
        y = middles[t] @ a
        lengths[t] = np.linalg.norm(y)
        starts[t + 1] = y / lengths[t]
    last = starts[rounds]
    row, column = last @ a, a @ last
    d = row + column
    for i in range(n):
        f = last[i]
        for j in range(n):
            d_a[i, j] += f * last[j]
    for t in range(rounds - 1, -1, -1):
        end, middle, start = starts[t + 1], middles[t], starts[t]
        d_y = (d - np.dot(d, end) * end) / lengths[t]
        d_middle = a @ d_y
        d = d_middle @ a
        for i in range(n):
            f, g = middle[i], d_middle[i]
            for j in range(n):
                d_a[i, j] += f * d_y[j] + g * start[j]
    d_x += d
    return np.dot(row, last)


@njit
def bilinear(x, d_x, a, d_a, y, d_y):
    n, m = x.shape
    left = np.empty(m)
    total = 0.0
    for i in range(n):
        left[:] = 0.0
        for j in range(m):
            f = x[i, j]
            for k in range(m):
                left[k] += f * a[j, k]
        s = 0.0
        for k in range(m):
            s += left[k] * y[i, k]
        value = tanh(s)
        total += value
        d = 1.0 - value * value
        for k in range(m):
            d_y[i, k] += d * left[k]
        for j in range(m):
            f, s = d * x[i, j], 0.0
            for k in range(m):
                s += a[j, k] * y[i, k]
                d_a[j, k] += f * y[i, k]
            d_x[i, j] += d * s
    return total


@njit
def power_iteration(a, d_a, start, d_start):
    n = len(start)
    rounds = 50
    xs, ys, lengths = np.empty((rounds, n)), np.empty((rounds, n)), np.empty(rounds)
    x = start.copy()
    value = 0.0
    for t in range(rounds):
        xs[t] = x
        y = a @ x
        ys[t] = y
        lengths[t] = np.linalg.norm(y)
        value = np.dot(x, y)
        x = y / lengths[t]
    d_y, d = xs[rounds - 1].copy(), ys[rounds - 1].copy()
    for t in range(rounds - 1, -1, -1):
        if t < rounds - 1:
            end = xs[t + 1]
            d_y = (d - np.dot(d, end) * end) / lengths[t]
            d = np.zeros(n)
        d += d_y @ a
        x = xs[t]
        for i in range(n):
            f = d_y[i]
            for j in range(n):
                d_a[i, j] += f * x[j]
    d_start += d
    return value


@njit
def descent(x, d_x, y, d_y, start, d_start, rate, d_rate, steps):
    n = len(y)
    ws, misses = np.empty((steps + 1, len(start))), np.empty((steps + 1, n))
    ws[0] = start
    turned = x.T
    for t in range(steps):
        misses[t] = x @ ws[t] - y
        ws[t + 1] = ws[t] - rate[0] * (turned @ misses[t]) / n
    misses[steps] = x @ ws[steps] - y
    d_miss = 2.0 * misses[steps]
    d_w = d_miss @ x
    for i in range(n):
        d_y[i] -= d_miss[i]
        for j in range(x.shape[1]):
            d_x[i, j] += d_miss[i] * ws[steps, j]
    for t in range(steps - 1, -1, -1):
        miss, w = misses[t], ws[t]
        d_rate[0] -= np.dot(d_w, turned @ miss) / n
        d_slope = -rate[0] / n * d_w
        d_miss = x @ d_slope
        for i in range(n):
            d_y[i] -= d_miss[i]
            for j in range(x.shape[1]):
                d_x[i, j] += miss[i] * d_slope[j] + d_miss[i] * w[j]
        d_w = d_w + d_miss @ x
    d_start += d_w
    return np.sum(misses[steps] ** 2)
