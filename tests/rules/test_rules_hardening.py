"""What would end in silent zeros or in foreign memory is an error."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Duplicated, Forward, Reverse, autodiff
from enzyme.errors import EnzymeConstStorageError, EnzymeRuntimeActivityError, ShadowLayoutError
from enzyme_rules import AugmentedReturn, augmented_primal, forward, inactive, reverse

pytestmark = pytest.mark.rotating(3)


@pytest.fixture
def workspace():
    @njit
    def made(n):
        return np.ones(n)

    inactive(made)
    return made


@pytest.mark.parametrize("mode", [Forward, Reverse], ids=["forward", "reverse"])
def test_active_data_in_memory_of_inactive_functions(workspace, mode):
    def f(x):
        b = workspace(3)
        b[0] = x
        return b[0] * 2.0

    x = Duplicated(2.0, 1.0) if mode is Forward else Active(2.0)
    with pytest.raises(EnzymeConstStorageError, match="memory that was declared inactive"):
        autodiff(mode, f, x)


def test_copies_of_it_are_active(workspace):
    def f(x):
        b = workspace(3).copy()
        b[0] = x * b[1]
        return b[0] * 2.0

    assert autodiff(Forward, f, Duplicated(2.0, 1.0)) == (2.0,)
    assert autodiff(Reverse, f, Active, Active(2.0)) == ((2.0,),)


def test_memory_of_inactive_functions_or_active_memory(workspace):
    def f(x, v):
        b = workspace(3) if x > 1.0 else v
        return b[0] * x

    with pytest.raises(EnzymeRuntimeActivityError):
        autodiff(Reverse, f, Active, Active(2.0), Duplicated(np.ones(3), np.zeros(3)))


@pytest.mark.parametrize(
    "shadow",
    [
        njit(lambda p: np.zeros(1)),
        njit(lambda p: np.zeros(2 * p.size)),
    ],
    ids=["shorter", "longer"],
)
def test_shadows_of_other_sizes(shadow):
    @njit
    def doubled(x):
        return 2.0 * x

    @forward(doubled)
    def tangent(config, func, RT, x):
        primal = func.val(x.val)
        return Duplicated(primal, shadow(primal)) if config.needs_primal else shadow(primal)

    @augmented_primal(doubled)
    def augmented(config, func, RT, x):
        primal = func.val(x.val)
        return AugmentedReturn(primal, shadow(primal), None)

    @reverse(doubled)
    def adjoint(config, func, dret, tape, x):
        return (None,)

    def squares(x):
        y = doubled(x)
        total = 0.0
        for i in range(y.size):
            total += y[i] * y[i]
        return total

    for mode in (Forward, Reverse):
        with pytest.raises(ShadowLayoutError, match="other shapes or strides than the primal"):
            autodiff(mode, squares, Duplicated(np.ones(100), np.zeros(100)))


def test_functions_that_are_no_python_functions():
    for f in (np.sin, len, 3.0):
        with pytest.raises(TypeError, match="rules belong to Python functions"):
            inactive(f)
