"""Constructs without a derivative end in one error that names the construct and the line."""

from __future__ import annotations

import numpy as np
import pytest

from enzyme import Active, Duplicated, Forward, Reverse, autodiff, make_zero
from enzyme.errors import EnzymeError


def matrix():
    return np.array([[1.0, 3.0], [2.0, 4.0]])


def bytes_moved(x):
    y = x * x
    bits = y.view(np.uint8)
    for i in range(8):
        bits[i] = bits[i + 8]
    return y[0]


def halves_moved(x):
    y = x * x
    bits = y.view(np.int32)
    bits[0], bits[1] = bits[2], bits[3]
    return y[0]


def pair_moved(x):
    y = x * x
    bits = y.view(np.int64)
    bits[0] = bits[1]
    return y[0] * y[1]


def twice(make):
    """A primal and a zero shadow of it."""
    value = make()
    return Duplicated(value, make_zero(value))


REFUSED = {
    "Cholesky factor": (
        lambda a: np.linalg.cholesky(a).sum(),
        Active,
        lambda: [twice(lambda: np.eye(2))],
        "numba_xxpotrf",
    ),
    "singular values": (
        lambda a: np.linalg.svd(a)[1].sum(),
        Active,
        lambda: [twice(matrix)],
        "numba_ez_gesdd",
    ),
    "bytes of floats": (bytes_moved, Active, lambda: [twice(lambda: np.ones(2))], "packed"),
    "halves of floats": (halves_moved, Active, lambda: [twice(lambda: np.ones(2))], "packed"),
    "two floats as one integer": (
        pair_moved,
        Active,
        lambda: [twice(lambda: np.ones(4, np.float32))],
        "packed",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_reverse_mode(name):
    function, returned, arguments, phrase = REFUSED[name]
    with pytest.raises(EnzymeError, match=phrase) as caught:
        autodiff(Reverse, function, returned, *arguments())
    assert "test_api_refused.py" in str(caught.value)


def test_forward_mode():
    with pytest.raises(EnzymeError, match="numba_xxpotrf"):
        autodiff(Forward, lambda a: np.linalg.cholesky(a).sum(), twice(lambda: np.eye(2)))
