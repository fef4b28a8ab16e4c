"""The rules of the package against finite differences, and the two modes against each other."""

import hypothesis
import numpy as np
from heatline import conductivity, heat, solve

from enzyme import Active, BatchDuplicated, Const, Duplicated, DuplicatedNoNeed
from enzyme_testutils import (
    check_adjoint,
    parametrize_activities,
    test_forward,
    test_reverse,
)
from enzyme_testutils.strategies import arrays, scalars


def system(n, rng):
    lower, upper = rng.normal(size=n - 1), rng.normal(size=n - 1)
    return lower, 4.0 + rng.random(n), upper, rng.normal(size=n), np.zeros(n)


@parametrize_activities((DuplicatedNoNeed, BatchDuplicated), t=(Duplicated, BatchDuplicated))
def test_conductivity_forward(ret, t):
    test_forward(conductivity, ret, (1.7, t))


def test_conductivity_reverse():
    test_reverse(conductivity, Active, (1.7, Active))
    check_adjoint(conductivity, Active, (1.7, Active))


@parametrize_activities(
    (Const,),
    bands=(Const, Duplicated),
    out=(Duplicated,),
)
def test_solve(ret, bands, out, enzyme_rng):
    lower, diagonal, upper, b, x = system(4, enzyme_rng)
    args = ((lower, bands), (diagonal, bands), (upper, bands), (b, out), (x, out))
    test_forward(solve, ret, *args)
    test_reverse(solve, ret, *args)
    check_adjoint(solve, ret, *args)


def test_solve_in_directions(enzyme_rng):
    args = [(array, BatchDuplicated) for array in system(4, enzyme_rng)]
    test_forward(solve, Const, *args)


def test_solve_with_one_band(enzyme_rng):
    lower, diagonal, _, b, x = system(5, enzyme_rng)
    band = (lower, Duplicated)
    test_reverse(solve, Const, band, (diagonal, Duplicated), band, b, (x, Duplicated))


def test_heat():
    temperature = np.array([0.5, 3.0, 1.0, 2.5])
    test_forward(heat, Duplicated, (temperature, Duplicated), (0.4, Duplicated), 3)
    test_reverse(heat, Active, (temperature, Duplicated), (0.4, Active), 3)


@hypothesis.settings(deadline=None, max_examples=20)
@hypothesis.given(arrays(5, 0.0, 4.0), scalars(0.01, 2.0))
def test_modes_agree(temperature, factor):
    check_adjoint(heat, Active, (temperature, Duplicated), (factor, Active), 2, rtol=1e-11)
