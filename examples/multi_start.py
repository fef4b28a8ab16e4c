"""Fit the frequencies of two decaying tones from many starts at once, in processes.

    python examples/multi_start.py [--starts 24] [--workers 2]

A sum of tones has a great many local minima in its frequencies, and a single fit often ends in a wrong one.  Each
process gets the gradient and fits from its own starts; what the parent compiled they take from disk.  The program
checks the gradient, that processes find what one process finds, and the tones.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
from numba import njit
from scipy.optimize import minimize

from enzyme import cache, grad, value_and_grad

# Of each tone: amplitude, decay, frequency.
TONES = np.array([1.0, 0.03, 1.70, 0.6, 0.02, 2.90])
TIMES = np.linspace(0.0, 40.0, 400)


@njit
def signal(p, t):
    total = 0.0
    for k in range(0, p.shape[0], 3):
        total += p[k] * math.exp(-p[k + 1] * t) * math.sin(p[k + 2] * t)
    return total


@njit
def miss(p, times, measured):
    """Half the sum of squares."""
    total = 0.0
    for i in range(times.shape[0]):
        total += 0.5 * (signal(p, times[i]) - measured[i]) ** 2
    return total


def measured_signal():
    noise = np.random.default_rng(1).normal(scale=0.02, size=TIMES.size)
    return np.array([signal(TONES, t) for t in TIMES]) + noise


def starts(count):
    rng = np.random.default_rng(2)
    low, high = np.tile([0.2, 0.0, 0.2], 2), np.tile([1.5, 0.1, 8.0], 2)
    return list(rng.uniform(low, high, (count, 6)))


def fit(objective, measured, start):
    """One fit, by the objective that was sent: its value, and where it ends."""
    bounds = [(-3.0, 3.0), (0.0, 1.0), (0.0, 10.0)] * 2
    found = minimize(objective, start, (TIMES, measured), jac=True, bounds=bounds)
    return float(found.fun), found.x


def in_processes(job, given, workers, folder):
    """Fresh processes, which know nothing but what they are sent; they look for derivatives in the folder."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, initializer=cache, initargs=(folder,)) as pool:
        return list(pool.map(job, given))


def check_gradient(measured, p):
    slope, step = grad(miss)(p, TIMES, measured), 1e-6
    ways = np.eye(6) * step
    central = [miss(p + d, TIMES, measured) - miss(p - d, TIMES, measured) for d in ways]
    np.testing.assert_allclose(slope, np.array(central) / (2.0 * step), rtol=1e-5, atol=1e-5)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--starts", type=int, default=24)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    measured, first = measured_signal(), starts(given.starts)
    with tempfile.TemporaryDirectory() as folder:
        cache(folder)
        check_gradient(measured, first[0])
        job = partial(fit, value_and_grad(miss), measured)
        begin = time.perf_counter()
        alone = [job(start) for start in first]
        between = time.perf_counter()
        found = in_processes(job, first, given.workers, folder)
        end = time.perf_counter()
        cache(None)
    for (value, x), (other, y) in zip(found, alone, strict=True):
        assert value == other and np.array_equal(x, y), "processes find what one process finds"
    value, best = min(found, key=lambda one: one[0])
    tones = best.reshape(2, 3)[np.argsort(np.abs(best[2::3]))]
    np.testing.assert_allclose(np.abs(tones), TONES.reshape(2, 3), atol=0.05)
    good = sum(other < value * 1.0001 for other, _ in found)
    print(f"{good} of {len(found)} starts end in the best minimum, {value:.4f}")
    print(f"frequencies {tones[0, 2]:.3f} and {tones[1, 2]:.3f}, of the data 1.700 and 2.900")
    print(f"one process {between - begin:.2f} s, {given.workers} fresh ones {end - between:.2f} s")


if __name__ == "__main__":
    main()
