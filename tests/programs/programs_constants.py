"""Constants in containers, which LLVM moves as integers, beside items that it does not.

Nothing reads the items, so only what stands in the container tells that they are floats.
"""

from __future__ import annotations

import numpy as np
from numba import njit, typed, types

from tests.programs.cases import program

ONE, OTHER = np.float32(0.5), np.float32(-1.5)
COMPLEX, CONJUGATE = np.complex64(0.5 + 0.25j), np.complex64(0.5 - 0.25j)


def scalars(r):
    return r.uniform(0.5, 1.5), r.uniform(0.5, 1.5), 4


@program(scalars)
@njit
def item(x, a, n):
    found = typed.List()
    for _ in range(n):
        found.append(x * a)
    found[0] = -0.3
    return a * a


@program(scalars)
@njit
def chosen_item(x, a, n):
    found = typed.List()
    for _ in range(n):
        found.append(x * a)
    found[n - 2] = 0.5 if a > 1.0 else -0.25
    return a * a


@program(scalars)
@njit
def no_numbers(x, a, n):
    found = typed.List()
    for _ in range(n):
        found.append(x * a)
    found[0] = np.inf
    found[1] = np.nan
    found[2] = -0.0
    return a * a


@program(scalars)
@njit
def single_items(x, a, n):
    found = typed.List()
    for _ in range(n):
        found.append(np.float32(x * a))
    found[0] = ONE
    found[1] = ONE if a > 1.0 else OTHER
    return a * a


@program(scalars)
@njit
def pairs_of_singles(x, a, n):
    found = typed.List()
    for _ in range(n):
        found.append((np.float32(x * a), np.float32(a)))
    found[0] = (ONE, OTHER)
    return a * a


@program(scalars)
@njit
def single_complex_items(x, a, n):
    found = typed.List()
    for _ in range(n):
        found.append(np.complex64(x * a))
    found[0] = COMPLEX
    found[1] = COMPLEX if a > 1.0 else CONJUGATE
    return a * a


@program(scalars)
@njit
def with_integers(x, a, n):
    """As floats these integers are numbers as well."""
    found = typed.List()
    for i in range(n):
        found.append((4611686018427387904 + i, x * a))
    found[0] = (4607182418800017408, 2.0)
    return a * found[1][0] / 4611686018427387904


@program(scalars)
@njit
def reflected(x, a, n):
    found = [x * a for _ in range(n)]
    found[0] = 0.5 if a > 1.0 else -0.25
    return a * a


@program(scalars)
@njit
def values(x, a, n):
    found = typed.Dict.empty(types.int64, types.float64)
    for i in range(n):
        found[i] = x * a
    found[0] = 0.5
    found[1] = 0.5 if a > 1.0 else -0.25
    return a * a


WEIGHTS = np.array([0.5, -1.5, 2.0, 0.25])


@njit
def weights_or(x, i):
    return WEIGHTS if i > 1 else x


@program(lambda r: (r.standard_normal(4),))
@njit
def globals_among_arguments(x):
    """A global array in one list, one dictionary and one variable with arrays that have derivatives."""
    layers = [WEIGHTS, x, x * 2.0]
    layers.append(WEIGHTS)
    h = WEIGHTS
    for w in layers:
        h = np.tanh(h * w)
    d = typed.Dict()
    d[0] = WEIGHTS
    d[1] = x * x
    d[2] = d[0] * x
    s = h.sum()
    for v in d.values():
        s += (v * v).sum()
    for i in range(4):
        s += (weights_or(x, i) * x).sum() * i
    part = WEIGHTS[1:] if x[0] > 5.0 else x[:3]
    return s + part[1] * x[0]


@program(scalars)
@njit
def subnormal_items(x, a, n):
    """As integers they are small: typed lists and dictionaries are told what they are given by its type."""
    found = typed.List()
    d = typed.Dict.empty(types.int64, types.float64)
    for i in range(n):
        found.append(x * a)
        d[i] = x * i
    found[0] = 5e-324
    d[1] = 3e-310
    return a * found[1] + found[0] * d[1] + d[2]
