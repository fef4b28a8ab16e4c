"""Constructs without a derivative end in one error that names the construct and the line."""

from __future__ import annotations

import numpy as np
import pytest

from enzyme import Active, Duplicated, Forward, Reverse, autodiff, make_zero
from enzyme.errors import EnzymeError


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
    with pytest.raises(EnzymeError, match="packed"):
        autodiff(Forward, bytes_moved, twice(lambda: np.ones(2)))
