"""All sensitivities of an option in the Heston model from one reverse pass.

    python examples/gallery/heston.py

A price s and its variance v follow ds = r s dt + sqrt(v) s dW, dv = kappa (theta - v) dt + xi sqrt(v) dZ, with
correlation rho of dW and dZ. A call is worth the discounted mean of max(s_T - K, 0) over simulated paths; where v is
negative it counts as zero. The gradient of this mean with respect to all eight parameters is compared with central
differences on the same random numbers, which need sixteen simulations, and with forward mode.
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

from enzyme import grad, value_and_grad

NAMES = ["spot", "strike", "rate", "v0", "kappa", "theta", "xi", "rho"]
MARKET = np.array([100.0, 105.0, 0.03, 0.04, 2.0, 0.05, 0.2, -0.6])
PATHS, STEPS, YEARS = 10_000, 50, 1.0


@njit
def price(p, normals):
    """The price of a call; `normals` has two numbers for each step of each path."""
    spot, strike, rate, v0, kappa, theta, xi, rho = p
    dt = YEARS / normals.shape[1]
    root = np.sqrt(1.0 - rho * rho)
    total = 0.0
    for i in range(normals.shape[0]):
        log_s, v = np.log(spot), v0
        for k in range(normals.shape[1]):
            a, b = normals[i, k, 0], normals[i, k, 1]
            positive = max(v, 0.0)
            deviation = np.sqrt(positive * dt)
            log_s += (rate - 0.5 * positive) * dt + deviation * a
            v += kappa * (theta - positive) * dt + xi * deviation * (rho * a + root * b)
        total += max(np.exp(log_s) - strike, 0.0)
    return np.exp(-rate * YEARS) * total / normals.shape[0]


def best_time(call, repeat=3):
    """Seconds of the fastest of some calls."""
    times = []
    for _ in range(repeat):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)


def main():
    normals = np.random.default_rng(7).normal(size=(PATHS, STEPS, 2))
    p = tuple(MARKET)
    greeks = value_and_grad(price)
    value, slopes = greeks(p, normals)
    np.testing.assert_allclose(grad(price, mode="forward")(p, normals), slopes, rtol=1e-9)
    table = Table(
        "parameter", "value", "reverse mode", "differences", title=f"Heston call {value:.3f}"
    )
    for k, name in enumerate(NAMES):
        step = 1e-5 * max(1.0, abs(p[k]))
        ends = [price((*p[:k], p[k] + s * step, *p[k + 1 :]), normals) for s in (1, -1)]
        bumped = (ends[0] - ends[1]) / (2 * step)
        assert abs(bumped - slopes[k]) < 1e-4 * max(1.0, abs(bumped)), (name, bumped, slopes[k])
        table.add_row(name, f"{p[k]:g}", f"{slopes[k]:.6f}", f"{bumped:.6f}")
    Console().print(table)
    primal, reverse = best_time(lambda: price(p, normals)), best_time(lambda: greeks(p, normals))
    print(
        f"price {primal * 1e3:.0f} ms, with all sensitivities {reverse * 1e3:.0f} ms: {reverse / primal:.1f} prices"
    )

    spots = np.linspace(70.0, 140.0, 15)
    found = [greeks((s, *p[1:]), normals[:4000]) for s in spots]
    figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3.5), dpi=80)
    left.plot(spots, [value for value, _ in found])
    left.set_title("price")
    right.plot(spots, [slopes[0] for _, slopes in found], label="by spot")
    right.plot(spots, [slopes[3] / 100 for _, slopes in found], label="by variance, / 100")
    right.set_title("sensitivities")
    right.legend()
    for axes in (left, right):
        axes.set_xlabel("spot")
    figure.tight_layout()
    figure.savefig(Path(__file__).with_suffix(".png"))


if __name__ == "__main__":
    main()
