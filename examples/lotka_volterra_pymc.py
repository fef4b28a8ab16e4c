"""The posterior of the Lotka-Volterra equations given 21 years of hare and lynx pelts, by PyMC.

    python examples/lotka_volterra_pymc.py

The simulation is a Runge-Kutta loop that numba compiles. `function` makes it part of PyMC's model with its
derivatives, so NUTS can sample, and PyTensor's numba mode compiles prior, simulation and gradient into one function.
The same simulation as a black box leaves samplers that take no gradient.  What counts is the number of effective samples
in a second of sampling, compilation left out, of the parameter that has fewest.  Needs `pip install '.[pymc]'`.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
import pytensor.tensor as pt

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import arviz as az
    import pymc as pm

from numba import njit
from pytensor import wrap_py

from enzyme.interop.pytensor import function

DATA = Path(__file__).parent / "data" / "lynx_hare.csv"
STEPS = 20
# Hare births, hares eaten per lynx, lynx deaths, lynx births per hare; hares and lynxes at the start, in thousands.
GUESS = np.array([0.55, 0.028, 0.8, 0.024, 33.0, 6.0])


@njit
def slopes(x, y, p):
    return p[0] * x - p[1] * x * y, -p[2] * y + p[3] * x * y


@njit
def simulate(p, years):
    """Logarithms of both populations at the end of each year."""
    found = np.empty((years, 2))
    x, y, h = p[4], p[5], 1.0 / STEPS
    for year in range(years):
        if year:
            for _ in range(STEPS):
                a, b = slopes(x, y, p)
                c, d = slopes(x + 0.5 * h * a, y + 0.5 * h * b, p)
                e, f = slopes(x + 0.5 * h * c, y + 0.5 * h * d, p)
                u, v = slopes(x + h * e, y + h * f, p)
                x += h * (a + 2.0 * c + 2.0 * e + u) / 6.0
                y += h * (b + 2.0 * d + 2.0 * f + v) / 6.0
        found[year] = np.log(x), np.log(y)
    return found


def model(simulation, pelts):
    with pm.Model() as made:
        scale = pm.Normal("scale", 0.0, 0.5, shape=6, initval=np.zeros(6))
        parameters = pm.Deterministic("parameters", GUESS * pt.exp(scale))
        sigma = pm.LogNormal("sigma", -1.0, 0.5)
        mean = simulation(parameters, pt.constant(len(pelts), dtype="int64"))
        pm.Normal("pelts", mean, sigma, observed=np.log(pelts))
    return made


@wrap_py(itypes=[pt.dvector, pt.lscalar], otypes=[pt.dmatrix], infer_shape=lambda *_: [(21, 2)])
def black_box(p, years):
    return simulate(p, int(years))


def effective_samples(made, step, draws, tune, seed, **options):
    """The trace; the least effective number of samples of a parameter, and that per second of sampling."""
    with made, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        given = {"step": step(**options), "random_seed": seed, "cores": 1, "progressbar": False}
        given["compute_convergence_checks"] = False
        pm.sample(1, tune=1, chains=1, **given)  # compiles
        begin = time.perf_counter()
        trace = pm.sample(draws, tune=tune, chains=2, **given)
        seconds = time.perf_counter() - begin
    least = float(az.ess(trace, var_names=["parameters", "sigma"]).to_array().min())
    return trace, least, least / seconds


def main(draws: int = 500, tune: int = 500, seed: int = 1) -> dict[str, float]:
    pelts = np.loadtxt(DATA, delimiter=",", skiprows=2)[:, 1:]
    compiled = {"mode": "NUMBA"}
    ours = model(function(simulate, shapes=lambda p, years: (len(pelts), 2)), pelts)
    trace, least, rate = effective_samples(
        ours, pm.NUTS, draws, tune, seed, compile_kwargs=compiled
    )
    means = trace.posterior["parameters"].mean(("chain", "draw")).values
    print("posterior means:", np.array2string(means, precision=3))
    print(f"NUTS, with gradients:      {least:6.0f} effective samples, {rate:7.2f} per second")
    other = model(black_box, pelts)
    _, fewer, slower = effective_samples(other, pm.DEMetropolisZ, 10 * draws, 10 * tune, seed)
    print(f"DEMetropolisZ, black box:  {fewer:6.0f} effective samples, {slower:7.2f} per second")
    return {"least": least, "rate": rate, "black box": slower, **dict(enumerate(means))}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=500)
    main(parser.parse_args().draws)
