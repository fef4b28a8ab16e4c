"""Waves of a stiff reaction, integrated with the exact Jacobian.

    python examples/gallery/stiff_reactions.py

The reaction of Belousov and Zhabotinsky, in the model of Field and Noyes, in a row of cells that exchange their
contents with their neighbours: 240 unknowns. Waves run from two places that are disturbed, and where two meet both
vanish. Radau's method needs the Jacobian of the rates. It comes from differences of SciPy or from `jacfwd`, as a dense
matrix or with its pattern; then unknowns that no rate needs together share a direction, and nine directions are enough.
All four ways must agree with a solution of smaller tolerance, and `jacfwd` must save evaluations.
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
from scipy.integrate import solve_ivp
from scipy.sparse import csc_matrix

from enzyme import jacfwd

CELLS, END, EXCHANGE = 80, 8.0, 2.0
EPS, TINY, Q, F = 0.02, 1e-4, 0.002, 1.4


@njit
def rates(y):
    """How fast the substances change; `y` has u, w, v of each cell."""
    out = np.empty_like(y)
    for k in range(0, len(y), 3):
        u, w, v = y[k], y[k + 1], y[k + 2]
        out[k] = (Q * w - u * w + u - u * u) / EPS
        out[k + 1] = (F * v - Q * w - u * w) / TINY
        out[k + 2] = u - v
        for j in range(3):
            left, right = y[max(k - 3, 0) + j], y[min(k, len(y) - 6) + 3 + j]
            out[k + j] += EXCHANGE * (left - 2.0 * y[k + j] + right)
    return out


@njit
def dense(y):
    return jacfwd(rates)(y)


@njit
def shifted(s, y):
    """The rates when each unknown is moved by one of nine numbers: three substances of three cells in a row."""
    return rates(y + s[np.arange(len(y)) % 9])


@njit
def columns(y):
    """The Jacobian, every ninth column added up."""
    return jacfwd(shifted)(np.zeros(9), y)


def main():
    point, direction = np.random.default_rng(12).uniform(size=(2, 3 * CELLS))
    matrix = dense(point)
    quotient = (rates(point + 1e-4 * direction) - rates(point - 1e-4 * direction)) / 2e-4
    miss = np.abs(matrix @ direction / quotient - 1.0).max()
    assert miss < 1e-6, miss
    rows, cols = pattern = np.nonzero(matrix)

    def sparse(t, y):
        return csc_matrix((columns(y)[rows, cols % 9], pattern), shape=matrix.shape)

    np.testing.assert_allclose(sparse(0.0, point).toarray(), matrix, rtol=1e-12)
    ways = {"differences": {}, "jacfwd": {"jac": lambda t, y: dense(y)}}
    ways["differences, with pattern"] = {"jac_sparsity": csc_matrix(matrix != 0.0)}
    ways["jacfwd, with pattern"] = {"jac": sparse}
    rest = 0.5 * (1.0 - F - Q + np.sqrt((1.0 - F - Q) ** 2 + 4.0 * Q * (1.0 + F)))
    start = np.tile([rest, F * rest / (Q + rest), rest], (CELLS, 1))
    start[[0, 1, 2, 3, 50, 51, 52, 53], 0] = 0.8
    start, calls, counts = start.ravel(), [], []

    def solve(rtol=1e-4, **way):
        calls.clear()
        way |= {"method": "Radau", "rtol": rtol, "atol": 1e-3 * rtol}
        return solve_ivp(lambda t, y: calls.append(t) or rates(y), (0.0, END), start, **way)

    table = Table("Jacobian", "rates", "Jacobians", "seconds", "error of v", title="Radau's method")
    fine = solve(1e-7, jac=sparse, t_eval=np.linspace(0.0, END, 161)).y.reshape(CELLS, 3, -1)
    for name, way in ways.items():
        begin = timeit.default_timer()
        found = solve(**way)
        seconds = timeit.default_timer() - begin
        error = np.abs(found.y[2::3, -1] - fine[:, 2, -1]).max()
        assert found.success and error < 1e-5, error
        counts.append(len(calls))
        table.add_row(name, str(len(calls)), str(found.njev), f"{seconds:.2f}", f"{error:.1e}")
    assert counts[1] < 0.2 * counts[0] and counts[3] < 0.8 * counts[2], counts
    Console().print(table)
    best = [min(timeit.repeat(lambda f=f: f(start), number=100)) for f in (rates, dense, columns)]
    print("rates, Jacobian, its nine columns, in us:", *(f"{t * 1e4:.1f}" for t in best))
    fastest = np.abs(np.linalg.eigvals(dense(start))).max()
    print(f"Jacobian against differences: {miss:.1e}; fastest rate {fastest:.0f}, slowest about 1")

    figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3.5), dpi=80)
    left.imshow(fine[:, 2].T, origin="lower", aspect="auto", extent=(0, CELLS, 0.0, END))
    left.set(title="v", xlabel="cell", ylabel="time")
    left.axhline(0.8, color="white", linestyle="--", linewidth=1)
    right.legend(right.semilogy(fine[:, :, 16]), "uwv", loc="upper center", ncols=3)
    right.set(title="all substances at time 0.8", xlabel="cell", ylim=(1e-3, 1e3))
    figure.tight_layout()
    figure.savefig(Path(__file__).with_suffix(".png"))


if __name__ == "__main__":
    main()
