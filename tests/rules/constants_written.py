"""Functions that write to their second argument, and which of its numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

SIZE = 6


@dataclass(frozen=True)
class Body:
    function: Callable[..., Any]
    written: Sequence[int]


@njit
def every_other(x, out):
    for i in range(0, len(out), 2):
        out[i] = x[i] * out[i]


@njit
def shifted(x, out):
    out[1:3] = x[:2] * out[2:4]


@njit
def overlapping(x, out):
    out[1:] = out[:-1]


@njit
def whole(x, out):
    out[:] = x


@njit
def filled(x, out):
    out[2:5] = 0.5


@njit
def through_a_copy(x, out):
    own = x.copy()
    own[0] = out[3]
    out[:] = own * 2.0


@njit
def helped(x, out):
    for i in range(len(out) - 1):
        out[i] = x[i] + 1.0


@njit
def by_a_helper(x, out):
    helped(x, out)


@njit
def recursive(x, out):
    if len(out) > 1:
        out[0] = x[0] * 2.0
        recursive(x[2:], out[2:])


@njit
def of_a_product(x, out):
    out[0] = np.dot(x, out)


@njit
def chosen(x, out):
    out[np.argmax(x)] = -x[0]


@njit
def sorted_in_place(x, out):
    out[:3] = np.sort(out[:3])[::-1]


BODIES = [
    Body(every_other, [0, 2, 4]),
    Body(shifted, [1, 2]),
    Body(overlapping, range(1, SIZE)),
    Body(whole, range(SIZE)),
    Body(filled, [2, 3, 4]),
    Body(through_a_copy, range(SIZE)),
    Body(by_a_helper, range(SIZE - 1)),
    Body(recursive, [0, 2, 4]),
    Body(of_a_product, [0]),
    Body(chosen, [SIZE - 1]),
    Body(sorted_in_place, [0, 1, 2]),
]
