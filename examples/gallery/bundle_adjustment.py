"""Bundle adjustment: places of cameras and of points from pictures.

    python examples/gallery/bundle_adjustment.py

Five cameras see sixty points. A camera has a rotation vector (Rodrigues) and a shift; a point is turned, shifted and
divided by its depth. From disturbed cameras and points, `least_squares` finds those that explain the pictures, with the
Jacobian of forward mode. Seven directions (turns, shifts, scale of everything) change no picture, so 210 - 7 numbers
are fitted, and the sum of squares must fall to noise^2 (600 - 203). The points agree with the true ones up to a turn,
a shift and a scale.
"""

from __future__ import annotations

import timeit
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from numba import njit
from rich.console import Console
from rich.table import Table
from scipy.optimize import least_squares
from scipy.spatial import procrustes

from enzyme import jacfwd

CAMERAS, POINTS = 5, 60
FOCUS, NOISE = 800.0, 0.5  # pixels


@njit
def project(p):
    """Pixels of all points in all cameras. `p` holds six numbers for each camera, then three for each point."""
    out = np.empty(2 * CAMERAS * POINTS)
    for i in range(CAMERAS):
        a, b, c, shift = p[6 * i], p[6 * i + 1], p[6 * i + 2], p[6 * i + 3 : 6 * i + 6]
        angle2 = a * a + b * b + c * c
        s, t = 1.0 - angle2 / 6.0, 0.5 - angle2 / 24.0
        if angle2 > 1e-8:
            angle = np.sqrt(angle2)
            s, t = np.sin(angle) / angle, (1.0 - np.cos(angle)) / angle2
        for j in range(POINTS):
            k = 6 * CAMERAS + 3 * j
            x, y, z = p[k], p[k + 1], p[k + 2]
            u, v, w = b * z - c * y, c * x - a * z, a * y - b * x  # cross product, then twice
            x += s * u + t * (b * w - c * v) + shift[0]
            y += s * v + t * (c * u - a * w) + shift[1]
            z += s * w + t * (a * v - b * u) + shift[2]
            out[2 * (i * POINTS + j)] = FOCUS * x / z
            out[2 * (i * POINTS + j) + 1] = FOCUS * y / z
    return out


@njit
def misses(p, seen):
    return project(p) - seen


@njit
def slopes(p, seen):
    return jacfwd(misses)(p, seen)


def scene(rng):
    """True parameters: points in a shell around zero, cameras on an arc that look at it."""
    points = rng.normal(size=(POINTS, 3))
    points *= rng.uniform(0.8, 1.2, (POINTS, 1)) / np.linalg.norm(points, axis=1)[:, None]
    turns = np.column_stack([rng.uniform(-0.3, 0.3, CAMERAS), np.linspace(-1.0, 1.0, CAMERAS)])
    cameras = np.column_stack([turns, np.zeros((CAMERAS, 3)), np.full(CAMERAS, 5.0)])
    return np.concatenate([cameras.ravel(), points.ravel()])


def main():
    true = scene(rng := np.random.default_rng(8))
    seen = project(true) + rng.normal(scale=NOISE, size=2 * CAMERAS * POINTS)
    start = true + rng.normal(scale=0.15, size=true.size)
    matrix, direction = slopes(start, seen), rng.normal(size=true.size)
    ahead, behind = (misses(start + s * direction, seen) for s in (1e-6, -1e-6))
    miss = np.abs(matrix @ direction - (ahead - behind) / 2e-6).max() / np.abs(matrix).max()
    assert miss < 1e-6, miss
    scale = start.copy()
    scale[: 6 * CAMERAS].reshape(-1, 6)[:, :3] = 0.0  # turns stay when all lengths grow
    np.testing.assert_allclose(matrix @ scale, 0.0, atol=1e-10 * np.abs(matrix).max())

    found = least_squares(misses, start, slopes, args=(seen,), method="lm")
    degrees = seen.size - true.size + 7
    ratio = 2.0 * found.cost / (NOISE**2 * degrees)
    assert abs(ratio - 1.0) < 4.0 * np.sqrt(2.0 / degrees), ratio
    points = [p[6 * CAMERAS :].reshape(-1, 3) for p in (true, start, found.x)]
    errors = [np.sqrt(procrustes(points[0], q)[2]) for q in points[1:]]
    assert errors[1] < 0.1 * errors[0], errors
    table = Table("", "start", "found", title=f"{CAMERAS} cameras, {POINTS} points")
    rms = [np.sqrt(np.mean(misses(p, seen) ** 2)) for p in (start, found.x)]
    table.add_row("pixels, root mean square", *(f"{r:.3f}" for r in rms))
    table.add_row("error of points, of their size", *(f"{e:.5f}" for e in errors))
    Console().print(table)
    calls = [timeit.repeat(lambda f=f: f(start, seen), number=50) for f in (misses, slopes)]
    times = [min(seconds) * 2e4 for seconds in calls]
    print("projection {:.1f} us, Jacobian of 600 x 210 {:.0f} us".format(*times))
    print(f"sum of squares, of the expected one: {ratio:.3f}; {found.njev} Jacobians")
    print(f"Jacobian against differences: {miss:.1e}")

    figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3.5), dpi=80)
    for axes, moved, name in zip((left, right), points[1:], ("start", "found"), strict=True):
        reference, other, _ = procrustes(points[0], moved)
        axes.plot(*np.transpose([reference, other], (2, 0, 1))[:2], color="0.7", linewidth=1)
        axes.plot(*reference.T[:2], "ok", markersize=6, fillstyle="none", label="true")
        axes.plot(*other.T[:2], ".", color="tab:red", markersize=5, label=name)
        axes.set(aspect="equal", title=f"points, {name}", xlim=(-0.17, 0.17), ylim=(-0.22, 0.17))
        axes.legend(loc="lower center", ncols=2)
    figure.tight_layout()
    figure.savefig(Path(__file__).with_suffix(".png"))


if __name__ == "__main__":
    main()
