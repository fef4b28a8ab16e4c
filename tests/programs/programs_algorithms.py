"""Classical algorithms: transforms, interpolation, searching, sorting, geometry."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from tests.programs.cases import program
from tests.programs.values import Held


@program(lambda rng: (rng.standard_normal(6), 0.7), single=True)
@njit
def horner(c, x):
    s = 0.0
    for i in range(len(c) - 1, -1, -1):
        s = s * x + c[i]
    return s


@program(lambda rng: (rng.standard_normal(5), 0.3), single=True)
@njit
def de_casteljau(points, t):
    p = points.copy()
    for k in range(1, len(p)):
        for i in range(len(p) - k):
            p[i] = (1.0 - t) * p[i] + t * p[i + 1]
    return p[0]


@program(lambda rng: (rng.standard_normal((4, 2)), 0.3))
@njit
def bezier_curve_length(points, t):
    length = 0.0
    last_x, last_y = points[0, 0], points[0, 1]
    for step in range(1, 6):
        u = step / 5 * t
        p = points.copy()
        for k in range(1, 4):
            for i in range(4 - k):
                for d in range(2):
                    p[i, d] = (1.0 - u) * p[i, d] + u * p[i + 1, d]
        length += math.hypot(p[0, 0] - last_x, p[0, 1] - last_y)
        last_x, last_y = p[0, 0], p[0, 1]
    return length


@program(lambda rng: (rng.standard_normal(5), 0.6))
@njit
def chebyshev_clenshaw(c, x):
    b1 = 0.0
    b2 = 0.0
    for k in range(len(c) - 1, 0, -1):
        b1, b2 = 2.0 * x * b1 - b2 + c[k], b1
    return x * b1 - b2 + c[0]


@njit
def _fft_in_place(re, im):
    n = len(re)
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j |= bit
        if i < j:
            re[i], re[j] = re[j], re[i]
            im[i], im[j] = im[j], im[i]
    size = 2
    while size <= n:
        half = size // 2
        for start in range(0, n, size):
            for k in range(half):
                c = math.cos(2 * math.pi * k / size)
                s = -math.sin(2 * math.pi * k / size)
                a, b = start + k, start + k + half
                tr = re[b] * c - im[b] * s
                ti = re[b] * s + im[b] * c
                re[b], im[b] = re[a] - tr, im[a] - ti
                re[a], im[a] = re[a] + tr, im[a] + ti
        size *= 2


@program(lambda rng: (rng.standard_normal(8), rng.standard_normal(8)), single=True)
@njit
def fft_radix2(re, im):
    _fft_in_place(re, im)


@program(lambda rng: (rng.standard_normal(8),))
@njit
def power_spectrum(x):
    re, im = x.copy(), np.zeros(8)
    _fft_in_place(re, im)
    s = 0.0
    for i in range(8):
        s += math.log(1.0 + re[i] ** 2 + im[i] ** 2)
    return s


@njit
def _fft_recursive(re, im):
    n = len(re)
    if n == 1:
        return re.copy(), im.copy()
    er, ei = _fft_recursive(re[::2].copy(), im[::2].copy())
    odd_r, odd_i = _fft_recursive(re[1::2].copy(), im[1::2].copy())
    out_r, out_i = np.empty(n), np.empty(n)
    for k in range(n // 2):
        c, s = math.cos(2 * math.pi * k / n), -math.sin(2 * math.pi * k / n)
        tr, ti = odd_r[k] * c - odd_i[k] * s, odd_r[k] * s + odd_i[k] * c
        out_r[k], out_i[k] = er[k] + tr, ei[k] + ti
        out_r[k + n // 2], out_i[k + n // 2] = er[k] - tr, ei[k] - ti
    return out_r, out_i


@program(lambda rng: (rng.standard_normal(8), rng.standard_normal(8)))
@njit
def fft_recursive(re, im):
    a, b = _fft_recursive(re, im)
    return (a * a * b).sum() + a[3]


@program(lambda rng: (np.sort(rng.uniform(0, 5, 6)), rng.standard_normal(6), 2.3))
@njit
def linear_interpolation(grid, values, x):
    low, high = 0, len(grid) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if grid[middle] > x:
            high = middle
        else:
            low = middle
    t = (x - grid[low]) / (grid[high] - grid[low])
    return values[low] * (1.0 - t) + values[high] * t


@program(lambda rng: (np.arange(6.0), rng.standard_normal(6), rng.uniform(0.1, 4.9, 4)))
@njit
def interpolation_many(grid, values, xs):
    s = 0.0
    for x in xs:
        k = np.searchsorted(grid, x) - 1
        t = (x - grid[k]) / (grid[k + 1] - grid[k])
        s += ((1 - t) * values[k] + t * values[k + 1]) ** 2
    return s


@program(lambda rng: (rng.standard_normal((4, 5)), 1.4, 2.7))
@njit
def bilinear_interpolation(f, x, y):
    i, j = int(x), math.floor(y)
    a, b = x - i, y - j
    top = f[i, j] * (1 - b) + f[i, j + 1] * b
    bottom = f[i + 1, j] * (1 - b) + f[i + 1, j + 1] * b
    return top * (1 - a) + bottom * a


@program(lambda rng: (rng.standard_normal(6), 2.4))
@njit
def natural_spline(y, x):
    n = len(y)
    m = np.zeros(n)
    c = np.zeros(n)
    d = np.zeros(n)
    for i in range(1, n - 1):
        w = 4.0 - c[i - 1]
        c[i] = 1.0 / w
        d[i] = (6.0 * (y[i + 1] - 2 * y[i] + y[i - 1]) - d[i - 1]) / w
    for i in range(n - 2, 0, -1):
        m[i] = d[i] - c[i] * m[i + 1]
    k = int(x)
    a, b = k + 1 - x, x - k
    s = m[k] * a**3 / 6 + m[k + 1] * b**3 / 6
    return s + (y[k] - m[k] / 6) * a + (y[k + 1] - m[k + 1] / 6) * b


@program(lambda rng: (np.arange(9.0), rng.standard_normal(5), 3.6))
@njit
def cox_de_boor(knots, c, x):
    degree = 3
    k = degree
    while k < len(c) - 1 and x >= knots[k + 1]:
        k += 1
    d = np.empty(degree + 1)
    for j in range(degree + 1):
        d[j] = c[j + k - degree]
    for r in range(1, degree + 1):
        for j in range(degree, r - 1, -1):
            left = knots[j + k - degree]
            alpha = (x - left) / (knots[j + 1 + k - r] - left)
            d[j] = (1.0 - alpha) * d[j - 1] + alpha * d[j]
    return d[degree]


@program(lambda rng: (np.array([0.0, 0.7, 1.9, 3.0]), rng.standard_normal(4), 1.3))
@njit
def lagrange_polynomial(x, y, t):
    s = 0.0
    for i in range(len(x)):
        p = y[i]
        for j in range(len(x)):
            if i != j:
                p *= (t - x[j]) / (x[i] - x[j])
        s += p
    return s


@program(lambda rng: (np.array([0.0, 0.7, 1.9, 3.0]), rng.standard_normal(4), 1.3))
@njit
def newton_divided_differences(x, y, t):
    c = y.copy()
    n = len(x)
    for k in range(1, n):
        for i in range(n - 1, k - 1, -1):
            c[i] = (c[i] - c[i - 1]) / (x[i] - x[i - k])
    s = c[n - 1]
    for i in range(n - 2, -1, -1):
        s = s * (t - x[i]) + c[i]
    return s


@program(lambda rng: (2.3, 0.4))
@njit
def bisection_then_newton(a, b):
    low, high = 0.0, 10.0
    for _ in range(20):
        middle = 0.5 * (low + high)
        if middle**3 + b * middle - a > 0.0:
            high = middle
        else:
            low = middle
    x = 0.5 * (low + high)
    x -= (x**3 + b * x - a) / (3 * x * x + b)
    x -= (x**3 + b * x - a) / (3 * x * x + b)
    return x


@program(lambda rng: (2.3, 0.4))
@njit
def secant_method(a, b):
    x0, x1 = 1.0, 2.0
    f0 = x0 * x0 * x0 + b * x0 - a
    for _ in range(4):
        f1 = x1 * x1 * x1 + b * x1 - a
        x0, x1, f0 = x1, x1 - f1 * (x1 - x0) / (f1 - f0), f1
    return x1


@program(lambda rng: (0.3, 2.0, 1.4))
@njit
def simpson_integral(low, high, k):
    n = 10
    h = (high - low) / n
    s = math.exp(-k * low * low) + math.exp(-k * high * high)
    for i in range(1, n):
        x = low + i * h
        s += (4.0 if i % 2 else 2.0) * math.exp(-k * x * x)
    return s * h / 3


@njit
def _adaptive(a, b, k, depth):
    m = 0.5 * (a + b)
    whole = (b - a) / 6 * (math.sin(k * a) + 4 * math.sin(k * m) + math.sin(k * b))
    if depth == 0 or abs(b - a) < 0.2:
        return whole
    return _adaptive(a, m, k, depth - 1) + _adaptive(m, b, k, depth - 1)


@program(lambda rng: (0.3, 2.0, 1.4))
@njit
def adaptive_quadrature(a, b, k):
    return _adaptive(a, b, k, 4)


@program(lambda rng: (0.5, 1.2))
@njit
def romberg(a, b):
    t = np.zeros((4, 4))
    for i in range(4):
        n = 2**i
        h = (b - a) / n
        s = 0.5 * (math.exp(a * a) + math.exp(b * b))
        for k in range(1, n):
            s += math.exp((a + k * h) ** 2)
        t[i, 0] = s * h
        for j in range(1, i + 1):
            t[i, j] = t[i, j - 1] + (t[i, j - 1] - t[i - 1, j - 1]) / (4**j - 1)
    return t[3, 3]


@program(lambda rng: (rng.permutation(6) + 0.1 * rng.standard_normal(6),), single=True)
@njit
def bubble_sort(x):
    for i in range(len(x)):
        for j in range(len(x) - 1 - i):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]


@program(lambda rng: (rng.permutation(6) + 0.1 * rng.standard_normal(6),))
@njit
def insertion_sort(x):
    for i in range(1, len(x)):
        key = x[i]
        j = i - 1
        while j >= 0 and x[j] > key:
            x[j + 1] = x[j]
            j -= 1
        x[j + 1] = key
    return x[0] * x[5]


@program(lambda rng: (rng.permutation(4) + 0.1 * rng.standard_normal(4),))
@njit
def sorting_network(x):
    for a, b in ((0, 1), (2, 3), (0, 2), (1, 3), (1, 2)):
        low, high = min(x[a], x[b]), max(x[a], x[b])
        x[a], x[b] = low, high
    return x[0] * x[1] + x[2] ** 2 * x[3]


@program(lambda rng: (rng.permutation(7) + 0.1 * rng.standard_normal(7),))
@njit
def heap_sort_sum(x):
    n = len(x)
    for root in range(n // 2 - 1, -1, -1):
        i = root
        while True:
            child = 2 * i + 1
            if child >= n:
                break
            if child + 1 < n and x[child + 1] > x[child]:
                child += 1
            if x[i] >= x[child]:
                break
            x[i], x[child] = x[child], x[i]
            i = child
    return x[0] ** 2 + x[1] * x[2]


@njit
def _quicksort(x, low, high):
    if low >= high:
        return
    pivot = x[high]
    i = low
    for j in range(low, high):
        if x[j] < pivot:
            x[i], x[j] = x[j], x[i]
            i += 1
    x[i], x[high] = x[high], x[i]
    _quicksort(x, low, i - 1)
    _quicksort(x, i + 1, high)


@program(lambda rng: (rng.permutation(6) + 0.1 * rng.standard_normal(6),))
@njit
def quick_sort(x):
    _quicksort(x, 0, len(x) - 1)
    return x[2] * x[3]


@program(lambda rng: (rng.uniform(1, 3, (5, 5)),))
@njit
def floyd_warshall(d):
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]


@program(lambda rng: (rng.uniform(1, 3, (4, 5)),))
@njit
def cheapest_grid_path(cost):
    n, m = cost.shape
    best = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            if i == 0 and j == 0:
                best[i, j] = cost[i, j]
            elif i == 0:
                best[i, j] = best[i, j - 1] + cost[i, j]
            elif j == 0:
                best[i, j] = best[i - 1, j] + cost[i, j]
            else:
                best[i, j] = min(best[i - 1, j], best[i, j - 1]) + cost[i, j]
    return best[n - 1, m - 1] ** 2


@program(lambda rng: (rng.uniform(1, 3, 6), np.array([2, 1, 3, 2, 4, 1]), 7))
@njit
def knapsack(value, weight, capacity):
    best = np.zeros(capacity + 1)
    for i in range(len(value)):
        for w in range(capacity, weight[i] - 1, -1):
            take = best[w - weight[i]] + value[i]
            if take > best[w]:
                best[w] = take
    return best[capacity]


@program(lambda rng: (rng.standard_normal((5, 2)),))
@njit
def polygon_area_and_perimeter(p):
    area = 0.0
    perimeter = 0.0
    for i in range(len(p)):
        x0, y0 = p[i - 1]
        x1, y1 = p[i]
        area += 0.5 * (x0 * y1 - x1 * y0)
        perimeter += math.sqrt((x1 - x0) ** 2 + (y1 - y0) ** 2)
    return area / perimeter


@program(lambda rng: (rng.standard_normal(3), np.array([0.1, -0.2, -3.0]), 1.1))
@njit
def ray_sphere(direction, origin, radius):
    n = math.sqrt((direction * direction).sum())
    d = np.array([0.1 * direction[0] / n, 0.1 * direction[1] / n, 1.0])
    b = (d * origin).sum() / (d * d).sum()
    disc = b * b - ((origin * origin).sum() - radius**2) / (d * d).sum()
    if disc < 0.0:
        return 0.0
    return -b - math.sqrt(disc)


@program(lambda rng: (rng.standard_normal(4), 5), lambda rng: (rng.standard_normal(4), 0))
@njit
def sphere_tracing(centre, steps):
    t = 0.0
    for _ in range(steps):
        dx, dy, dz = 0.3 * t - centre[0], 0.2 * t - centre[1], t - 9.0 - centre[2]
        distance = math.sqrt(dx * dx + dy * dy + dz * dz) - abs(centre[3])
        if distance < 1e-3:
            break
        t += distance
    return t + centre[3] ** 2


@program(lambda rng: (rng.standard_normal(8), Held(np.array([0.2, 0.5, 0.3]))))
@njit
def filter_in_place(x, kernel):
    padded = np.zeros(len(x) + 2)
    padded[1:-1] = x
    for i in range(len(x)):
        s = 0.0
        for k in range(3):
            s += kernel[k] * padded[i + k]
        x[i] = s


@program(lambda rng: (rng.standard_normal((6, 6)), rng.standard_normal((3, 3)), np.zeros((4, 4))))
@njit
def convolution_2d(image, kernel, out):
    for i in range(4):
        for j in range(4):
            for a in range(3):
                for b in range(3):
                    out[i, j] += image[i + a, j + b] * kernel[a, b]


@program(lambda rng: (rng.standard_normal((6, 4)), np.zeros((3, 2))))
@njit
def max_pooling(image, out):
    for i in range(3):
        for j in range(2):
            best = image[2 * i, 2 * j]
            for a in range(2):
                for b in range(2):
                    best = max(best, image[2 * i + a, 2 * j + b])
            out[i, j] = best


@program(lambda rng: (rng.standard_normal(8),))
@njit
def haar_wavelet(x):
    n = len(x)
    t = np.empty(n)
    while n > 1:
        half = n // 2
        for i in range(half):
            t[i] = (x[2 * i] + x[2 * i + 1]) / math.sqrt(2.0)
            t[half + i] = (x[2 * i] - x[2 * i + 1]) * x[2 * i]
        for i in range(n):
            x[i] = t[i]
        n = half


@program(lambda rng: (rng.standard_normal(7),))
@njit
def prefix_scan_doubling(x):
    n = len(x)
    offset = 1
    while offset < n:
        y = x.copy()
        for i in range(offset, n):
            y[i] = x[i] * 0.5 + x[i - offset]
        x[:] = y
        offset *= 2


@program(lambda rng: (rng.uniform(0.5, 1.5, 6),))
@njit
def continued_fraction(a):
    s = a[len(a) - 1]
    for i in range(len(a) - 2, -1, -1):
        s = a[i] + 1.0 / s
    return s


@program(lambda rng: (1.2, 0.6))
@njit
def arithmetic_geometric_mean(a, b):
    while abs(a - b) > 1e-8:
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    return a


@program(lambda rng: (0.3, 2))
@njit
def stack_machine(x, n):
    stack = np.zeros(8)
    top = 0
    for op in (0, 0, 2, 0, 1, 3, 0, 2):
        if op == 0:
            stack[top] = x + top
            top += 1
        elif op == 1:
            stack[top - 2] += stack[top - 1]
            top -= 1
        elif op == 2:
            stack[top - 2] *= stack[top - 1]
            top -= 1
        else:
            stack[top - 1] = math.sin(stack[top - 1] * n)
    return stack[0]


@program(lambda rng: (rng.standard_normal(6), np.array([-1, 0, 0, 1, 1, 2])))
@njit
def tree_accumulation(x, parent):
    total = x.copy()
    for i in range(len(x) - 1, 0, -1):
        total[parent[i]] += total[i] * 0.5 * x[i]
    for i in range(1, len(x)):
        total[i] += 0.1 * total[parent[i]]
    return (total * total).sum()


# --- work that only one side of a branch needs ------------------------------------------------------


@program(lambda rng: (rng.standard_normal((6, 3)),))
@njit
def pairs_with_a_cutoff(x):
    energy = 0.0
    for i in range(x.shape[0]):
        for j in range(i):
            r2 = 0.0
            for k in range(x.shape[1]):
                d = math.sin(x[i, k] - x[j, k])
                r2 += d * d
            if r2 < 1.2:
                energy += math.exp(-r2) * r2
    return energy


@program(lambda rng: (rng.standard_normal(9),))
@njit
def carried_beside_a_cutoff(x):
    s = 0.3
    for i in range(len(x)):
        r = math.sin(x[i] * s)
        s *= 0.99
        if r > 0.1:
            s = 0.9 * s + r * r
    return s


@program(lambda rng: (rng.uniform(0.5, 2.0, 7), 0.9))
@njit
def used_when_the_loop_is_over(x, limit):
    found = 0.0
    for i in range(len(x)):
        r = math.cos(x[i]) * x[i]
        if r < limit - 1.2:
            found = r * r
            break
        if r > limit:
            found += math.exp(r)
    return found + 1.0


@program(lambda rng: (rng.uniform(0.5, 2.0, 7),))
@njit
def a_search_before_a_cutoff(x):
    """The search has storage that grows, and its iterations are counted."""
    total = 0.0
    for i in range(len(x)):
        r = x[i]
        n = 0
        while r * r > 0.5 and n < 20:
            r = 0.7 * r + 0.05 * math.sin(r)
            n += 1
        if n % 2 == 0:
            total += r * x[i]
    return total


@program(lambda rng: (rng.standard_normal(8),))
@njit
def stores_before_a_cutoff(x):
    y = np.zeros(len(x))
    total = 0.0
    for i in range(1, len(x)):
        r = x[i] * x[i - 1]
        y[i] = r + 0.5 * y[i - 1]
        if r > 0.0:
            total += y[i] * r
        elif r < -0.5:
            total -= r
    return total + y[-1]


@program(lambda rng: (rng.standard_normal(8), 3), lambda rng: (rng.standard_normal(8), 4))
@njit
def both_sides_of_a_constant_branch(x, n):
    total = 0.0
    for i in range(len(x)):
        r = math.tanh(x[i])
        if i % n == 0:
            total += r * r
        else:
            total *= 1.01
    return total
