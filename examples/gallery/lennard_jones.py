"""A Lennard-Jones cluster: relaxed with the gradient, its vibrations from the Hessian.

    python examples/gallery/lennard_jones.py

Thirteen atoms with the energy sum over pairs of 4 (r^-12 - r^-6) fall into an icosahedron, whose energy is -44.326801.
There the gradient is zero, and of the 39 eigenvalues of the Hessian six are zero: those of shifts and rotations. The
others are squares of frequencies.
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
from scipy.optimize import minimize

from enzyme import grad, hessian, hvp, value_and_grad

ATOMS = 13
ENERGY = -44.326801


@njit
def energy(x):
    """The energy of atoms at ``x.reshape(-1, 3)``."""
    total = 0.0
    for i in range(len(x) // 3):
        for j in range(i):
            r2 = 0.0
            for k in range(3):
                d = x[3 * i + k] - x[3 * j + k]
                r2 += d * d
            s = 1.0 / (r2 * r2 * r2)
            total += 4.0 * s * (s - 1.0)
    return total


def start():
    """An icosahedron that is too large and disturbed."""
    golden = (1.0 + np.sqrt(5.0)) / 2.0
    corners = [(0.0, a, b * golden) for a in (-1, 1) for b in (-1, 1)]
    shell = np.array([np.roll(corner, n) for corner in corners for n in range(3)])
    atoms = np.vstack([np.zeros(3), 0.65 * shell])
    return (atoms + np.random.default_rng(1).normal(scale=0.05, size=atoms.shape)).ravel()


def main():
    x = start()
    direction = np.random.default_rng(2).normal(size=x.size)
    ahead, behind = (energy(x + s * 1e-6 * direction) for s in (1, -1))
    miss = abs(grad(energy)(x) @ direction / ((ahead - behind) / 2e-6) - 1.0)
    assert miss < 1e-6, miss

    found = minimize(value_and_grad(energy), x, jac=True, method="BFGS", options={"gtol": 1e-9})
    assert abs(found.fun - ENERGY) < 1e-5, found.fun
    matrix = hessian(energy)(found.x)
    np.testing.assert_allclose(matrix, matrix.T, atol=1e-8)
    np.testing.assert_allclose(matrix @ direction, hvp(energy, found.x, direction), rtol=1e-8)
    values = np.linalg.eigvalsh(matrix)
    assert np.sum(np.abs(values) < 1e-4) == 6 and values[6] > 1.0

    times = {}
    for name, call in {
        "energy": energy,
        "gradient": grad(energy),
        "Hessian": hessian(energy),
    }.items():
        call(found.x)
        begin = time.perf_counter()
        for _ in range(50):
            call(found.x)
        times[name] = (time.perf_counter() - begin) / 50
    table = Table("", "microseconds", "energies", title=f"{ATOMS} atoms, energy {found.fun:.6f}")
    for name, seconds in times.items():
        table.add_row(name, f"{seconds * 1e6:.1f}", f"{seconds / times['energy']:.1f}")
    Console().print(table)
    print(
        f"gradient against differences: {miss:.1e}; {found.nfev} evaluations of energy and gradient"
    )

    figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3.5), dpi=80)
    atoms = found.x.reshape(-1, 3)
    for i in range(ATOMS):
        for j in range(i):
            if np.linalg.norm(atoms[i] - atoms[j]) < 1.3:
                left.plot(*atoms[[i, j], :2].T, color="0.7", linewidth=1, zorder=1)
    left.scatter(atoms[:, 0], atoms[:, 1], s=120 + 60 * atoms[:, 2], c=atoms[:, 2], zorder=2)
    left.set_aspect("equal")
    left.set_title("relaxed cluster")
    right.stem(np.sqrt(np.maximum(values, 0.0)), basefmt=" ", markerfmt=".")
    right.set_title("frequencies")
    right.set_xlabel("mode; the first six are shifts and rotations")
    figure.tight_layout()
    figure.savefig(Path(__file__).with_suffix(".png"))


if __name__ == "__main__":
    main()
