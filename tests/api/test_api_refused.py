"""Constructs without a derivative end in one error that names the construct and the line."""

from __future__ import annotations

import numpy as np
import pytest
from numba import typed, types

from enzyme import Active, Const, Duplicated, Forward, Reverse, autodiff, make_zero
from enzyme.errors import EnzymeError


def matrix():
    return np.array([[1.0, 3.0], [2.0, 4.0]])


def into(r, a, b):
    r[:] = a @ b


def append_array(parts, a):
    parts.append(2 * a)
    return parts[1][0]


def of_dict(params, x):
    return params["k"] * x


def parameters():
    made = typed.Dict.empty(types.unicode_type, types.float64)
    made["k"] = 10.0
    return made


def twice(make):
    """A primal and a zero shadow of it."""
    value = make()
    return Duplicated(value, make_zero(value))


REFUSED = {
    "vector product": (
        lambda a, b: a @ b,
        Active,
        lambda: [twice(lambda: np.ones(2))] * 2,
        "numba_xxdot",
    ),
    "matrix product": (lambda a: (a @ a).sum(), Active, lambda: [twice(matrix)], "numba_xxgemm"),
    "product into output": (into, Const, lambda: [twice(matrix) for _ in range(3)], "numba_xx"),
    "append to a typed list of arrays": (
        append_array,
        Active,
        lambda: [twice(lambda: typed.List([np.array([2.0])])), twice(lambda: np.ones(1))],
        "numba_list_append",
    ),
    "dictionary": (
        of_dict,
        Active,
        lambda: [twice(parameters), Active(5.0)],
        "derivative|active data",
    ),
    "covariance": (
        lambda x: np.cov(np.array([2.0, x, 1.0]))[()],
        Active,
        lambda: [Active(4.0)],
        "numba_xx",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_reverse_mode(name):
    function, returned, arguments, phrase = REFUSED[name]
    with pytest.raises(EnzymeError, match=phrase) as caught:
        autodiff(Reverse, function, returned, *arguments())
    assert "test_api_refused.py" in str(caught.value)


def test_forward_mode():
    with pytest.raises(EnzymeError, match="numba_xxdot"):
        autodiff(Forward, lambda a, b: a @ b, twice(lambda: np.ones(2)), Const(np.ones(2)))
