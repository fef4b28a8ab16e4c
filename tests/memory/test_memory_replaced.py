"""What a program takes out of lists, dictionaries and instances lives until the reverse pass is over.

Between the two passes others get memory of the same size: none of it is written to.
"""

from __future__ import annotations

import numpy as np
import pytest
from numba import float64, njit, types
from numba.experimental import jitclass
from numba.typed import Dict, List

from enzyme import (
    Active,
    Const,
    Duplicated,
    Reverse,
    ReverseSplitWithPrimal,
    autodiff,
    autodiff_thunk,
    make_zero,
    typeof,
)

pytestmark = pytest.mark.rotating(14)


@jitclass([("w", float64[::1])])
class Weights:
    def __init__(self, w):
        self.w = w


def array(k):
    return np.array([1.0 + k, 2.0 + k])


def arrays():
    return List([array(k) for k in range(3)])


def lists():
    return List([List(array(k)) for k in range(3)])


def lists_of_arrays():
    return List([List([array(k)]) for k in range(3)])


def dictionary():
    made = Dict.empty(types.int64, types.float64[::1])
    for k in range(3):
        made[k] = array(k)
    return made


def instances():
    return List([Weights(array(k)) for k in range(3)])


# A container and what is done to it; s is differentiated.
CASES = {
    "replaced": (arrays, "s = l[0][0] * l[0][1]; l[0] = l[1]"),
    "replaced by a new one": (arrays, "s = l[0][0] * l[0][1]; l[0] = l[0] * 2.0"),
    "held and replaced": (arrays, "x = l[0]; l[0] = l[1]; s = x[0] * x[1]"),
    "held or not": (arrays, "x = l[0]; s = x[0]\n    if s > 0.5: l[0] = l[1]\n    s *= x[1] * x[0]"),
    "popped": (arrays, "s = l[2][0] * l[2][1]; x = l.pop(); s += x[1] * x[0]"),
    "cleared": (arrays, "s = l[0][0] * l[0][1]; l.clear()"),
    "cut": (arrays, "s = l[0][0] * l[0][1] + l[1][0]; del l[0:2]"),
    "in a loop": (
        arrays,
        "s = 0.0\n    for k in range(9): s += l[0][0] * l[0][1]; l[0] = l[1] * 1.1; l[1] = l[2]",
    ),
    "lists replaced": (lists, "s = l[0][0] * l[0][1]; l[0] = l[1]"),
    "lists cleared": (lists, "s = l[0][0] * l[0][1]; l.clear()"),
    "inside": (lists_of_arrays, "s = l[0][0][0] * l[0][0][1]; l[0][0] = l[1][0]"),
    "with the list around": (lists_of_arrays, "s = l[0][0][0] * l[0][0][1]; l[0] = l[1]"),
    "replaced by key": (dictionary, "s = l[0][0] * l[0][1]; l[0] = l[1]"),
    "deleted by key": (dictionary, "s = l[0][0] * l[0][1]; del l[0]"),
    "popped by key": (dictionary, "s = l[0][0] * l[0][1]; x = l.pop(0); s += x[1] * x[0]"),
    "dictionary cleared": (dictionary, "s = l[0][0] * l[0][1]; l.clear()"),
    "a member": (instances, "s = l[0].w[0] * l[0].w[1]; l[0].w = l[1].w"),
    "an instance": (instances, "s = l[0].w[0] * l[0].w[1]; l[0] = l[1]"),
}  # fmt: skip
_junk = njit(lambda: [np.full(2, 7.0) for _ in range(40)])


@pytest.mark.parametrize("case", CASES)
def test_what_is_taken_out_is_not_given_to_others(case):
    make, body = CASES[case]
    scope = {}
    exec(f"def f(l):\n    {body}\n    return s\n", scope)
    f = njit(scope["f"])
    value = make()
    annotated = Duplicated(value, make_zero(value))
    forward, reverse = autodiff_thunk(
        ReverseSplitWithPrimal, typeof(Const(f)), Active, typeof(annotated)
    )
    for _ in range(20):
        value = make()
        annotated = Duplicated(value, make_zero(value))
        tape, primal, _ = forward(Const(f), annotated)
        junk = (
            _junk(),
            [List([7.0, 7.0]) for _ in range(10)],
            [Weights(np.full(2, 7.0)) for _ in range(5)],
        )
        reverse(Const(f), annotated, 1.0, tape)
        assert np.isfinite(primal)
        for x in junk[0]:
            assert list(x) == [7.0, 7.0]
        for x in junk[1]:
            assert list(x) == [7.0, 7.0]
        for x in junk[2]:
            assert list(x.w) == [7.0, 7.0]


# What is moved to the front ------------------------------------------------------------------------


@pytest.mark.parametrize("make", [arrays, lists])
def test_items_that_move_up_keep_their_adjoints(make):
    """Only constants index the items: nothing in the code tells what they are."""

    @njit
    def popped(l):
        s = l[0][0] * l[0][1]
        x = l.pop(0)
        return s + x[1] * l[0][0]

    @njit
    def deleted(l):
        s = l[0][0] * l[1][1]
        del l[1]
        return s + l[1][1] * l[0][0]

    for f, expected in ((popped, [[2, 3], [2, 0], [0, 0]]), (deleted, [[7, 0], [0, 1], [0, 1]])):
        value = make()
        shadow = make_zero(value)
        items = list(shadow)
        autodiff(Reverse, f, Active, Duplicated(value, shadow))
        assert [list(x) for x in items] == expected
