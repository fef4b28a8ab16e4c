"""Directions in containers, of functions that write to these."""

from __future__ import annotations

import numpy as np
import pytest
from numba import typed, types
from numba.experimental import jitclass

from enzyme import jvp, linearize


@jitclass([("w", types.float64[::1]), ("b", types.float64)])
class Scaling:
    def __init__(self, w, b):
        self.w = w
        self.b = b


def scaled_list(values, x):
    values[0] *= x
    return values[0] * values[1]


def scaled_object(scaling, x):
    scaling.b *= x
    scaling.w *= scaling.b
    return scaling.w.sum() * scaling.b


def scaled_dict(values, x):
    values[1] *= x
    return values[1] * values[2]


def dict_of(*numbers):
    made = typed.Dict.empty(types.int64, types.float64)
    made.update(enumerate(numbers, 1))
    return made


@pytest.mark.parametrize(
    ("f", "make", "numbers"),
    [
        (scaled_list, lambda a, b: typed.List([a, b]), list),
        (scaled_dict, dict_of, lambda d: list(d.values())),
        (scaled_object, lambda a, b: Scaling(np.array([a, b]), a), lambda o: [*o.w, o.b]),
    ],
)
def test_directions_in_containers_stay_as_they_are(f, make, numbers):
    """A function that writes to its argument writes to its tangent: to that of a copy."""
    x, tangent = make(1.0, 2.0), make(1.0, 1.0)
    before = numbers(x), numbers(tangent)
    first = jvp(f, (x, 2.0), (tangent, 0.5))
    assert jvp(f, (x, 2.0), (tangent, 0.5)) == first
    value, along = linearize(f, x, 2.0)
    assert (value, along(tangent, 0.5)) == first
    assert (value, along(tangent, 0.5)) == first
    assert (numbers(x), numbers(tangent)) == before
