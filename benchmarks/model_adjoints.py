"""The adjoints of the larger programs; see `benchmarks.adjoints` for the rules."""

from __future__ import annotations

from math import cos, erf, exp, log, pi, sin, sqrt, tanh

import numpy as np
from numba import njit


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
def black_scholes(spot, d_spot, strike, d_strike, years, d_years, volatility, d_volatility, rate):
    total = 0.0
    density = 1.0 / sqrt(2.0 * pi)
    for i in range(len(spot)):
        s, k, t, sigma = spot[i], strike[i], years[i], volatility[i]
        root = sqrt(t)
        spread = sigma * root
        growth = rate + 0.5 * sigma * sigma
        d1 = (log(s / k) + growth * t) / spread
        d2 = d1 - spread
        likely1 = 0.5 * (1.0 + erf(d1 / sqrt(2.0)))
        likely2 = 0.5 * (1.0 + erf(d2 / sqrt(2.0)))
        discounted = k * exp(-rate * t)
        owed = discounted * likely2
        total += s * likely1 - owed

        d_d2 = -discounted * density * exp(-0.5 * d2 * d2)
        d_d1 = s * density * exp(-0.5 * d1 * d1) + d_d2
        d_top = d_d1 / spread
        d_spread = -d_d2 - d_top * d1
        d_spot[i] += likely1 + d_top / s
        d_strike[i] -= (owed + d_top) / k
        d_years[i] += rate * owed + d_top * growth + 0.5 * d_spread * sigma / root
        d_volatility[i] += d_top * t * sigma + d_spread * root
    return total


ADJOINTS = {
    function.__name__: function
    for function in (lstm, gaussian_mixture, bundle, fourier, brusselator, black_scholes)
}
