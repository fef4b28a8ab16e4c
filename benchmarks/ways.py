"""What NumPy's way to write a computation costs in a gradient, over loops that say the same.

    python -m benchmarks ways [NAME ...]

Each pair is one computation, written with NumPy's arrays of a few numbers and written in loops. What NumPy's way costs
more is what is left of its temporary arrays, calls of libraries and lists. The gradients of both take turns.
"""

from __future__ import annotations

import argparse
import math
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numba import NumbaPerformanceWarning, njit
from rich.console import Console
from rich.table import Table

from benchmarks.measure import interleaved, keep_freed_memory
from benchmarks.report import WIDTH, keep
from enzyme import Active, Duplicated, Reverse, autodiff

_DRAW = np.random.default_rng(0)
POINTS = _DRAW.normal(size=(200, 3))
FEW = POINTS[:60]
ROWS = _DRAW.normal(size=(400, 8))
SERIES = _DRAW.normal(size=20_000)
TURN = _DRAW.normal(size=(3, 3))
MATRICES = _DRAW.normal(size=(200, 3, 3)) + 3.0 * np.eye(3)
WEIGHTS = 0.3 * _DRAW.normal(size=(8, 8))


@dataclass(frozen=True, slots=True)
class Pair:
    name: str
    arguments: tuple[Any, ...]
    arrays: Callable[..., Any]
    loops: Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Measured:
    """Microseconds: of the primal with arrays, and of both gradients."""

    name: str
    primal: float
    arrays: float
    loops: float


@njit
def distances(x):
    s = 0.0
    for i in range(len(x)):
        for j in range(i):
            d = x[i] - x[j]
            s += np.exp(-np.dot(d, d))
    return s


@njit
def distances_loops(x):
    s = 0.0
    for i in range(len(x)):
        for j in range(i):
            r = 0.0
            for k in range(x.shape[1]):
                r += (x[i, k] - x[j, k]) ** 2
            s += np.exp(-r)
    return s


@njit
def forces(x):
    f = np.zeros_like(x)
    for i in range(len(x)):
        for j in range(i):
            d = x[i] - x[j]
            g = d / (0.1 + np.linalg.norm(d)) ** 3
            f[i] -= g
            f[j] += g
    return np.sum(f * f)


@njit
def forces_loops(x):
    f = np.zeros_like(x)
    for i in range(len(x)):
        for j in range(i):
            r = 0.0
            for k in range(x.shape[1]):
                r += (x[i, k] - x[j, k]) ** 2
            r = (0.1 + np.sqrt(r)) ** 3
            for k in range(x.shape[1]):
                f[i, k] -= (x[i, k] - x[j, k]) / r
                f[j, k] += (x[i, k] - x[j, k]) / r
    return np.sum(f * f)


@njit
def directions(x):
    s = 0.0
    for i in range(len(x)):
        u = x[i] / np.linalg.norm(x[i])
        s += u[0] * u[1] + u[2]
    return s


@njit
def directions_loops(x):
    s = 0.0
    for i in range(len(x)):
        r = math.sqrt(x[i, 0] ** 2 + x[i, 1] ** 2 + x[i, 2] ** 2)
        s += x[i, 0] / r * (x[i, 1] / r) + x[i, 2] / r
    return s


@njit
def rotations(x):
    s = 0.0
    for i in range(len(x)):
        c, d = math.cos(x[i, 0]), math.sin(x[i, 0])
        y = np.array([[c, -d, 0.0], [d, c, 0.0], [0.0, 0.0, 1.0]]) @ x[i]
        s += y[0] * y[1] - y[2]
    return s


@njit
def rotations_loops(x):
    s = 0.0
    for i in range(len(x)):
        c, d = math.cos(x[i, 0]), math.sin(x[i, 0])
        s += (c * x[i, 0] - d * x[i, 1]) * (d * x[i, 0] + c * x[i, 1]) - x[i, 2]
    return s


@njit
def images(x, w):
    s = 0.0
    for i in range(len(x)):
        y = w @ x[i]
        s += y[0] * y[1] + y[2] ** 2
    return s


@njit
def images_loops(x, w):
    s = 0.0
    y = np.empty(3)
    for i in range(len(x)):
        for k in range(3):
            y[k] = 0.0
            for j in range(3):
                y[k] += w[k, j] * x[i, j]
        s += y[0] * y[1] + y[2] ** 2
    return s


@njit
def recurrent(x, w):
    h = np.zeros(8)
    for t in range(len(x)):
        h = np.tanh(w @ h + x[t])
    return h.sum()


@njit
def recurrent_loops(x, w):
    h, g = np.zeros(8), np.zeros(8)
    for t in range(len(x)):
        for i in range(8):
            s = x[t, i]
            for j in range(8):
                s += w[i, j] * h[j]
            g[i] = math.tanh(s)
        for i in range(8):
            h[i] = g[i]
    return h.sum()


@njit
def quadratic(x, w):
    s = 0.0
    for i in range(len(x)):
        s += np.exp(-0.5 * (x[i] @ w @ x[i]))
    return s


@njit
def quadratic_loops(x, w):
    s = 0.0
    for i in range(len(x)):
        q = 0.0
        for k in range(8):
            t = 0.0
            for j in range(8):
                t += x[i, j] * w[j, k]
            q += t * x[i, k]
        s += np.exp(-0.5 * q)
    return s


@njit
def determinants(a):
    s = 0.0
    for i in range(len(a)):
        s += np.linalg.det(a[i])
    return s


@njit
def determinants_loops(a):
    s = 0.0
    for i in range(len(a)):
        m = a[i]
        s += m[0, 0] * (m[1, 1] * m[2, 2] - m[1, 2] * m[2, 1])
        s -= m[0, 1] * (m[1, 0] * m[2, 2] - m[1, 2] * m[2, 0])
        s += m[0, 2] * (m[1, 0] * m[2, 1] - m[1, 1] * m[2, 0])
    return s


@njit
def systems(a, x):
    s = 0.0
    for i in range(len(a)):
        y = np.linalg.solve(a[i], x[i])
        s += y[0] * y[1] + y[2]
    return s


@njit
def systems_loops(a, x):
    s = 0.0
    m, y = np.empty((3, 3)), np.empty(3)
    for i in range(len(a)):
        m[:] = a[i]
        y[:] = x[i]
        for k in range(3):
            for r in range(k + 1, 3):
                f = m[r, k] / m[k, k]
                for c in range(k, 3):
                    m[r, c] -= f * m[k, c]
                y[r] -= f * y[k]
        for k in range(2, -1, -1):
            for c in range(k + 1, 3):
                y[k] -= m[k, c] * y[c]
            y[k] /= m[k, k]
        s += y[0] * y[1] + y[2]
    return s


@njit
def covariance(x):
    m = np.zeros((8, 8))
    for i in range(len(x)):
        m += np.outer(x[i], x[i])
    return np.sum(m * m)


@njit
def covariance_loops(x):
    m = np.zeros((8, 8))
    for i in range(len(x)):
        for k in range(8):
            for j in range(8):
                m[k, j] += x[i, k] * x[i, j]
    return np.sum(m * m)


@njit
def softmax(x):
    s = 0.0
    for i in range(len(x)):
        e = np.exp(x[i] - x[i].max())
        p = e / e.sum()
        s -= np.log(p[i % 8])
    return s


@njit
def softmax_loops(x):
    s = 0.0
    for i in range(len(x)):
        top, q = x[i, 0], 0.0
        for k in range(1, 8):
            top = max(top, x[i, k])
        for k in range(8):
            q += np.exp(x[i, k] - top)
        s -= x[i, i % 8] - top - np.log(q)
    return s


@njit
def filtered(x, k):
    return np.sum(np.convolve(x, k) ** 2)


@njit
def filtered_loops(x, k):
    y = np.zeros(len(x) + len(k) - 1)
    for i in range(len(x)):
        for j in range(len(k)):
            y[i + j] += x[i] * k[j]
    return np.sum(y * y)


@njit
def steps(y0):
    y = y0.copy()
    for _ in range(500):
        k1 = np.array([y[1], -np.sin(y[0])])
        z = y + 0.01 * k1
        y = y + 0.005 * (k1 + np.array([z[1], -np.sin(z[0])]))
    return y[0] * y[1]


@njit
def steps_loops(y0):
    u, v = y0[0], y0[1]
    for _ in range(500):
        p, q = v, -np.sin(u)
        r, w = u + 0.01 * p, v + 0.01 * q
        u, v = u + 0.005 * (p + w), v + 0.005 * (q - np.sin(r))
    return u * v


@njit
def differences(x):
    return np.sum(np.diff(x) ** 2)


@njit
def differences_loops(x):
    s = 0.0
    for i in range(len(x) - 1):
        s += (x[i + 1] - x[i]) ** 2
    return s


@njit
def positive(x):
    return np.sum(x[x > 0.0] ** 2)


@njit
def positive_loops(x):
    s = 0.0
    for i in range(len(x)):
        if x[i] > 0.0:
            s += x[i] ** 2
    return s


@njit
def collected(x):
    squares = []
    for i in range(len(x)):
        squares.append(x[i] * x[i])
    s = 0.0
    for q in squares:
        s += q * q
    return s


@njit
def collected_loops(x):
    s = 0.0
    for i in range(len(x)):
        q = x[i] * x[i]
        s += q * q
    return s


PAIRS = (
    Pair("distances", (FEW,), distances, distances_loops),
    Pair("forces", (FEW,), forces, forces_loops),
    Pair("directions", (POINTS,), directions, directions_loops),
    Pair("rotations", (POINTS,), rotations, rotations_loops),
    Pair("images", (POINTS, TURN), images, images_loops),
    Pair("recurrent", (ROWS, WEIGHTS), recurrent, recurrent_loops),
    Pair("quadratic", (ROWS, WEIGHTS), quadratic, quadratic_loops),
    Pair("determinants", (MATRICES,), determinants, determinants_loops),
    Pair("systems", (MATRICES, POINTS), systems, systems_loops),
    Pair("covariance", (ROWS,), covariance, covariance_loops),
    Pair("softmax", (ROWS,), softmax, softmax_loops),
    Pair("filtered", (SERIES[:2000], SERIES[:20]), filtered, filtered_loops),
    Pair("steps", (np.array([1.0, 0.0]),), steps, steps_loops),
    Pair("differences", (SERIES,), differences, differences_loops),
    Pair("positive", (SERIES,), positive, positive_loops),
    Pair("collected", (SERIES,), collected, collected_loops),
)


def gradient_of(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Callable[[], Any]:
    annotated = [Duplicated(x, np.zeros_like(x)) for x in arguments]
    return lambda: autodiff(Reverse, function, Active, *annotated)


def measured(pair: Pair, repeat: int) -> Measured:
    calls = [
        lambda: pair.arrays(*pair.arguments),
        gradient_of(pair.arrays, pair.arguments),
        gradient_of(pair.loops, pair.arguments),
    ]
    best = [min(samples) * 1e6 for samples in interleaved(calls, repeat)]
    return Measured(pair.name, *best)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks ways", description=__doc__)
    parser.add_argument("names", nargs="*", help="pairs; all of them if none is given")
    parser.add_argument("--repeat", type=int, default=9, help="samples of each call")
    folder = Path(__file__).parent / "results"
    parser.add_argument("--out", type=Path, default=folder, help=f"folder (default: {folder})")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore", NumbaPerformanceWarning)
    keep_freed_memory()
    wanted = [pair for pair in PAIRS if not options.names or pair.name in options.names]
    found = [measured(pair, options.repeat) for pair in wanted]
    table = Table(title="Gradients of arrays and of loops, microseconds")
    for title in ("", "primal", "arrays", "loops", "arrays / loops"):
        table.add_column(title, justify="right" if title else "left")
    for one in found:
        numbers = [f"{x:.1f}" for x in (one.primal, one.arrays, one.loops)]
        table.add_row(one.name, *numbers, f"{one.arrays / one.loops:.2f}")
    Console(width=WIDTH).print(table)
    if not options.names:
        keep(options.out, "ways", table, [], {"pairs": [asdict(one) for one in found]})
    return 0
