"""Parameters of an oscillator from one noisy signal: a fit through the steps of Runge and Kutta.

    python examples/gallery/oscillator_fit.py

A nerve cell in the model of FitzHugh and Nagumo: v' = c (v - v^3 / 3 + w), w' = -(v - a + b w) / c. Only v is measured,
with noise. Three parameters and the first state are found by BFGS with the gradient through all steps, and the Hessian
there gives standard errors. The steps agree with `solve_ivp`, and the true values lie within three standard errors. The
Hessian of the true values for a signal without noise says how far fits to other noise scatter, and 300 of them do so.
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
from scipy.optimize import minimize

from enzyme import hessian, value_and_grad

NAMES = "a", "b", "c", "first v", "first w"
TRUE = np.array([0.2, 0.2, 3.0, -1.0, 1.0])
START = np.array([0.6, 0.6, 2.4, 0.0, 0.0])
READINGS, EVERY, STEP = 200, 5, 0.02  # steps between two readings, length of a step
NOISE, FITS = 0.2, 300


@njit
def slope(p, v, w):
    return p[2] * (v - v * v * v / 3.0 + w), -(v - p[0] + p[1] * w) / p[2]


@njit
def simulate(p):
    """The signal v at all readings."""
    out = np.empty(READINGS)
    v, w, h = p[3], p[4], STEP
    for k in range(READINGS):
        out[k] = v
        for _ in range(EVERY):
            v1, w1 = slope(p, v, w)
            v2, w2 = slope(p, v + 0.5 * h * v1, w + 0.5 * h * w1)
            v3, w3 = slope(p, v + 0.5 * h * v2, w + 0.5 * h * w2)
            v4, w4 = slope(p, v + h * v3, w + h * w3)
            v += h / 6.0 * (v1 + 2.0 * (v2 + v3) + v4)
            w += h / 6.0 * (w1 + 2.0 * (w2 + w3) + w4)
    return out


@njit
def loss(p, seen):
    """Minus the log likelihood, but for a constant."""
    return 0.5 * (((simulate(p) - seen) / NOISE) ** 2).sum()


def main():
    rng = np.random.default_rng(11)
    times, clean = EVERY * STEP * np.arange(READINGS), simulate(TRUE)
    span, small = (0.0, times[-1]), {"rtol": 1e-10, "atol": 1e-10}
    ode = solve_ivp(lambda t, y: slope(TRUE, *y), span, TRUE[3:], "DOP853", times, **small)
    np.testing.assert_allclose(clean, ode.y[0], atol=1e-5)
    seen = clean + rng.normal(scale=NOISE, size=READINGS)
    both = value_and_grad(loss)
    ends = [[loss(START + h, seen) for h in s * np.eye(5)] for s in (1e-6, -1e-6)]
    worst = np.abs(both(START, seen)[1] / np.subtract(*ends) * 2e-6 - 1.0).max()
    assert worst < 1e-6, worst

    found = minimize(both, START, args=(seen,), jac=True, method="BFGS")
    places = (found.x, seen), (TRUE, clean)
    of_fit, expected = (np.linalg.inv(hessian(loss)(*place)) for place in places)
    errors, scatter = np.sqrt(np.diag(of_fit)), np.sqrt(np.diag(expected))
    assert found.success and np.all(np.abs(found.x - TRUE) < 3.0 * errors), (found.x, errors)
    others = clean + rng.normal(scale=NOISE, size=(FITS, READINGS))
    fits = np.array([minimize(both, TRUE, args=(s,), jac=True, method="BFGS").x for s in others])
    spread = fits.std(axis=0)
    np.testing.assert_allclose(spread, scatter, rtol=4.0 / np.sqrt(2 * FITS))

    table = Table("", *NAMES, title=f"FitzHugh-Nagumo, {READINGS} readings of v")
    rows = {"true": TRUE, "start": START, "found": found.x, "standard error": errors}
    rows |= {"expected scatter": scatter, f"scatter of {FITS} fits": spread}
    for name, row in rows.items():
        table.add_row(name, *(f"{number:.4f}" for number in row))
    Console().print(table)
    calls = loss, both, hessian(loss)
    spent = [min(timeit.repeat(lambda f=f: f(START, seen), number=50)) * 2e4 for f in calls]
    print("simulation {:.0f} us, with gradient {:.0f} us, Hessian {:.0f} us".format(*spent))
    print("in simulations: gradient {:.1f}, Hessian {:.1f}".format(*np.divide(spent[1:], spent[0])))
    print(f"gradient against differences: {worst:.1e}; {found.nfev} simulations")

    figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3.5), dpi=80)
    left.plot(times, seen, ".", color="0.6", markersize=4, label="measured")
    left.plot(times, simulate(START), "--", color="tab:blue", linewidth=1, label="start")
    left.plot(times, clean, color="black", linewidth=2, label="true")
    left.plot(times, simulate(found.x), color="tab:red", linewidth=1, label="found")
    left.set(title="signal v", xlabel="time", ylim=(-2.7, 4.4))
    left.legend(loc="upper center", ncols=2)
    circle = np.linspace(0.0, 2.0 * np.pi, 100)
    ellipse = np.linalg.cholesky(expected[:2, :2]) @ [np.cos(circle), np.sin(circle)]
    right.plot(*fits.T[:2], ".", color="0.6", markersize=3, label="others")
    for n in (1, 2, 3):
        right.plot(*(TRUE[:2, None] + n * ellipse), color="tab:red", linewidth=1)
    right.plot(*found.x[:2], "s", color="tab:blue", markersize=5, label="found")
    right.plot(*TRUE[:2], "k*", markersize=8, label="true")
    right.set(title="fits, and three ellipses of errors", xlabel="a", ylabel="b", ylim=(-0.1, 0.41))
    right.legend(loc="lower center", ncols=3, columnspacing=1.0, handletextpad=0.2)
    figure.tight_layout()
    figure.savefig(Path(__file__).with_suffix(".png"))


if __name__ == "__main__":
    main()
