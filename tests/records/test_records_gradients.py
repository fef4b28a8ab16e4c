"""Gradients and Jacobians with respect to arrays of records, inside jitted functions as from Python.

By default a few cells are run; with ALL_RECORDS in the environment, all are.
"""

from __future__ import annotations

import itertools
import os

import numpy as np
import pytest
from numba import njit

import enzyme
from enzyme import ActivityError, Forward, Reverse, gradient, jacobian
from tests.records.table import program

pytestmark = pytest.mark.rotating(18)

LAYOUTS = ("plain", "single", "packed", "nested", "vectors", "matrices")
RESULTS = {
    "number": "whole(t)",
    "array": "np.array([whole(t), 2.0 * whole(t[::2])])",
    "tuple": "(whole(t), np.array([whole(t[:1]), whole(t[1:])]))",
}
CELLS = list(
    itertools.product(("gradient", "jacobian"), ("Forward", "Reverse"), RESULTS, LAYOUTS, (1, 2))
)
CELLS = [c for c in CELLS if c[0] == "jacobian" or c[2] == "number"]
if "ALL_RECORDS" not in os.environ:
    CELLS = CELLS[9::60]


def in_jitted_code(call: str, function):
    scope = {**vars(enzyme), "f": function}
    exec(f"def derivative(t):\n    return {call}\n", scope)
    return njit(scope["derivative"])


def alike(mine, other):
    if isinstance(mine, tuple):
        return len(mine) == len(other) and all(map(alike, mine, other))
    return mine.dtype == other.dtype and mine.shape == other.shape and (mine == other).all()


@pytest.mark.parametrize("name, mode, result, layout, axes", CELLS)
def test_derivatives_are_those_from_python(name, mode, result, layout, axes):
    made = program("array_passed", layout)
    scope = {"np": np, "whole": made.function.py_func.__globals__["whole"]}
    exec(f"def f(t):\n    t = t.ravel()\n    return {RESULTS[result]}\n", scope)
    function = njit(scope["f"])
    items = made.holding(made.point).reshape((4,) if axes == 1 else (2, 2))
    take = {"gradient": gradient, "jacobian": jacobian}[name]
    expected = take({"Forward": Forward, "Reverse": Reverse}[mode], function, items)
    assert alike(in_jitted_code(f"{name}({mode}, f, t)", function)(items), expected)


@pytest.mark.parametrize("mode", [Forward, Reverse])
def test_half_of_a_derivative_is_refused(mode):
    items = np.zeros(2, [("z", "c16"), ("n", "i8")])
    function = njit(lambda t: (t[0].z * t[1].z).real)
    if mode is Reverse:
        assert in_jitted_code("gradient(Reverse, f, t)", function)(items).dtype == items.dtype
        return
    with pytest.raises(ActivityError, match="half of the gradient would be missing"):
        in_jitted_code("gradient(Forward, f, t)", function)(items)


def test_a_single_record_is_refused_in_words():
    record = program("index", "plain").holding(np.ones(4))[0]
    function = njit(lambda r: r.a * r.a * r.n)
    with pytest.raises(ActivityError, match=r"Jacobian .* record \[\('a', '<f8'\)"):
        in_jitted_code("jacobian(Reverse, f, t)", function)(record)
