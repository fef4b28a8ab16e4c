"""The adjoints of irregular code; see `scalar_adjoints` for the rules."""

from __future__ import annotations

from math import cos, exp, sin, sqrt

import numpy as np
from numba import njit


@njit
def lennard_jones(x, d_x, cutoff):
    energy = 0.0
    for i in range(x.shape[0]):
        f0, f1, f2 = 0.0, 0.0, 0.0
        for j in range(i):
            d0, d1, d2 = x[i, 0] - x[j, 0], x[i, 1] - x[j, 1], x[i, 2] - x[j, 2]
            r2 = d0 * d0 + d1 * d1 + d2 * d2
            if r2 < cutoff * cutoff:
                s2 = 1.0 / r2
                s6 = 1.0 / (r2 * r2 * r2)
                energy += 4.0 * (s6 * s6 - s6)
                twice = -24.0 * (2.0 * s6 * s6 - s6) * s2
                f0 += twice * d0
                f1 += twice * d1
                f2 += twice * d2
                d_x[j, 0] -= twice * d0
                d_x[j, 1] -= twice * d1
                d_x[j, 2] -= twice * d2
        d_x[i, 0] += f0
        d_x[i, 1] += f1
        d_x[i, 2] += f2
    return energy


@njit
def sparse_product(begins, columns, values, d_values, x, d_x, rounds):
    n = len(x)
    ys = np.empty((rounds + 1, n))
    ys[0] = x
    for t in range(rounds):
        y, new = ys[t], ys[t + 1]
        for i in range(n):
            s = 0.0
            for k in range(begins[i], begins[i + 1]):
                s += values[k] * y[columns[k]]
            new[i] = s + x[i]
    last = ys[rounds]
    d = 2.0 * last
    for t in range(rounds - 1, -1, -1):
        y, old = ys[t], np.zeros(n)
        for i in range(n):
            f = d[i]
            d_x[i] += f
            for k in range(begins[i], begins[i + 1]):
                d_values[k] += f * y[columns[k]]
                old[columns[k]] += f * values[k]
        d = old
    d_x += d
    return (last * last).sum()


@njit
def tree_bottom_up(parent, values, d_values, weights, d_weights):
    sums = values.copy()
    n = len(parent)
    sines = np.empty(n)
    for i in range(n - 1, 0, -1):
        sines[i] = sin(sums[i])
        sums[parent[i]] += weights[i] * sines[i]
    d = np.empty(n)
    d[0] = 1.0
    d_values[0] += 1.0
    for i in range(1, n):
        above = d[parent[i]]
        d_weights[i] += above * sines[i]
        d[i] = above * weights[i] * cos(sums[i])
        d_values[i] += d[i]
    return sums[0]


@njit
def table_lookup(knots, d_knots, values, d_values, points, d_points):
    total = 0.0
    for i in range(len(points)):
        k = np.searchsorted(knots, points[i]) - 1
        k = max(0, min(k, len(knots) - 2))
        per = 1.0 / (knots[k + 1] - knots[k])
        t = (points[i] - knots[k]) * per
        y = (1.0 - t) * values[k] + t * values[k + 1]
        total += y * y
        d = 2.0 * y
        slope = d * (values[k + 1] - values[k]) * per
        d_values[k] += d * (1.0 - t)
        d_values[k + 1] += d * t
        d_points[i] += slope
        d_knots[k] -= slope * (1.0 - t)
        d_knots[k + 1] -= slope * t
    return total


@njit
def segments(values, d_values, segment, count):
    n = len(values)
    powers, sums = np.empty(n), np.zeros(count)
    for i in range(n):
        powers[i] = exp(values[i])
        sums[segment[i]] += powers[i]
    total = 0.0
    squares = np.zeros(count)
    for i in range(n):
        share = powers[i] / sums[segment[i]]
        powers[i] = share
        total += share * share
        squares[segment[i]] += share * share
    for i in range(n):
        share = powers[i]
        d_values[i] += 2.0 * share * (share - squares[segment[i]])
    return total


@njit
def histogram(x, d_x, weights, d_weights, target, d_target):
    n, m = len(x), len(target)
    bins = np.zeros(m)
    for i in range(n):
        place = x[i] * (m - 1)
        k = int(place)
        part = place - k
        bins[k] += weights[i] * (1.0 - part)
        bins[k + 1] += weights[i] * part
    scale = 1.0 / bins.sum()
    loss, along = 0.0, 0.0
    for k in range(m):
        bins[k] *= scale
        miss = bins[k] - target[k]
        loss += miss * miss
        d_target[k] -= 2.0 * miss
        along += 2.0 * miss * bins[k]
        bins[k] = 2.0 * miss
    for k in range(m):
        bins[k] = (bins[k] - along) * scale
    for i in range(n):
        place = x[i] * (m - 1)
        k = int(place)
        part = place - k
        rise = bins[k + 1] - bins[k]
        d_weights[i] += bins[k] + part * rise
        d_x[i] += weights[i] * rise * (m - 1)
    return loss


@njit
def warp(image, d_image, flow, d_flow, target, d_target):
    rows, columns = image.shape
    loss = 0.0
    for i in range(rows):
        for j in range(columns):
            free_y, free_x = i + flow[0, i, j], j + flow[1, i, j]
            y = min(max(free_y, 0.0), rows - 1.001)
            x = min(max(free_x, 0.0), columns - 1.001)
            a, b = int(y), int(x)
            dy, dx = y - a, x - b
            nw, ne, sw, se = image[a, b], image[a, b + 1], image[a + 1, b], image[a + 1, b + 1]
            top, bottom = (1.0 - dx) * nw + dx * ne, (1.0 - dx) * sw + dx * se
            miss = (1.0 - dy) * top + dy * bottom - target[i, j]
            loss += miss * miss
            d = 2.0 * miss
            d_target[i, j] -= d
            d_top, d_bottom = d * (1.0 - dy), d * dy
            d_image[a, b] += d_top * (1.0 - dx)
            d_image[a, b + 1] += d_top * dx
            d_image[a + 1, b] += d_bottom * (1.0 - dx)
            d_image[a + 1, b + 1] += d_bottom * dx
            if y == free_y:
                d_flow[0, i, j] += d * (bottom - top)
            if x == free_x:
                d_flow[1, i, j] += d_top * (ne - nw) + d_bottom * (se - sw)
    return loss


@njit
def alignment(scores, d_scores, gap, d_gap, a, b):
    """Backwards only the best path has an adjoint: it is followed by choices that are stored."""
    n, m = len(a), len(b)
    best, way = np.zeros((n + 1, m + 1)), np.empty((n + 1, m + 1), dtype=np.uint8)
    for i in range(1, n + 1):
        best[i, 0] = -gap[0] * i
    for j in range(1, m + 1):
        best[0, j] = -gap[0] * j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            along = best[i - 1, j - 1] + scores[a[i - 1], b[j - 1]]
            up, left = best[i - 1, j] - gap[0], best[i, j - 1] - gap[0]
            way[i, j] = 0 if along >= max(up, left) else 1 if up >= left else 2
            best[i, j] = max(along, max(up, left))
    i, j, gaps = n, m, 0
    while i > 0 and j > 0:
        if way[i, j] == 0:
            i, j = i - 1, j - 1
            d_scores[a[i], b[j]] += 1.0
        else:
            gaps += 1
            if way[i, j] == 1:
                i -= 1
            else:
                j -= 1
    d_gap[0] -= gaps + i + j
    return best[n, m]


@njit
def bundle(cameras, d_cameras, points, d_points, seen, d_seen, camera_of, point_of):
    total = 0.0
    for k in range(len(camera_of)):
        c, p = camera_of[k], point_of[k]
        x, y, z = points[p, 0], points[p, 1], points[p, 2]
        rx, ry, rz = cameras[c, 0], cameras[c, 1], cameras[c, 2]
        length = sqrt(rx * rx + ry * ry + rz * rz)
        angle = length + 1e-12
        per_angle = 1.0 / angle
        ax, ay, az = rx * per_angle, ry * per_angle, rz * per_angle
        cosine, sine = cos(angle), sin(angle)
        dot = ax * x + ay * y + az * z
        along = dot * (1.0 - cosine)
        cx, cy, cz = ay * z - az * y, az * x - ax * z, ax * y - ay * x
        px = x * cosine + cx * sine + ax * along + cameras[c, 3]
        py = y * cosine + cy * sine + ay * along + cameras[c, 4]
        pz = z * cosine + cz * sine + az * along + cameras[c, 5]
        per_depth = 1.0 / pz
        u, v = -px * per_depth, -py * per_depth
        r2 = u * u + v * v
        focal, first, second = cameras[c, 6], cameras[c, 7], cameras[c, 8]
        distortion = 1.0 + r2 * (first + second * r2)
        du = focal * distortion * u - seen[k, 0]
        dv = focal * distortion * v - seen[k, 1]
        total += du * du + dv * dv

        d_du, d_dv = 2.0 * du, 2.0 * dv
        d_seen[k, 0] -= d_du
        d_seen[k, 1] -= d_dv
        d_scale = d_du * u + d_dv * v
        d_distortion = focal * d_scale
        d_r2 = d_distortion * (first + 2.0 * second * r2)
        d_u = focal * distortion * d_du + 2.0 * u * d_r2
        d_v = focal * distortion * d_dv + 2.0 * v * d_r2
        d_px, d_py = -d_u * per_depth, -d_v * per_depth
        d_pz = -(d_u * u + d_v * v) * per_depth
        d_along = ax * d_px + ay * d_py + az * d_pz
        d_dot = d_along * (1.0 - cosine)
        d_cosine = x * d_px + y * d_py + z * d_pz - dot * d_along
        d_sine = cx * d_px + cy * d_py + cz * d_pz
        d_cx, d_cy, d_cz = d_px * sine, d_py * sine, d_pz * sine
        d_ax = d_px * along + d_dot * x + d_cz * y - d_cy * z
        d_ay = d_py * along + d_dot * y + d_cx * z - d_cz * x
        d_az = d_pz * along + d_dot * z + d_cy * x - d_cx * y
        d_angle = d_sine * cosine - d_cosine * sine
        d_angle -= (d_ax * ax + d_ay * ay + d_az * az) * per_angle
        per_length = d_angle / length
        d_points[p, 0] += d_px * cosine + d_dot * ax + d_cy * az - d_cz * ay
        d_points[p, 1] += d_py * cosine + d_dot * ay + d_cz * ax - d_cx * az
        d_points[p, 2] += d_pz * cosine + d_dot * az + d_cx * ay - d_cy * ax
        d_cameras[c, 0] += d_ax * per_angle + rx * per_length
        d_cameras[c, 1] += d_ay * per_angle + ry * per_length
        d_cameras[c, 2] += d_az * per_angle + rz * per_length
        d_cameras[c, 3] += d_px
        d_cameras[c, 4] += d_py
        d_cameras[c, 5] += d_pz
        d_cameras[c, 6] += distortion * d_scale
        d_cameras[c, 7] += d_distortion * r2
        d_cameras[c, 8] += d_distortion * r2 * r2
    return total
