"""Matrices that a function of linear algebra does not take: what the primal says or gives is what its derivatives do.

Every function meets every matrix in forward and reverse mode and in halves: as an argument, or as a temporary behind
a call that went well (with EXHAUSTIVE in the environment both).  An exception is the one of the primal,
word for word; where the primal gives a number, so do they, the same one.  Nothing of numba's memory is kept, the
matrix stays as it was, and after an exception so does its shadow.
"""

from __future__ import annotations

import gc
import os

import numpy as np
import pytest
from numba import njit, typeof

from enzyme import (
    Active,
    Const,
    Duplicated,
    ForwardWithPrimal,
    ReverseSplitWithPrimal,
    ReverseWithPrimal,
    autodiff,
    autodiff_thunk,
)
from tests.linalg.factorisations import ROWS, weighed
from tests.programs.memory import live_memory

pytestmark = pytest.mark.rotating(68)


@njit
def right_sides(a):
    return np.linalg.solve(a, np.ones((3, 2))).sum()


@njit
def right_side(a):
    return np.linalg.solve(a, np.ones(a.shape[1])).sum()


@njit
def equations(a):
    return np.linalg.lstsq(a, np.ones(3))[0].sum()


@njit
def inverse(a):
    return weighed(np.linalg.inv(a))


@njit
def determinant(a):
    return np.linalg.det(a)


@njit
def logarithm(a):
    sign, log = np.linalg.slogdet(a)
    return sign * log


@njit
def spectral(a):
    return np.linalg.norm(a, 2)


@njit
def frobenius(a):
    return np.linalg.norm(a)


@njit
def sums(a):
    return np.linalg.norm(a, np.inf) + np.linalg.norm(a, 1)


@njit
def condition(a):
    return np.linalg.cond(a)


@njit
def rank(a):
    return np.linalg.matrix_rank(a) * a.sum()


@njit
def negative_power(a):
    return weighed(np.linalg.matrix_power(a, -1))


@njit
def product(a):
    return weighed(np.dot(a, np.ones((3, 2)))) + weighed(a @ a)


@njit
def vector_product(a):
    return (a @ np.ones(3)).sum()


@njit
def diagonal(a):
    return np.trace(a)


FUNCTIONS = {name: row.program for name, row in ROWS.items() if "cut" not in name} | {
    f.__name__: f
    for f in (
        right_sides,
        right_side,
        equations,
        inverse,
        determinant,
        logarithm,
        spectral,
        frobenius,
        sums,
        condition,
        rank,
        negative_power,
        product,
        vector_product,
        diagonal,
    )
}

REGULAR = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])


def with_one(value):
    changed = REGULAR.copy()
    changed[1, 0] = value
    return changed


MATRICES = {
    "regular": REGULAR,
    "all zero": np.zeros((3, 3)),
    "singular": np.outer([1.0, 2.0, 3.0], [1.0, 0.5, 2.0]),
    "not positive definite": REGULAR - 4.0 * np.eye(3),
    "a rotation": np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
    "nan": with_one(np.nan),
    "inf": with_one(np.inf),
    "huge": REGULAR * 1e300,
    "denormal": REGULAR * 1e-310,
    "empty": np.zeros((0, 0)),
    "no rows": np.zeros((0, 3)),
    "no columns": np.zeros((3, 0)),
    "wide": REGULAR[:2].copy(),
    "tall": REGULAR[:, :2].copy(),
    "two by two": REGULAR[:2, :2].copy(),
    "one number": np.array([[2.0]]),
}


def outcome(call):
    """What is raised, in its words, or the number that comes."""
    try:
        return float(call())
    except Exception as error:
        return type(error), str(error)


def by_halves(f, a, da):
    ahead, back = autodiff_thunk(
        ReverseSplitWithPrimal, Const[typeof(f)], Active, Duplicated[typeof(a)]
    )
    tape, primal, _ = ahead(Const(f), Duplicated(a, da))
    back(Const(f), Duplicated(a, da), 1.0, tape)
    return primal


MODES = {
    "reverse": lambda f, a, da: autodiff(ReverseWithPrimal, f, Active, Duplicated(a, da))[1],
    "forward": lambda f, a, da: autodiff(ForwardWithPrimal, f, Duplicated(a, da))[1],
    "halves": by_halves,
}


def behind(f):
    """The function of a temporary, when it has been called before."""

    @njit
    def program(a):
        first = f(a.size * np.eye(3) + np.ones((3, 3)))
        b = a * 1.0
        return first + f(b)

    return program


BOTH = (False, True)
CASES = [
    (name, mode, late)
    for k, name in enumerate(FUNCTIONS)
    for m, mode in enumerate(MODES)
    for late in (BOTH if "EXHAUSTIVE" in os.environ else ((k + m) % 2 == 0,))
]


@pytest.mark.parametrize(("name", "mode", "late"), CASES)
def test_bad_input(name, mode, late):
    f, derivative = FUNCTIONS[name], MODES[mode]
    f = behind(f) if late else f
    wrong = []
    for label, matrix in MATRICES.items():
        a, da = matrix.copy(), np.full_like(matrix, 0.5)
        expected = outcome(lambda a=a: f(a))
        found = outcome(lambda a=a, da=da: derivative(f, a, da))
        if not same(found, expected):
            wrong.append(f"{label}: {found} in place of {expected}")
        if isinstance(expected, tuple) and (da != 0.5).any():
            wrong.append(f"{label}: the shadow is half written")
        if not np.array_equal(a, matrix, equal_nan=True):
            wrong.append(f"{label}: the matrix is written to")
        gc.collect()
        before = live_memory()
        outcome(lambda a=a, da=da: derivative(f, a, da))
        if live_memory() != before:
            wrong.append(f"{label}: memory is kept, {live_memory()} for {before}")
    assert not wrong, "\n".join(wrong)


def same(found, expected):
    if isinstance(found, tuple) or isinstance(expected, tuple):
        return found == expected
    return found == pytest.approx(expected, rel=1e-12, abs=0, nan_ok=True)
