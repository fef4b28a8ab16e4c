"""A derivative leaves the program alone that it is the derivative of."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    Reverse,
    ReverseSplitNoPrimal,
    autodiff,
    autodiff_thunk,
    typeof,
)
from enzyme_rules import easy_rule


def make_program():
    """A program that numba has not compiled yet and that calls a function with a rule, which calls it too."""

    @njit
    def turned(v, p):
        made = np.empty_like(v)
        for i in range(len(v)):
            made[i] = math.sin(p * v[len(v) - 1 - i])
        return made

    @njit
    def by_v(omega, v, p):
        slopes = np.zeros((len(v), len(v)))
        for i in range(len(v)):
            slopes[i, len(v) - 1 - i] = p * math.cos(p * v[len(v) - 1 - i])
        return slopes

    @njit
    def by_p(omega, v, p):
        slopes = np.empty_like(v)
        for i in range(len(v)):
            slopes[i] = v[len(v) - 1 - i] * math.cos(p * v[len(v) - 1 - i])
        return slopes

    easy_rule(turned, (by_v, by_p))

    @njit
    def program(x, p):
        s = 0.0
        for k in range(2):
            s += turned(x, p + k)[1] + turned(x[::1], p * k)[0]
        return s

    return program


def forward(program, x, p):
    autodiff(Forward, program, Duplicated(x, np.ones(5)), Duplicated(p, 1.0))


def reverse(program, x, p):
    autodiff(Reverse, program, Active, Duplicated(x, np.zeros(5)), Active(p))


def split(program, x, p):
    arguments = Duplicated(x, np.zeros(5)), Active(p)
    first, second = autodiff_thunk(
        ReverseSplitNoPrimal,
        Const[typeof(program)],
        Active,
        Duplicated[typeof(x)],
        Active[float],
    )
    tape, _, _ = first(Const(program), *arguments)
    second(Const(program), *arguments, 1.0, tape)


@pytest.mark.parametrize("derive", [forward, reverse, split])
def test_the_program_gives_the_same_afterwards(derive):
    """Numba's execution engine took functions inside of derivatives, with other parameters, for its own."""
    program, x = make_program(), np.linspace(0.1, 0.5, 5)
    derive(program, x, 0.7)
    assert program(x, 0.7) == pytest.approx(program.py_func(x, 0.7), rel=1e-12)
