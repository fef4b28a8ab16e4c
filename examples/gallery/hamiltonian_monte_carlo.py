"""Hamiltonian Monte Carlo inside one jitted function.

    python examples/gallery/hamiltonian_monte_carlo.py

The density is a banana: log p(x) = -x0^2 / 2 - (x1 - b (x0^2 - 1))^2 / (2 s^2). A trajectory of leapfrog steps moves a
position and a momentum along the gradient of log p, which is taken inside the sampler: no call leaves the jitted code.
By construction E[x0] = 0, Var[x0] = 1, E[x1] = 0 and Var[x1] = 2 b^2 + s^2, against which the samples are checked.
"""

from __future__ import annotations

import time
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from numba import njit
from rich.console import Console
from rich.table import Table

from enzyme import grad

BEND, SPREAD = 0.4, 0.4
STEPS, STEP, SAMPLES = 16, 0.2, 60_000


@njit
def log_density(x):
    off = x[1] - BEND * (x[0] * x[0] - 1.0)
    return -0.5 * x[0] * x[0] - 0.5 * off * off / (SPREAD * SPREAD)


@njit
def sample(count, seed):
    """A chain of `count` positions, and how many proposals were accepted."""
    np.random.seed(seed)
    chain = np.empty((count, 2))
    x, accepted = np.zeros(2), 0
    for n in range(count):
        p = np.random.randn(2)
        before = log_density(x) - 0.5 * (p @ p)
        y = x.copy()
        p += 0.5 * STEP * grad(log_density)(y)
        for k in range(STEPS):
            y += STEP * p
            p += (STEP if k < STEPS - 1 else 0.5 * STEP) * grad(log_density)(y)
        if np.log(np.random.rand()) < log_density(y) - 0.5 * (p @ p) - before:
            x = y
            accepted += 1
        chain[n] = x
    return chain, accepted / count


def check_gradient():
    """Largest difference of the gradient from central differences, at a few points."""
    worst = 0.0
    for x in np.random.default_rng(0).normal(size=(5, 2)):
        for unit, slope in zip(np.eye(2), grad(log_density)(x), strict=True):
            ahead, behind = log_density(x + 1e-6 * unit), log_density(x - 1e-6 * unit)
            worst = max(worst, abs(slope - (ahead - behind) / 2e-6))
    assert worst < 1e-7, worst
    return worst


def main():
    worst = check_gradient()
    sample(10, 0)  # compiles
    begin = time.perf_counter()
    chain, accepted = sample(SAMPLES, 1)
    seconds = time.perf_counter() - begin
    exact = {"mean x0": 0.0, "mean x1": 0.0, "var x0": 1.0, "var x1": 2 * BEND**2 + SPREAD**2}
    found = dict(zip(exact, [*chain.mean(0), *chain.var(0)], strict=True))
    table = Table("", "samples", "exact", title="Hamiltonian Monte Carlo")
    for name, value in exact.items():
        assert abs(found[name] - value) < 0.08, (name, found[name])
        table.add_row(name, f"{found[name]:.3f}", f"{value:.3f}")
    table.add_row("accepted", f"{accepted:.2f}", "")
    table.add_row("gradients per second", f"{SAMPLES * (STEPS + 1) / seconds:.2e}", "")
    table.add_row("gradient, worst difference", f"{worst:.1e}", "")
    Console().print(table)

    figure, axes = plt.subplots(figsize=(7, 3.5), dpi=80)
    axes.plot(*chain[::12].T, ".", markersize=1.5, alpha=0.5)
    axes.plot(*chain[:40].T, "-", linewidth=0.8, color="tab:red", label="first forty samples")
    axes.set_xlabel("$x_0$")
    axes.set_ylabel("$x_1$")
    axes.legend()
    figure.tight_layout()
    figure.savefig(Path(__file__).with_suffix(".png"))


if __name__ == "__main__":
    main()
