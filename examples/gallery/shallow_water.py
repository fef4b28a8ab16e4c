"""Data assimilation: the first state of a shallow-water model from a few gauges.

    python examples/gallery/shallow_water.py

Water of height h moves with speed u between two walls: h_t = -(h u)_x, u_t = -(g h + u^2 / 2)_x. Heights live in cells,
speeds on the faces between them, and both are overwritten in place at each step. Gauges in every tenth cell see heights
with noise. The initial heights of all cells are found by L-BFGS with the adjoint model, which is the gradient that
reverse mode makes. Mass is conserved, therefore the gradient of the last mass is one in each cell; the recovered
field must be much closer to the true one than the first guess.
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

from enzyme import grad, value_and_grad

CELLS, STEPS, EVERY = 100, 200, 5  # steps between two readings of the gauges
G, RATIO = 9.81, 0.2  # gravity; step of time by width of a cell
NOISE, ROUGH = 0.003, 0.01  # of the gauges; expected difference of neighbours
GAUGES = np.arange(5, CELLS, 10)


@njit
def run(h, readings):
    """Moves `h` from the first to the last time; what gauges see goes to `readings`."""
    u, head = np.zeros(CELLS + 1), np.empty(CELLS)  # u[i] is at the left of cell i
    for k in range(STEPS):
        for i in range(CELLS):
            middle = 0.5 * (u[i] + u[i + 1])
            head[i] = G * h[i] + 0.5 * middle * middle
        for i in range(1, CELLS):
            u[i] -= RATIO * (head[i] - head[i - 1])
        left = 0.0  # what flows in from the left
        for i in range(CELLS):
            ahead = h[min(i + 1, CELLS - 1)]
            right = RATIO * u[i + 1] * (h[i] if u[i + 1] > 0.0 else ahead)
            h[i] += left - right
            left = right
        if (k + 1) % EVERY == 0:
            for j in range(len(GAUGES)):
                readings[k // EVERY, j] = h[GAUGES[j]]


@njit
def loss(h0, seen):
    """Misfit to the readings, and to the expectation that the first state is smooth."""
    readings = np.empty_like(seen)
    run(h0.copy(), readings)
    total = 0.5 * (((readings - seen) / NOISE) ** 2).sum()
    for i in range(CELLS - 1):
        total += 0.5 * ((h0[i + 1] - h0[i]) / ROUGH) ** 2
    return total


@njit
def last_mass(h0):
    h = h0.copy()
    run(h, np.empty((STEPS // EVERY, len(GAUGES))))
    return h.sum()


def main():
    x = np.arange(CELLS)
    true = 1.0 + 0.1 * np.exp(-(((x - 31) / 7) ** 2)) - 0.06 * np.exp(-(((x - 68) / 10) ** 2))
    rng = np.random.default_rng(6)
    last, seen = true.copy(), np.empty((STEPS // EVERY, len(GAUGES)))
    run(last, seen)
    seen += rng.normal(scale=NOISE, size=seen.shape)

    guess, direction = np.ones(CELLS), rng.normal(size=CELLS)
    both = value_and_grad(loss)
    ahead, behind = (loss(true + s * direction, seen) for s in (1e-7, -1e-7))  # upwind: kinks
    miss = abs(both(true, seen)[1] @ direction / (ahead - behind) * 2e-7 - 1.0)
    assert miss < 1e-6, miss
    np.testing.assert_allclose(last.sum(), true.sum(), rtol=1e-13)
    np.testing.assert_allclose(grad(last_mass)(true), 1.0, rtol=1e-12)

    found = minimize(both, guess, args=(seen,), jac=True, method="L-BFGS-B")
    errors = [np.sqrt(np.mean((h - true) ** 2)) for h in (guess, found.x)]
    assert errors[1] < 0.15 * errors[0], errors
    times = [min(timeit.repeat(lambda f=f: f(guess, seen), number=50)) * 2e4 for f in (loss, both)]
    table = Table("", "first guess", "recovered", title=f"{CELLS} cells, {STEPS} steps")
    table.add_row("error of the height", *(f"{e:.4f}" for e in errors))
    table.add_row("loss", *(f"{loss(h, seen):.0f}" for h in (guess, found.x)))
    Console().print(table)
    print("model {:.0f} us, with gradient {:.0f} us".format(*times))
    print(f"gradient against differences: {miss:.1e}; {found.nfev} models, {seen.size} readings")

    figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3.5), dpi=80)
    left.plot(x, guess, "--", color="0.6", label="first guess")
    left.plot(x, true, color="black", label="true")
    left.plot(x, found.x, color="tab:red", linewidth=1, label="recovered")
    left.plot(GAUGES, np.full(len(GAUGES), 0.93), "^", color="tab:blue", label="gauges")
    left.legend()
    left.set(title="first height", xlabel="cell")
    readings = np.empty_like(seen)
    run(found.x.copy(), readings)
    shift = 0.1 * np.arange(len(GAUGES))
    right.plot(seen + shift, ".", color="0.5", markersize=3)
    right.plot(readings + shift, color="tab:red", linewidth=1)
    right.set(title="readings of all gauges", xlabel="number of the reading")
    figure.tight_layout()
    figure.savefig(Path(__file__).with_suffix(".png"))


if __name__ == "__main__":
    main()
