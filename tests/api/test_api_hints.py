"""Errors of numba's that have a way out say it."""

from __future__ import annotations

import traceback

import numpy as np
import pytest
import scipy.special
from numba.core.errors import NumbaError, UnsupportedBytecodeError
from scipy.special import gamma

from enzyme import grad, hvp, hvp_inplace


def by_name(x):
    return gamma(x)


def by_module(x):
    return scipy.special.gamma(x)


def other_module(x):
    return scipy.linalg.norm(x)


def of_a_list(x):
    return (x * x).sum()


def imports(x):
    import math

    return math.sin(x)


def other_mistake(x):
    return x.nothing


@pytest.mark.parametrize(
    "function, x, words",
    [
        (by_name, 2.0, "numba-scipy"),
        (by_module, 2.0, "numba-scipy"),
        (other_module, np.ones(2), "numpy.linalg"),
        (of_a_list, [1.0, 2.0], "np.array"),
        (imports, 2.0, "top of the file"),
    ],
)
def test_what_to_do(function, x, words):
    with pytest.raises((NumbaError, UnsupportedBytecodeError)) as raised:
        grad(function)(x)
    assert words in "".join(traceback.format_exception(raised.value)).split("what to do: ")[1]


def test_others_come_as_they_are():
    with pytest.raises(NumbaError) as raised:
        grad(other_mistake)(2.0)
    assert not getattr(raised.value, "__notes__", None)


def test_a_product_says_how_it_is_called():
    def scaled(x, s):
        return (x * x).sum() * s

    x = np.ones(2)
    with pytest.raises(TypeError, match=r"'s'; the call is hvp\(f, x, v, \*args\)"):
        hvp(scaled, x, x)
    with pytest.raises(TypeError, match=r"the call is hvp_inplace\(res, f, x, v, \*args\)"):
        hvp_inplace(np.empty(2), scaled, x, x)
