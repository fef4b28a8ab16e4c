"""How fast twelve cultures grow, and to what size: a hierarchical model of differential equations, sampled by PyMC.

    python examples/growth_pymc.py

The cultures have rates and capacities of their own, which scatter around common ones; each obeys the logistic equation
with a lag, integrated by a Runge-Kutta loop that numba compiles. `function` makes that part of PyMC's model, with its
derivatives: NUTS can sample, and PyTensor's numba mode compiles priors, simulation and gradient into one function. The
same simulation as a black box leaves samplers that take no gradient. What counts is the number of effective samples in
a second of sampling, compilation left out, of the parameter that has fewest. Needs `pip install '.[pymc]'`.
"""

from __future__ import annotations

import argparse
import math
import time
import warnings

import numpy as np
import pytensor.tensor as pt

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import arviz as az
    import pymc as pm

from numba import njit
from pytensor.compile.ops import wrap_py

from enzyme.interop.pytensor import function

CULTURES, TIMES, STEPS = 12, 10, 8
RATE, CAPACITY, START, NOISE = 1.2, 5.0, 0.05, 0.08


@njit
def slope(y, t, rate, capacity):
    return rate * (1.0 - math.exp(-t)) * y * (1.0 - y / capacity)


@njit
def simulate(rates, capacities):
    """Logarithms of the sizes of all cultures, at equal times."""
    found, h = np.empty((CULTURES, TIMES)), 1.0 / STEPS
    for i in range(CULTURES):
        y, t, r, c = START, 0.0, rates[i], capacities[i]
        for j in range(TIMES):
            for _ in range(STEPS):
                a = slope(y, t, r, c)
                b = slope(y + 0.5 * h * a, t + 0.5 * h, r, c)
                d = slope(y + 0.5 * h * b, t + 0.5 * h, r, c)
                e = slope(y + h * d, t + h, r, c)
                y += h * (a + 2.0 * b + 2.0 * d + e) / 6.0
                t += h
            found[i, j] = math.log(y)
    return found


def model(simulation, sizes):
    with pm.Model() as made:
        rate = pm.Normal("log rate", 0.0, 0.5)
        capacity = pm.Normal("log capacity", 1.0, 1.0)
        spread = pm.LogNormal("spread", -1.0, 0.5, shape=2)
        rates = pt.exp(pm.Normal("rates", rate, spread[0], shape=CULTURES))
        capacities = pt.exp(pm.Normal("capacities", capacity, spread[1], shape=CULTURES))
        noise = pm.LogNormal("noise", -2.0, 0.5)
        pm.Normal("sizes", simulation(rates, capacities), noise, observed=sizes)
    return made


@wrap_py(itypes=[pt.dvector] * 2, otypes=[pt.dmatrix], infer_shape=lambda *_: [(CULTURES, TIMES)])
def black_box(rates, capacities):
    return simulate(rates, capacities)


def effective_samples(made, step, draws, tune, seed, **options):
    """The trace, and the least effective number of samples of a parameter, in a second too."""
    with made, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        given = {"step": step(**options), "random_seed": seed, "cores": 1, "progressbar": False}
        given["compute_convergence_checks"] = False
        pm.sample(2, tune=1, chains=1, **given)  # compiles
        begin = time.perf_counter()
        trace = pm.sample(draws, tune=tune, chains=2, **given)
        seconds = time.perf_counter() - begin
    least = float(az.ess(trace).to_array().min())
    return trace, least, least / seconds


def main(draws: int = 500, seed: int = 1) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    rates = RATE * np.exp(0.25 * rng.normal(size=CULTURES))
    capacities = CAPACITY * np.exp(0.3 * rng.normal(size=CULTURES))
    sizes = simulate(rates, capacities) + NOISE * rng.normal(size=(CULTURES, TIMES))
    ours = model(function(simulate, shapes=lambda *_: (CULTURES, TIMES)), sizes)
    options = {"compile_kwargs": {"mode": "NUMBA"}}
    trace, least, fast = effective_samples(ours, pm.NUTS, draws, draws, seed, **options)
    found = {
        name: float(trace.posterior[name].mean()) for name in ("log rate", "log capacity", "noise")
    }
    print("means:", ", ".join(f"{name} {value:.3f}" for name, value in found.items()))
    print(f"NUTS, with gradients:      {least:6.0f} effective samples, {fast:7.2f} per second")
    other = model(black_box, sizes)
    _, fewer, slow = effective_samples(other, pm.DEMetropolisZ, 20 * draws, 20 * draws, seed)
    print(f"DEMetropolisZ, black box:  {fewer:6.0f} effective samples, {slow:7.2f} per second")
    return {"least": least, "fast": fast, "slow": slow, **found}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=500)
    main(parser.parse_args().draws)
