"""Full-waveform inversion: the speed of sound between two boreholes.

    python examples/gallery/full_waveform.py

A pulse is sent from five places at the left; pressures are recorded at the right and at the top, with noise. The wave
equation p_tt = c^2 (p_xx + p_zz) is stepped on a grid whose margin absorbs. Reverse mode differentiates the misfit of
all records by the speed c of each cell, and L-BFGS-B starts from a model without anomalies. Source and receiver can be
exchanged, and forward mode gives the same derivative. The misfit must fall to that of the noise, and the error of the
speed at the anomalies to a fifth.
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
from scipy.optimize import minimize

from enzyme import jvp, value_and_grad

ROWS, COLS, MARGIN, NOISE = 70, 60, 10, 0.002
STEPS, DT, H = 330, 0.002, 0.01  # seconds; kilometres
SOURCES = np.array([[z, 12] for z in range(13, 60, 11)])
RECEIVERS = np.array([[z, 47] for z in range(12, 60, 3)] + [[12, x] for x in range(17, 47, 3)])
T2 = (np.pi * 12.0 * (DT * np.arange(STEPS) - 0.1)) ** 2
PULSE = (1.0 - 2.0 * T2) * np.exp(-T2)  # around 12 hertz
EDGE = np.minimum.outer(*(np.minimum(np.arange(n), np.arange(n)[::-1]) for n in (ROWS, COLS)))
DAMPING = 0.3 * (np.maximum(MARGIN - EDGE, 0) / MARGIN) ** 2


@njit
def record(c, source, receivers):
    """Pressures at all receivers in all steps, when one source sends."""
    q = (c * DT / H) ** 2
    before, now = np.zeros_like(c), np.zeros_like(c)
    out = np.empty((STEPS, len(receivers)))
    for k in range(STEPS):
        for i in range(1, c.shape[0] - 1):
            for j in range(1, c.shape[1] - 1):
                around = now[i - 1, j] + now[i + 1, j] + now[i, j - 1] + now[i, j + 1]
                p, d = now[i, j], DAMPING[i, j]
                before[i, j] = (2.0 - d) * p - (1.0 - d) * before[i, j] + q[i, j] * (around - 4 * p)
        before, now = now, before
        now[source[0], source[1]] += PULSE[k]
        for r in range(len(receivers)):
            out[k, r] = now[receivers[r, 0], receivers[r, 1]]
    return out


@njit
def misfit(c, seen):
    """Half the sum of all squared misses, in units of the noise."""
    total = 0.0
    for s in range(len(SOURCES)):
        total += 0.5 * (((record(c, SOURCES[s], RECEIVERS) - seen[s]) / NOISE) ** 2).sum()
    return total


def main():
    z, x = np.mgrid[:ROWS, :COLS]
    start = 2.0 + 0.01 * z
    bumps = [np.exp(-((((z - a) ** 2 + (x - b) ** 2) / 36) ** 2)) for a, b in ((27, 24), (45, 35))]
    true = start + 0.3 * bumps[0] - 0.3 * bumps[1]
    rng, both = np.random.default_rng(13), value_and_grad(misfit)
    seen = np.array([record(true, s, RECEIVERS) for s in SOURCES])
    seen += rng.normal(scale=NOISE, size=seen.shape)
    a, b = SOURCES[1], RECEIVERS[9]
    there, back = (record(true, s, r[None]) * true[tuple(s)] ** 2 for s, r in ((a, b), (b, a)))
    np.testing.assert_allclose(there, back, atol=1e-12)
    direction = rng.normal(size=true.shape)
    along = (both(start, seen)[1] * direction).sum()
    ahead, behind = (misfit(start + s * direction, seen) for s in (1e-5, -1e-5))
    miss = abs(along / (ahead - behind) * 2e-5 - 1.0)
    forward = jvp(misfit, (start, seen), (direction, 0.0 * seen))[1]
    assert miss < 1e-6 and abs(forward / along - 1.0) < 1e-9, (miss, forward, along)

    def scaled(c):
        value, slope = both(c.reshape(true.shape), seen)
        history.append(value / seen.size)
        return history[-1], slope.ravel() / seen.size

    inner, history = EDGE >= MARGIN, []  # the margin keeps its speed
    bounds = np.array([np.where(inner, limit, start).ravel() for limit in (1.5, 3.5)]).T
    search = {"method": "L-BFGS-B", "bounds": bounds, "options": {"maxiter": 60}}
    found = minimize(scaled, start.ravel(), jac=True, **search).x.reshape(true.shape)
    spots, models = np.abs(true - start) > 0.03, {"start": start, "found": found}
    table = Table("", *models, title=f"{true.size} cells, {seen.size} readings")
    for name, part in {"at the anomalies": spots, "elsewhere": inner & ~spots}.items():
        errors = [np.sqrt(np.mean((c - true)[part] ** 2)) for c in models.values()]
        assert name == "elsewhere" or errors[1] < 0.2 * errors[0], errors
        table.add_row(f"error of the speed {name}, km/s", *(f"{e:.4f}" for e in errors))
    assert history[-1] < 0.55, history[-1]
    table.add_row("misfit by readings (noise: 0.5)", f"{history[0]:.3f}", f"{history[-1]:.3f}")
    Console().print(table)
    ms = [min(timeit.repeat(lambda f=f: f(start, seen), number=10)) * 100 for f in (misfit, both)]
    print("misfit {:.1f} ms, with gradient {:.1f} ms;".format(*ms), len(history), "gradients")
    print(f"gradient against differences: {miss:.1e}")
    figure, panels = plt.subplots(1, 4, figsize=(7, 2.4), dpi=80, width_ratios=(5, 5, 5, 4))
    for axes, name, c in zip(panels, ("true", *models), (true, start, found), strict=False):
        axes.imshow(c, vmin=2.0, vmax=2.7)
        axes.set(title=name, xticks=[], yticks=[])
    panels[0].plot(*SOURCES.T[::-1], "*r", *RECEIVERS.T[::-1], ".w", markersize=4)
    panels[0].set_xlabel("stars send, dots record", fontsize=8)
    panels[3].semilogy(history)
    panels[3].set(title="misfit", xlabel="gradients")
    figure.tight_layout()
    figure.savefig(Path(__file__).with_suffix(".png"))


if __name__ == "__main__":
    main()
