"""Operands of all shapes that fit: which stand still along the innermost axis is known when the program runs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Const, Duplicated, ForwardWithPrimal, Reverse, autodiff

pytestmark = pytest.mark.rotating(18)

SHEETS = [(3, 4), (3, 1), (1, 4), (1, 1)]
ROWS = [(4,), (1,)]
BOXES = [(2, 3, 4), (2, 3, 1), (1, 3, 4), (2, 1, 1)]


def three(x, y, z, w):
    return np.sum((x * y + np.sin(z) * x) * w)


def four(x, y, z, w):
    return np.sum(np.maximum(x, y) * z - w * y)


def row(x, y, z, w):
    made = (x - y) * z + y
    return np.sum(made * made * w)


def into(x, y, z, w):
    w += x * y - z
    return np.sum(w * w)


def columns(x, y, z, w):
    u, v = x.copy().reshape(x.size, 1), y.copy()
    return np.sum(np.minimum(u * v.reshape(v.size, 1)[0] + z, w))


# A program, the shapes of its operands, and the order of their memory.
TABLE: list[tuple[Callable[..., Any], list[list[tuple[int, ...]]], str]] = [
    (three, [SHEETS, SHEETS, SHEETS, [(3, 4)]], "C"),
    (four, [SHEETS, SHEETS, SHEETS, SHEETS], "C"),
    (row, [SHEETS, SHEETS, ROWS, [(3, 4), (3, 1)]], "C"),
    (row, [BOXES, BOXES, SHEETS, ROWS], "C"),
    (three, [SHEETS, SHEETS, SHEETS, SHEETS], "F"),
    (into, [SHEETS, SHEETS, SHEETS, [(3, 4)]], "C"),
    (into, [SHEETS, ROWS, SHEETS, [(3, 4)]], "C"),
    (columns, [[(3,)], [(4,), (1,)], SHEETS, [(3, 4), (1, 4)]], "C"),
]


@pytest.mark.parametrize(("function", "shapes", "order"), TABLE)
def test_all_shapes(function: Callable[..., Any], shapes: list[list[tuple[int, ...]]], order: str):
    compiled = njit(function)
    wrong = [given for given in product(*shapes) if not _is_right(compiled, given, order)]
    assert not wrong


def _is_right(function: Any, shapes: tuple[tuple[int, ...], ...], order: str) -> bool:
    rng = np.random.default_rng(len(str(shapes)))

    def draw() -> list[np.ndarray]:
        return [np.array(rng.uniform(-1.0, 1.0, shape), order=order) for shape in shapes]

    args, tangents, adjoints = draw(), draw(), draw()
    plain, mine, again = ([x.copy("K") for x in args] for _ in range(3))
    try:
        value = function(*plain)
    except ValueError:  # shapes that do not fit, with either
        with pytest.raises(ValueError):
            autodiff(Reverse, function, Active, *map(Const, again))
        return True
    ahead = [x.copy("K") for x in tangents]
    change, got = autodiff(ForwardWithPrimal, function, Duplicated, *map(Duplicated, mine, ahead))
    back = [x.copy("K") for x in adjoints]
    autodiff(Reverse, function, Active, *map(Duplicated, again, back))
    same = got == value and all(map(np.array_equal, plain, mine))
    terms = [float(change)]
    for out, adjoint, tangent, result in zip(ahead, adjoints, tangents, back, strict=True):
        terms += [*(out * adjoint).ravel(), *(-tangent * result).ravel()]
    return same and abs(sum(terms)) <= 1e-12 * sum(map(abs, terms))
