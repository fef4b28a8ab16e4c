"""Functions as values: chosen at run time out of tuples, by branches, passed on and called elsewhere."""

from __future__ import annotations

import math

import numpy as np
from numba import cfunc, njit, types
from numba.experimental import jitclass

from tests.programs.cases import program

SCALAR = "float64(float64)"
ON_ARRAY = "float64(float64[::1], float64)"


@njit(SCALAR)
def sine(x):
    return math.sin(x)


@njit(SCALAR)
def squared(x):
    if x > 100.0:
        raise ValueError("too large")
    return x * x


@cfunc(SCALAR)
def cubed(x):
    return x * x * x


@njit
def plain_cosine(x):
    return math.cos(x)


@njit
def plain_exponential(x):
    return math.exp(-x)


@njit(ON_ARRAY)
def writes_first(v, x):
    v[0] = math.sin(x) * v[1]
    return v[0] + x


@njit(ON_ARRAY)
def scales_second(v, x):
    v[1] *= x
    return x * v.sum()


FUNCTIONS = (sine, squared)


@program(lambda rng: (1.3, 5))
@njit
def out_of_a_local_tuple(x, n):
    functions = (sine, squared)
    s = 0.0
    for i in range(n):
        s += functions[i % 2](x + 0.1 * s)
    return s


@program(lambda rng: (1.3, 5), lambda rng: (1.3, 4))
@njit
def out_of_a_global_tuple(x, n):
    return FUNCTIONS[n % 2](x)


@program(lambda rng: (rng.standard_normal(6),))
@njit
def by_a_branch_on_data(v):
    s = 0.0
    for i in range(len(v)):
        function = plain_cosine if v[i] > 0.0 else plain_exponential
        s += function(v[i]) * v[i]
    return s


@program(lambda rng: ((sine, squared), 1.3), lambda rng: ((squared, squared, sine), 0.4))
@njit
def iterates_over_an_argument(functions, x):
    s = 1.0
    for function in functions:
        s = s * function(x) + function(s)
    return s


@njit
def chosen(functions, i):
    return functions[i % len(functions)]


@program(
    lambda rng: ((writes_first, scales_second), rng.standard_normal(2), 1.2, 3),
    lambda rng: ((scales_second, writes_first), rng.standard_normal(2), 1.2, 4),
)
@njit
def returned_by_a_function(functions, v, x, n):
    s = 0.0
    for i in range(n):
        s += chosen(functions, i)(v, x)
    return s


@program(lambda rng: (1.1, 4), lambda rng: (1.1, 3))
@njit
def chosen_in_recursion(x, n):
    if n == 0:
        return x
    return FUNCTIONS[n % 2](x) * chosen_in_recursion(x * 0.9, n - 1)


@program(lambda rng: (0.8,))
@njit
def calls_a_cfunc(x):
    return cubed(x) * x


@program(lambda rng: (cubed, 0.8), lambda rng: (sine, 0.8))
@njit
def applies_an_argument(function, x):
    return function(x) * 2.0


@jitclass([("function", types.FunctionType(types.float64(types.float64))), ("a", types.float64)])
class Scaled:
    def __init__(self, function, a):
        self.function = function
        self.a = a

    def value(self, x):
        return self.function(x) * self.a


@program(lambda rng: (0.8, 1), lambda rng: (0.8, 2), python=False)
@njit
def kept_in_an_object(x, n):
    scaled = Scaled(sine, x) if n > 1 else Scaled(squared, 2.0 * x)
    return scaled.value(x)


@program(lambda rng: (np.array([0.3, 1.7]), (sine, squared)))
@njit
def inlined_choice_in_a_loop(v, functions):
    s = 0.0
    for i in range(len(v)):
        for j in range(2):
            s += functions[j](v[i] * functions[1 - j](v[i]))
    return s
