"""Functions as arguments: what is compiled for which, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numba import cfunc, njit, types
from numba.typed import List

from enzyme import Active, Const, Duplicated, Reverse, autodiff
from enzyme.errors import EnzymeNoDerivativeError
from tests.programs.programs_function_values import cubed, sine, squared

SCALAR = "float64(float64)"


@njit
def nested(functions, x, n):
    for i in range(n):
        x = functions[i % len(functions)](x)
    return x


@njit
def apply(function, x):
    return function(x)


def gradient(functions, x=1.3, n=2):
    return autodiff(Reverse, nested, Active, Const(functions), Active(x), Const(n))[0][1]


def test_each_tuple_has_a_derivative_of_its_own():
    x = 1.3
    assert gradient((sine, squared)) == pytest.approx(math.sin(2 * x), rel=1e-14)
    assert gradient((squared, sine)) == pytest.approx(2 * x * math.cos(x * x), rel=1e-14)
    assert gradient((squared, squared)) == pytest.approx(4 * x**3, rel=1e-14)
    assert gradient((sine, squared)) == pytest.approx(math.sin(2 * x), rel=1e-14)


def test_functions_made_for_c():
    assert autodiff(Reverse, apply, Active, Const(cubed), Active(2.0)) == ((None, 12.0),)

    @cfunc(SCALAR)
    def other(x):
        return 5.0 * x

    assert autodiff(Reverse, apply, Active, Const(other), Active(2.0)) == ((None, 5.0),)


def test_functions_made_for_c_that_call_numpy():
    """What they call is compiled for the CPU, in the middle of a compilation for our target."""

    @cfunc(SCALAR)
    def stored(x):
        kept = np.zeros_like(np.array([x, x]))
        kept[1] = x
        return kept.sum() * x

    assert autodiff(Reverse, njit(lambda x: stored(x)), Active, Active(2.0)) == ((4.0,),)


def test_exceptions_of_a_chosen_function_surface():
    with pytest.raises(ValueError, match="too large"):
        gradient((squared, sine), x=101.0)


def test_functions_by_address_and_in_lists_are_refused():
    class Address(types.WrapperAddressProtocol):
        def __wrapper_address__(self):
            return cubed.address

        def signature(self):
            return types.float64(types.float64)

    with pytest.raises(EnzymeNoDerivativeError, match="a function pointer") as caught:
        autodiff(Reverse, apply, Active, Const(Address()), Active(2.0))
    assert "in apply" in str(caught.value)
    functions = List.empty_list(types.FunctionType(types.float64(types.float64)))
    functions.append(sine)
    with pytest.raises(EnzymeNoDerivativeError, match="not in lists"):
        gradient(functions)


def test_an_unknown_function_in_a_list_beside_known_ones_raises():
    @njit
    def either(functions, x):
        known = (sine, squared)
        return functions[0](x) + known[len(functions) % 2](x)

    functions = List.empty_list(types.FunctionType(types.float64(types.float64)))
    functions.append(sine)
    found = autodiff(Reverse, either, Active, Const(functions), Active(0.5))[0][1]
    assert found == pytest.approx(math.cos(0.5) + 1.0)

    @njit(SCALAR)
    def unknown(x):
        return x

    functions[0] = unknown
    with pytest.raises(RuntimeError, match="not known when the derivative was compiled"):
        autodiff(Reverse, either, Active, Const(functions), Active(0.5))


def test_function_and_array():
    @njit("float64(float64[::1], float64)")
    def scale(v, x):
        v[:] *= x
        return v.sum()

    @njit
    def use(functions, v, x):
        return functions[0](v, x) * functions[1](v, x)

    v, dv = np.array([1.0, 2.0]), np.zeros(2)
    found = autodiff(Reverse, use, Active, Const((scale, scale)), Duplicated(v, dv), Active(2.0))
    assert found[0][2] == pytest.approx(9 * 3 * 2.0**2)
    np.testing.assert_allclose(dv, 2 * 3 * 2.0**3)
