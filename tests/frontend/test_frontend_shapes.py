"""Arrays of a wrong shape are refused as numba does it, and the program does not hold the text."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import Active, Duplicated, DuplicatedNoNeed, Forward, Reverse, autodiff, compile_report


@njit
def rows(x, y):
    x[1:] = y
    return x.sum()


@njit
def grid(x, y):
    x[1:, :2] = y * 2.0
    return x.sum()


def duplicated(shape):
    return Duplicated(np.ones(shape), np.ones(shape))


@pytest.mark.parametrize(
    "f, shape, other",
    [(rows, 5, 3), (grid, (4, 4), (2, 2)), (grid, (4, 4), 3)],
    ids=["row", "grid", "spread"],
)
def test_the_error_is_that_of_the_function(f, shape, other):
    x, y = duplicated(shape), duplicated(other)
    with pytest.raises(ValueError) as wanted:
        f(x.val.copy(), y.val)
    for mode, activity in ((Reverse, Active), (Forward, DuplicatedNoNeed)):
        with pytest.raises(ValueError) as found:
            autodiff(mode, f, activity, x, y)
        assert (type(found.value), found.value.args) == (type(wanted.value), wanted.value.args)


def test_the_program_holds_no_text():
    for text in compile_report(grid, Reverse, Active, duplicated((4, 4)), duplicated((3, 2)))[
        "ir"
    ].values():
        assert "unicode" not in text
