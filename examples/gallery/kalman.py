"""The noise of a tracked object, estimated with the likelihood of a Kalman filter.

    python examples/gallery/kalman.py

An object moves in the plane. Its velocity is a random walk with steps of standard deviation q; its position is measured
with errors of standard deviation r. The filter gives the likelihood of the measurements, which is maximised over log q
and log r; the Hessian there gives standard errors. The likelihood agrees with a normal density whose covariance is
written down directly, and the true values of q and r lie within three standard errors.
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
from scipy.stats import multivariate_normal

from enzyme import hessian, value_and_grad

TRUE = np.log([1.0, 8.0])  # of q and of r
PRIOR = 100.0, 1.0  # variances of position and velocity at the beginning
STEPS = 400


@njit
def follow(theta, seen, track):
    """Minus the log likelihood of positions `seen`; filtered positions go to `track`."""
    q, r = np.exp(2.0 * theta[0]), np.exp(2.0 * theta[1])
    p = np.array([[PRIOR[0], 0.0], [0.0, PRIOR[1]]])  # covariance, of both coordinates
    place, speed = np.zeros(2), np.zeros(2)
    total = 0.0
    for k in range(len(seen)):
        s = p[0, 0] + r  # variance of the innovation
        gain0, gain1 = p[0, 0] / s, p[0, 1] / s
        for c in range(2):
            miss = seen[k, c] - place[c]
            total += 0.5 * (miss * miss / s + np.log(2.0 * np.pi * s))
            place[c] += gain0 * miss
            speed[c] += gain1 * miss
            track[k, c] = place[c]
            place[c] += speed[c]
        p[1, 1] -= gain1 * p[0, 1]  # update
        p[0] *= 1.0 - gain0
        p[0, 0] += 2.0 * p[0, 1] + p[1, 1]  # prediction
        p[0, 1] += p[1, 1]
        p[1, 1] += q
    return total


@njit
def loss(theta, seen):
    return follow(theta, seen, np.empty_like(seen))


def simulate(rng):
    """True and measured positions, both of shape (STEPS, 2)."""
    steps = np.exp(TRUE[0]) * rng.normal(size=(STEPS, 2))
    steps[:2] = np.sqrt(np.vstack(PRIOR)) * rng.normal(size=(2, 2))
    steps[1:] = steps[1:].cumsum(0)
    return (path := steps.cumsum(0)), path + np.exp(TRUE[1]) * rng.normal(size=path.shape)


def direct(theta, seen):
    """Minus the log likelihood from the covariance of all positions, without a filter."""
    q, r = np.exp(theta)
    n = np.arange(len(seen))
    kicks = np.maximum(n[:, None] - 1 - n, 0)  # of the velocity, on each position
    cov = PRIOR[0] + PRIOR[1] * np.outer(n, n) + q**2 * kicks @ kicks.T + r**2 * np.eye(len(n))
    return -multivariate_normal(cov=cov).logpdf(seen.T).sum()


def main():
    path, seen = simulate(np.random.default_rng(3))
    both, start = value_and_grad(loss), np.zeros(2)
    np.testing.assert_allclose(loss(start, seen[:60]), direct(start, seen[:60]), rtol=1e-9)
    ends = [[loss(start + h, seen) for h in s * np.eye(2)] for s in (1e-5, -1e-5)]
    worst = np.abs(both(start, seen)[1] / np.subtract(*ends) * 2e-5 - 1.0).max()
    assert worst < 1e-6, worst
    found = minimize(both, start, args=(seen,), jac=True, method="BFGS", options={"gtol": 1e-4})
    errors = np.sqrt(np.diag(np.linalg.inv(hessian(loss)(found.x, seen))))
    assert np.all(np.abs(found.x - TRUE) < 3.0 * errors), (found.x, errors)
    calls = {"likelihood": loss, "value and gradient": both, "Hessian": hessian(loss)}
    times = [min(timeit.repeat(lambda f=f: f(start, seen), number=50)) for f in calls.values()]
    table = Table("", "log q", "log r", "microseconds", "ratio", title=f"{STEPS} measurements")
    for name, row in {"true": TRUE, "found": found.x, "standard error": errors}.items():
        table.add_row(name, f"{row[0]:.3f}", f"{row[1]:.3f}")
    for name, spent in zip(calls, times, strict=True):
        table.add_row(name, "", "", f"{spent * 2e4:.1f}", f"{spent / times[0]:.1f}")
    Console().print(table)
    print(f"gradient against differences: {worst:.1e}; {found.nfev} evaluations of the likelihood")

    follow(found.x, seen, track := np.empty_like(seen))
    figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3.5), dpi=80)
    for x, style in zip((seen, path, track), (".c", "-k", "-r"), strict=True):
        left.plot(*x[:70].T, style, markersize=4, linewidth=1)
    left.legend(["measured", "true", "filtered"], title="seventy seconds")
    grid = np.linspace(-4.0, 4.0, 41)
    values = [[loss(found.x + errors * (a, b), seen) - found.fun for a in grid] for b in grid]
    right.contour(*np.outer(errors, grid) + found.x[:, None], values, levels=[0.5, 2.0, 4.5])
    right.errorbar(*found.x, errors[1], errors[0], fmt=".r", label="found")
    right.plot(*TRUE, "k*", label="true")
    right.set(xlabel="log q", ylabel="log r", title="one, two, three standard errors")
    right.legend()
    figure.tight_layout()
    figure.savefig(Path(__file__).with_suffix(".png"))


if __name__ == "__main__":
    main()
