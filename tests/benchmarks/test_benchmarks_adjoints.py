"""The adjoints written by hand, to which the benchmarks compare, are gradients of the programs."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.adjoints import ADJOINTS
from benchmarks.measure import ROUNDING, adjoint_call, difference, gradient_call
from benchmarks.models import MODELS
from benchmarks.programs import PROGRAMS

pytestmark = pytest.mark.optimised

RNG = np.random.default_rng(11)


def uniform(*shape, low=0.0, high=1.0):
    return RNG.uniform(low, high, shape)


SMALL = {
    "lorenz": (np.array([1.0, 0.5, 20.0]), np.array([10.0, 28.0, 8.0 / 3.0]), 7, 1e-2),
    "lennard_jones": (uniform(12, 3, high=3.0), 1.5),
    "log_sum_exp": (uniform(9),),
    # Close to one, Newton takes more iterations than the storage has room for at first.
    "kepler": (np.array([0.3, 2.0, 0.01]), np.array([0.7, 0.2, 0.999])),
    "heat": (uniform(5, 6), uniform(5, 6, low=0.05, high=0.2), 4),
    "lstm": (uniform(12, 2), uniform(12, 3), uniform(12), uniform(5, 2), uniform(3)),
    "gaussian_mixture": (uniform(6, 3), uniform(4, 3), uniform(4, 3), uniform(4)),
    "bundle": (
        uniform(3, 9) + np.array([0, 0, 0, 0, 0, 5, 1, 0, 0]),
        uniform(4, 3),
        uniform(8, 2),
        RNG.integers(0, 3, 8),
        RNG.integers(0, 4, 8),
    ),
    "fourier": (uniform(16), uniform(16), uniform(16)),
    "brusselator": (uniform(4, 4), uniform(4, 4), 3.4, 1.0, 3),
    "black_scholes": (
        *(uniform(5, low=80.0, high=120.0), uniform(5, low=80.0, high=120.0)),
        *(uniform(5, low=0.1, high=2.0), uniform(5, low=0.1, high=0.5), 0.02),
    ),
}


def test_every_program_has_an_adjoint():
    assert set(ADJOINTS) == set(SMALL) == {*PROGRAMS, *MODELS}


@pytest.mark.parametrize("name", SMALL)
def test_same_value_and_same_gradient(name):
    program, inputs = {**PROGRAMS, **MODELS}[name], SMALL[name]
    gradient, expected = gradient_call(program, inputs)
    by_hand, found = adjoint_call(ADJOINTS[name], inputs)
    gradient()
    assert by_hand() == pytest.approx(program.function(*inputs), rel=1e-13)
    assert difference(found, expected) < ROUNDING
    assert all(f.any() for f in found)


def test_shadows_are_added_to():
    x, dx = np.array([1.0, 2.0]), np.array([10.0, 20.0])
    ADJOINTS["log_sum_exp"](x, dx)
    weights = np.exp(x) / np.exp(x).sum()
    assert dx == pytest.approx(np.array([10.0, 20.0]) + weights)
