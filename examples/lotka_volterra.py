"""Fit the Lotka-Volterra equations to 21 years of hare and lynx pelts.

    python examples/lotka_volterra.py

The model is ordinary numba code: a Runge-Kutta loop that updates its state in place and keeps its
slopes in work arrays.  `autodiff` gives the gradient of the negative log-likelihood with respect
to all eight parameters at a small multiple of the cost of one simulation, and SciPy's L-BFGS-B
does the rest.  The same fit with finite differences runs afterwards, to see what the gradient is
worth.  Data and fit are drawn into `lotka_volterra.png`.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from numba import njit
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from scipy.optimize import minimize

from enzyme import Active, Const, Duplicated, ReverseWithPrimal, autodiff

DATA = Path(__file__).parent / "data" / "lynx_hare.csv"
STEPS_PER_YEAR = 250

# (name, meaning); the optimiser works with the logarithms, so all of them stay positive.
PARAMETERS = [
    ("alpha", "hare births"),
    ("beta", "hares eaten per lynx"),
    ("gamma", "lynx deaths"),
    ("delta", "lynx births per hare"),
    ("hare 1900", "thousands of pelts"),
    ("lynx 1900", "thousands of pelts"),
    ("sigma hare", "spread of log(pelts)"),
    ("sigma lynx", "spread of log(pelts)"),
]

# ------------------------------------------------------------------------------ the model


@njit
def slope(state, p, out):
    """Lotka-Volterra: hares are born and eaten, lynxes starve and multiply."""
    hare, lynx = state[0], state[1]
    out[0] = (p[0] - p[1] * lynx) * hare
    out[1] = (p[3] * hare - p[2]) * lynx


@njit
def simulate(p, steps, dt, path):
    """Fill `path[i]` with the state after `i * steps` Runge-Kutta steps of length `dt`."""
    state = np.empty(2)
    trial = np.empty(2)
    k1, k2, k3, k4 = np.empty(2), np.empty(2), np.empty(2), np.empty(2)
    state[0] = p[4]
    state[1] = p[5]
    path[0] = state
    for i in range(1, path.shape[0]):
        for _ in range(steps):
            slope(state, p, k1)
            for j in range(2):
                trial[j] = state[j] + 0.5 * dt * k1[j]
            slope(trial, p, k2)
            for j in range(2):
                trial[j] = state[j] + 0.5 * dt * k2[j]
            slope(trial, p, k3)
            for j in range(2):
                trial[j] = state[j] + dt * k3[j]
            slope(trial, p, k4)
            for j in range(2):
                state[j] += dt / 6.0 * (k1[j] + 2.0 * k2[j] + 2.0 * k3[j] + k4[j])
        path[i] = state


@njit
def negative_log_likelihood(theta, observed, steps):
    """Log-normal errors around the solution; `theta` holds the logarithms of the parameters."""
    p = np.exp(theta)
    path = np.empty(observed.shape)
    simulate(p, steps, 1.0 / steps, path)
    total = 0.0
    for i in range(observed.shape[0]):
        for j in range(2):
            z = (np.log(observed[i, j]) - np.log(path[i, j])) / p[6 + j]
            total += 0.5 * z * z + theta[6 + j] + 0.5 * np.log(2.0 * np.pi)
    return total


def value_and_gradient(theta, observed, steps=STEPS_PER_YEAR):
    """One reverse pass: the likelihood and its eight derivatives."""
    d_theta = np.zeros_like(theta)  # autodiff adds to the shadow, so it starts from zero
    _, value = autodiff(
        ReverseWithPrimal,
        negative_log_likelihood,
        Active,
        Duplicated(theta, d_theta),
        Const(observed),
        Const(steps),
    )
    return value, d_theta


# ------------------------------------------------------------------------------ the fit


def first_guess(observed):
    """Rough values from the look of the data: a ten-year cycle around the mean of each series.

    Small cycles have the period 2 pi / sqrt(alpha gamma) and turn around hare = gamma / delta,
    lynx = alpha / beta.
    """
    rate = 2.0 * np.pi / 10.0
    hare, lynx = observed.mean(axis=0)
    p = [rate, rate / lynx, rate, rate / hare, observed[0, 0], observed[0, 1], 0.5, 0.5]
    return np.log(p)


def fit(console, title, fun, theta, observed, jac):
    """Minimise with L-BFGS-B and a progress line; returns SciPy's result and the seconds."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        line = progress.add_task(title)
        iteration = 0

        def show(intermediate_result):
            nonlocal iteration
            iteration += 1
            progress.update(
                line,
                description=f"{title}: iteration {iteration:3d}, "
                f"-log L = {intermediate_result.fun:10.4f}",
            )

        start = time.perf_counter()
        result = minimize(
            fun,
            theta,
            args=(observed, STEPS_PER_YEAR),
            jac=jac,
            method="L-BFGS-B",
            bounds=[(t - 3.0, t + 3.0) for t in theta],
            callback=show,
            options={"maxiter": 500, "maxfun": 20000},
        )
        seconds = time.perf_counter() - start
    return result, seconds


def central_differences(theta, observed, h=1e-5):
    """Fourth-order central differences of the likelihood."""
    gradient = np.empty_like(theta)
    for i in range(theta.size):
        e = np.zeros_like(theta)
        e[i] = h

        def f(k, e=e):
            return negative_log_likelihood(theta + k * e, observed, STEPS_PER_YEAR)

        gradient[i] = (8.0 * (f(1) - f(-1)) - (f(2) - f(-2))) / (12.0 * h)
    return gradient


def cost(theta, observed, rounds=60):
    """Seconds of one primal and of one gradient, and the ratio: medians, taken in turn."""
    times = []
    for _ in range(rounds):
        t0 = time.perf_counter()
        negative_log_likelihood(theta, observed, STEPS_PER_YEAR)
        t1 = time.perf_counter()
        value_and_gradient(theta, observed)
        t2 = time.perf_counter()
        times.append((t1 - t0, t2 - t1, (t2 - t1) / (t1 - t0)))
    return np.median(times, axis=0)


# ------------------------------------------------------------------------------ the report


def draw(years, observed, theta, path_png):
    """Data as points, the fitted solution as lines, one standard deviation as a band."""
    p = np.exp(theta)
    points_per_year = 20
    path = np.empty(((len(years) - 1) * points_per_year + 1, 2))
    simulate(p, 10, 1.0 / (10 * points_per_year), path)
    t = years[0] + np.arange(len(path)) / points_per_year

    figure, (left, right) = plt.subplots(
        1, 2, figsize=(11, 4.2), width_ratios=(2, 1), layout="constrained"
    )
    for j, (name, colour) in enumerate([("hare", "tab:blue"), ("lynx", "tab:orange")]):
        spread = np.exp(p[6 + j])
        left.fill_between(t, path[:, j] / spread, path[:, j] * spread, color=colour, alpha=0.15)
        left.plot(t, path[:, j], color=colour, label=f"{name}, fitted")
        left.plot(years, observed[:, j], "o", ms=4, color=colour, label=f"{name}, observed")
    left.set(xlabel="year", ylabel="pelts (thousands)", ylim=(0, 120))
    left.set_xticks(years[::4])
    left.legend(ncols=2, frameon=False)
    right.plot(path[:, 0], path[:, 1], color="tab:green")
    right.plot(observed[:, 0], observed[:, 1], ".", color="0.4")
    right.set(xlabel="hare (thousands)", ylabel="lynx (thousands)")
    figure.savefig(path_png, dpi=130)
    plt.close(figure)


def main():
    arguments = argparse.ArgumentParser(description="Fit lynx and hare, with exact gradients.")
    arguments.add_argument("--out", default="lotka_volterra.png", help="where to draw the fit")
    out = arguments.parse_args().out
    console = Console()

    years, hare, lynx = np.loadtxt(DATA, delimiter=",", skiprows=2, unpack=True)
    observed = np.column_stack([hare, lynx])
    start = first_guess(observed)
    console.print(
        f"{len(years)} years of hare and lynx, {(len(years) - 1) * STEPS_PER_YEAR} "
        f"Runge-Kutta steps per simulation, {start.size} parameters"
    )

    t0 = time.perf_counter()
    negative_log_likelihood(start, observed, STEPS_PER_YEAR)
    t1 = time.perf_counter()
    _, exact = value_and_gradient(start, observed)
    t2 = time.perf_counter()
    console.print(f"compiled: simulation {t1 - t0:.1f} s, its gradient {t2 - t1:.1f} s")

    approximate = central_differences(start, observed)
    error = np.max(np.abs(exact - approximate) / np.abs(approximate))
    primal_time, gradient_time, ratio = cost(start, observed)

    result, seconds = fit(console, "autodiff          ", value_and_gradient, start, observed, True)
    slow, slow_seconds = fit(
        console, "finite differences", negative_log_likelihood, start, observed, "2-point"
    )

    table = Table(title="Fitted by maximum likelihood; gradient at the first guess")
    table.add_column("parameter")
    table.add_column("fitted", justify="right")
    table.add_column("autodiff", justify="right")
    table.add_column("differences", justify="right")
    table.add_column("meaning")
    for (name, meaning), value, g, fd in zip(
        PARAMETERS, np.exp(result.x), exact, approximate, strict=True
    ):
        table.add_row(name, f"{value:.4g}", f"{g:.9g}", f"{fd:.9g}", meaning)
    console.print(table)

    summary = Table.grid(padding=(0, 2))
    summary.add_column()
    summary.add_column(justify="right")
    summary.add_column()
    summary.add_row("largest relative error", f"{error:.1e}", "")
    summary.add_row(
        "gradient / simulation",
        f"{ratio:.2f}",
        f"{gradient_time * 1e3:.3f} ms / {primal_time * 1e3:.3f} ms",
    )
    summary.add_row(
        "fit, autodiff",
        f"{seconds * 1e3:.1f} ms",
        f"-log L {result.fun:.6f} after {result.nfev} gradients",
    )
    summary.add_row(
        "fit, finite differences",
        f"{slow_seconds * 1e3:.1f} ms",
        f"-log L {slow.fun:.6f} after {slow.nfev} simulations",
    )
    summary.add_row(
        "cost by differences",
        f"{(start.size + 1) / ratio:.1f}x",
        f"a gradient of {start.size} numbers by forward differences takes {start.size + 1} simulations",
    )
    console.print(summary)

    draw(years.astype(int), observed, result.x, out)
    console.print(f"drawn: {out}")
    if not error < 1e-6:
        raise SystemExit("the gradient does not agree with finite differences")


if __name__ == "__main__":
    main()
