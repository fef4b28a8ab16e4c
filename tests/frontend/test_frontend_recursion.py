"""Recursion that stays recursion: calls find their definitions, and derivatives recurse too."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from numba import float64, int64, njit
from numba.core.runtime import _nrt_python as nrt
from numba.core.runtime import rtsys

from enzyme import Active, Const, Duplicated, Forward, Reverse, autodiff
from enzyme.frontend.target import compile_primal

pytestmark = pytest.mark.rotating(18)


@njit
def tree(x, lo, hi):
    if hi - lo == 1:
        return math.sin(x[lo])
    m = (lo + hi) // 2
    return tree(x, lo, m) * tree(x, m, hi)


@njit("float64(float64[::1], int64, int64)")
def signed_tree(x, lo, hi):
    if hi - lo == 1:
        return math.sin(x[lo])
    m = (lo + hi) // 2
    return signed_tree(x, lo, m) + signed_tree(x, m, hi) * x[m]


@njit
def odd(x, n):
    if n == 0:
        return 0.5 * x
    return math.sin(x) * even(x, n - 1) + odd(x, n - 1)


@njit
def even(x, n):
    if n == 0:
        return x
    return x + odd(x * 0.9, n - 1) * even(0.5 * x, n - 1)


@njit
def plain_flags(x, n):
    if n == 0:
        return x
    return other_flags(x * 0.5, n - 1) + plain_flags(math.cos(x), n - 1)


@njit(fastmath={"contract"}, error_model="numpy")
def other_flags(x, n):
    if n == 0:
        return math.exp(x)
    return plain_flags(x * x, n - 1) * other_flags(math.sin(x), n - 1)


@njit
def pair(x, n):
    if n == 0:
        return x, x * x
    a, b = pair(x * 0.5, n - 1)
    c, d = pair(math.sin(x), n - 1)
    return a * d + b, b * c


@njit
def of_pair(x):
    a, b = pair(x, 3)
    return a + 2.0 * b


@njit
def growing_type(x, n):
    if n <= 0:
        return 1.0
    return growing_type(x * 1.5, n - 1) * x + growing_type(x * 0.5, n - 2)


@njit
def of_growing_type(x):
    return growing_type(1, 3) * growing_type(x, 4)


@njit
def literal_arguments(x, k, n):
    if n == 0:
        return x
    if k == 0:
        return literal_arguments(x, 1, n - 1) * 1.1
    return literal_arguments(math.sin(x), 0, n) + literal_arguments(x * x, 0, n - 1)


@njit
def with_default(x, n=4):
    if n == 0:
        return x
    return with_default(math.sin(x), n - 1) * with_default(x, n - 2 if n > 1 else 0)


def _closure(k):
    @njit
    def inner(x, n):
        if n == 0:
            return x * k
        return inner(x * 0.5, n - 1) * inner(math.cos(x), n - 1)

    return inner


of_closure = _closure(3.0)


@njit
def array_result(x, n):
    if n == 0:
        return x * 2.0
    return array_result(np.sin(x), n - 1) * array_result(x, n - 1)


@njit
def of_array_result(x):
    return array_result(x, 3).sum()


@njit
def fill(x, y, lo, hi):
    if hi - lo == 1:
        y[lo] = math.exp(x[lo])
        return
    m = (lo + hi) // 2
    fill(x, y, lo, m)
    fill(x, y, m, hi)
    y[lo] += y[m] * x[lo]


@njit
def of_fill(x):
    y = np.zeros(x.size)
    fill(x, y, 0, x.size)
    return (y * y).sum()


@njit
def refuses(x, n):
    if n == 0:
        if x < 0.0:
            raise ValueError("negative")
        return math.sqrt(x)
    return refuses(x - 0.1, n - 1) * refuses(x + 0.1, n - 1)


SCALAR = [
    (odd, (4,)),
    (even, (5,)),
    (of_pair, ()),
    (growing_type, (4,)),
    (of_growing_type, ()),
    (literal_arguments, (0, 5)),
    (with_default, ()),
    (of_closure, (4,)),
    (refuses, (2,)),
]
ARRAY = [
    (tree, (0, 5)),
    (signed_tree, (0, 5)),
    (of_array_result, ()),
    (of_fill, ()),
]


def _id(value):
    return getattr(value, "__name__", "")


@pytest.mark.parametrize("function, rest", SCALAR, ids=_id)
def test_scalar(function, rest):
    x, h = 0.7, 1e-6
    constants = [Const(a) for a in rest]
    expected = (function(x + h, *rest) - function(x - h, *rest)) / (2 * h)
    (tangent,) = autodiff(Forward, function, Duplicated, Duplicated(x, 1.0), *constants)[1:]
    adjoint = autodiff(Reverse, function, Active, Active(x), *constants)[0][0]
    np.testing.assert_allclose(tangent, expected, rtol=1e-7)
    np.testing.assert_allclose(adjoint, tangent, rtol=1e-13)


@pytest.mark.parametrize("function, rest", ARRAY, ids=_id)
def test_array(function, rest):
    x = np.linspace(0.3, 0.9, 5)
    constants = [Const(a) for a in rest]
    h = 1e-6
    nrt.memsys_enable_stats()
    for _ in range(2):  # the second time nothing is compiled, so what is left over leaks
        before = rtsys.get_allocation_stats()
        gradient = np.zeros(5)
        autodiff(Reverse, function, Active, Duplicated(x, gradient), *constants)
        for direction, adjoint in zip(np.eye(5), gradient, strict=True):
            up, down = x + h * direction, x - h * direction
            expected = (function(up, *rest) - function(down, *rest)) / (2 * h)
            _, tangent = autodiff(
                Forward, function, Duplicated, Duplicated(x, direction.copy()), *constants
            )
            np.testing.assert_allclose(tangent, expected, rtol=1e-6)
            np.testing.assert_allclose(adjoint, tangent, rtol=1e-12)
        after = rtsys.get_allocation_stats()
    assert after.alloc - before.alloc == after.free - before.free


def test_members_with_different_options():
    """Numba itself calls a function that does not exist here."""

    def first(x, n):
        return x if n == 0 else second(x * 0.5, n - 1) + first(math.cos(x), n - 1)

    def second(x, n):
        return math.exp(x) if n == 0 else first(x * x, n - 1) * second(math.sin(x), n - 1)

    x, h = 0.7, 1e-6
    expected = (second(x + h, 3) - second(x - h, 3)) / (2 * h)
    adjoint = autodiff(Reverse, other_flags, Active, Active(x), Const(3))[0][0]
    np.testing.assert_allclose(adjoint, expected, rtol=1e-7)


def test_written_argument():
    x, y = np.linspace(0.3, 0.9, 5), np.zeros(5)
    gradient, seed = np.zeros(5), np.ones(5)
    autodiff(Reverse, fill, Duplicated(x, gradient), Duplicated(y, seed), Const(0), Const(5))
    for direction, adjoint in zip(np.eye(5), gradient, strict=True):
        tangent = np.zeros(5)
        autodiff(
            Forward,
            fill,
            Duplicated(x, direction.copy()),
            Duplicated(y, tangent),
            Const(0),
            Const(5),
        )
        np.testing.assert_allclose(adjoint, tangent.sum(), rtol=1e-13)


@pytest.mark.parametrize("mode", [Forward, Reverse], ids=["forward", "reverse"])
def test_exception_from_the_depth(mode):
    x = Duplicated(0.1, 1.0) if mode is Forward else Active(0.1)
    wanted = Duplicated if mode is Forward else Active
    with pytest.raises(ValueError, match="negative"):
        autodiff(mode, refuses, wanted, x, Const(2))


@pytest.mark.filterwarnings("ignore::numba.core.errors.NumbaDebugInfoWarning")
@pytest.mark.parametrize("debug", [False, True], ids=["plain", "debug"])
@pytest.mark.parametrize(
    "function, types",
    [
        (tree, (float64[::1], int64, int64)),
        (odd, (float64, int64)),
        (even, (float64, int64)),
        (other_flags, (float64, int64)),
        (of_pair, (float64,)),
        (literal_arguments, (float64, int64, int64)),
        (of_array_result, (float64[::1],)),
    ],
    ids=_id,
)
def test_every_call_finds_its_definition(function, types, debug):
    text = compile_primal(function, types, debug=debug).text
    assert not re.search(r"^declare .*@_ZN", text, re.MULTILINE)


def test_compiled_apart():
    """A member of a recursion that another compilation has made is found by name."""

    @njit
    def start(x, n):
        return odd(x, n) + even(x, n)

    for function in (even, odd, start):
        text = compile_primal(function, (float64, int64)).text
        assert not re.search(r"^declare .*@_ZN", text, re.MULTILINE)
