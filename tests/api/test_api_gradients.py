"""`gradient`, `gradient_inplace`, `jacobian`: values, shapes, types, errors."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import njit
from numba.typed import List
from numpy.lib.stride_tricks import as_strided

from enzyme import (
    Const,
    Duplicated,
    Forward,
    ForwardWithPrimal,
    Reverse,
    ReverseSplitNoPrimal,
    ReverseWithPrimal,
    chunkedonehot,
    gradient,
    gradient_inplace,
    jacobian,
    onehot,
)
from enzyme.errors import (
    ActivityError,
    BatchSizeError,
    EnzymeNonScalarReturnException,
    ModeError,
    ShadowLayoutError,
)

pytestmark = pytest.mark.rotating(21)


def product(x):
    return x[0] * x[1]


def rosenbrock(x):
    return (1.0 - x[0]) ** 2 + 100.0 * (x[1] - x[0] ** 2) ** 2


def square(x):
    return x * x


X = np.array([2.0, 3.0])


# --- gradient -------------------------------------------------------------------------------------


def test_reverse():
    np.testing.assert_array_equal(gradient(Reverse, product, X), [3.0, 2.0])
    assert gradient(Reverse, square, 7.0) == 14.0
    assert isinstance(gradient(Reverse, square, np.float32(7.0)), np.float32)
    derivs, val = gradient(ReverseWithPrimal, product, X)
    np.testing.assert_array_equal(derivs, [3.0, 2.0])
    assert val == 6.0
    found = gradient(ReverseWithPrimal, rosenbrock, np.array([1.0, 2.0]))
    np.testing.assert_allclose(found.derivs, [-400.0, 200.0])
    assert found.val == pytest.approx(100.0)


def test_reverse_of_several_arguments():
    def f(x, y):
        return x[0] * y[0]

    x, y = np.array([2.0]), np.array([3.0])
    np.testing.assert_array_equal(gradient(Reverse, f, x, y), [[3.0], [2.0]])
    first, second = gradient(Reverse, f, x, Const(y))
    np.testing.assert_array_equal(first, [3.0])
    assert second is None
    assert gradient(Reverse, f, Const(x), Const(y)) == (None, None)
    assert gradient(Reverse, lambda x, n: x**n, 3.0, Const(2)) == (6.0, None)


def test_reverse_of_what_holds_no_floats():
    assert gradient(Reverse, lambda n: 1.0 * n, Const(2)) is None


class Pair(NamedTuple):
    x: np.ndarray
    y: np.ndarray


class Mixed(NamedTuple):
    x: float
    p: int


def test_named_tuples_keep_their_type_and_what_is_inactive():
    def f(z):
        return (z.x * z.y).sum()

    found = gradient(Reverse, f, Pair(np.array([1.0, 2.0]), np.array([3.0, 4.0])))
    assert isinstance(found, Pair)
    np.testing.assert_array_equal(found, [[3.0, 4.0], [1.0, 2.0]])

    def g(z):
        return (z.x * z.y).sum()

    integers = np.array([3, 4])
    found = gradient(Reverse, g, Pair(np.array([1.0, 2.0]), integers))
    assert found.y is integers
    assert gradient(Reverse, lambda z: z.x**z.p, Mixed(2.0, 3)) == Mixed(12.0, 3)
    assert gradient(Reverse, lambda z: z[0] * z[1], (2.0, 3.0)) == (3.0, 2.0)


def test_forward():
    assert gradient(Forward, product, X) == (3.0, 2.0)
    assert gradient(Forward, square, 7.0) == 14.0
    assert gradient(Forward, lambda t: t[0] * t[1], (3.0, np.float32(2.0))) == (2.0, 3.0)
    assert gradient(Forward, lambda x: x.sum(), np.zeros(0)) == ()
    assert gradient(ForwardWithPrimal, product, X) == ((3.0, 2.0), 6.0)
    matrix = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert gradient(Forward, lambda m: (m * m).sum(), matrix) == (2.0, 4.0, 6.0, 8.0)


@pytest.mark.parametrize("chunk", [1, 2, 3])
def test_chunks_change_nothing(chunk):
    assert gradient(Forward, product, X, chunk=chunk) == (3.0, 2.0)
    assert gradient(Forward, product, X, chunk) == (3.0, 2.0)
    assert gradient(Forward, product, X, shadow=chunkedonehot(X, chunk)) == (3.0, 2.0)


def test_directions_may_be_given():
    assert gradient(Forward, product, X, shadow=onehot(X)) == (3.0, 2.0)
    assert gradient(Forward, product, X, shadows=(np.array([1.0, 1.0]),)) == (5.0,)


def test_forward_of_several_arguments():
    def f(x, y):
        return x[0] * y[1] + x[1] * y[0]

    y = np.array([2.7, 3.1])
    first, second = gradient(Forward, f, X, y)
    np.testing.assert_allclose(first, [3.1, 2.7])
    np.testing.assert_allclose(second, [3.0, 2.0])

    def g(x, y):
        return np.array([x[0] * y[1], x[1] * y[0]])

    first, second = gradient(Forward, g, X, y)
    np.testing.assert_allclose(first, [[3.1, 0.0], [0.0, 2.7]])
    np.testing.assert_allclose(second, [[0.0, 2.0], [3.0, 0.0]])

    def copied(a, x):
        return x.copy()

    first, second = gradient(Forward, copied, np.ones(2), np.ones(3))
    np.testing.assert_array_equal(first, np.zeros((3, 2)))
    np.testing.assert_array_equal(second, np.eye(3))
    first, second = gradient(Forward, f, X, Const(y))
    np.testing.assert_allclose(first, [3.1, 2.7])
    assert second is None


@njit
def doubled_first(x):
    x[0] *= 2.0
    return x[0] * x[1]


@njit
def weighted(x):
    total = 0.0
    for i in range(len(x)):
        total += (1.0 + i) * x[i] ** 2
    return total


@njit
def jitted_gradient(f, x):
    return gradient(Reverse, f, x)


@njit
def jitted_gradient_inplace(f, x):
    return gradient_inplace(Reverse, np.zeros(2), f, x)


def derivatives(f, x):
    """By all functions that take whole derivatives."""
    yield gradient(Reverse, f, x)
    yield gradient(Forward, f, x)
    yield jacobian(Reverse, f, x)[0]
    yield jacobian(Forward, f, x)[0]
    yield gradient_inplace(Reverse, np.zeros(2), f, x)
    yield jitted_gradient(f, x)
    yield jitted_gradient_inplace(f, x)


def test_a_function_that_writes_its_argument():
    x = X.copy()
    for found in derivatives(doubled_first, x):
        assert tuple(found) == (6.0, 4.0)
        np.testing.assert_array_equal(x, X)


def test_a_function_that_writes_to_parts_of_its_argument():
    def f(t):
        t[0][0] *= t[1]
        return t[0][0] * t[0][1]

    t = (X.copy(), 4.0)
    found = gradient(Reverse, f, t)
    assert found[0].tolist() == [12.0, 8.0] and found[1] == 6.0
    np.testing.assert_array_equal(t[0], X)

    @njit
    def g(items, x):
        items.append(x)
        return items[0] * items[-1]

    items = List([3.0])
    assert gradient(Reverse, g, items, 2.0)[0][0] == 2.0
    for mode in (Forward, Reverse):  # of several runs each has the list as it is
        found = jacobian(mode, lambda x, items: g(items, x[0]) * x, X, Const(items))[0]
        np.testing.assert_array_equal(found, [[12.0, 0.0], [9.0, 6.0]])
    assert list(items) == [3.0]


def test_arguments_that_share_what_is_written():
    def f(x, y):
        x[0] *= 2.0
        return x[0] * y[1]

    x = X.copy()
    for mode in (Forward, Reverse):
        for take in (gradient, jacobian):
            with pytest.raises(ShadowLayoutError, match=r"a copy of one of the two: x\.copy"):
                take(mode, f, x, x)
    np.testing.assert_array_equal(x, X)


def test_elements_that_are_in_one_place_have_derivatives_of_their_own():
    place = np.array([3.0])
    for x in (np.broadcast_to(place, 2), as_strided(place, (2,), (0,))):
        for found in derivatives(weighted, x):
            assert tuple(found) == (6.0, 12.0)
    assert place[0] == 3.0
    windows = np.lib.stride_tricks.sliding_window_view(np.arange(4.0), 2)
    np.testing.assert_array_equal(gradient(Reverse, lambda w: (w * w).sum(), windows), 2 * windows)
    with pytest.raises(ShadowLayoutError, match=r"make dx with np\.zeros"):
        gradient_inplace(Reverse, as_strided(np.zeros(1), (2,), (0,)), weighted, X)


def test_gradient_inplace():
    dx = np.array([9.0, 9.0])
    assert gradient_inplace(Reverse, dx, product, X) is dx
    np.testing.assert_array_equal(dx, [3.0, 2.0])
    derivs, val = gradient_inplace(ReverseWithPrimal, dx, product, X)
    assert derivs is dx and val == 6.0
    np.testing.assert_array_equal(dx, [3.0, 2.0])


# --- jacobian -------------------------------------------------------------------------------------


def two(x):
    return np.array([x[0] * x[1], x[1]])


def powers(x):
    return np.array([x[1], x[0] ** 2, x[0] ** 3])


@pytest.mark.parametrize("mode", [Forward, Reverse])
def test_jacobian(mode):
    np.testing.assert_array_equal(jacobian(mode, two, X), [[3.0, 2.0], [0.0, 1.0]])
    np.testing.assert_array_equal(jacobian(mode, powers, X), [[0, 1], [4, 0], [12, 0]])
    np.testing.assert_array_equal(jacobian(mode, powers, X, chunk=2), [[0, 1], [4, 0], [12, 0]])

    def affine(x):
        return np.eye(5) @ x[1:] + x[0]

    expected = np.hstack([np.ones((5, 1)), np.eye(5)])
    np.testing.assert_array_equal(jacobian(mode, affine, np.ones(6)), expected)
    np.testing.assert_array_equal(jacobian(mode, lambda x: np.array([2 * x, x**2]), 3.0), [2, 6])
    np.testing.assert_array_equal(jacobian(mode, product, X), [[3.0, 2.0]])


@pytest.mark.parametrize("mode", [Forward, Reverse])
def test_shapes_of_jacobians(mode):
    def scaled(x):
        return np.array([1.0, 10.0, 100.0, 1000.0]) * (x * x).sum()

    x = np.array([[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]])
    found = jacobian(mode, scaled, x)
    assert found.shape == (4, 2, 3)
    for k in range(4):
        np.testing.assert_allclose(found[k], 2 * 10.0**k * x)

    def matrix(x):
        made = np.empty((2, 2))
        made[0, 0], made[0, 1] = x[0] * x[1], math.cos(x[0]) + x[1]
        made[1, 0], made[1, 1] = math.exp(x[1]), x[0]
        return made

    x = np.array([2.7, 3.1])
    found = jacobian(mode, matrix, x)
    np.testing.assert_allclose(found[:, :, 0], [[3.1, -math.sin(2.7)], [0.0, 1.0]])
    np.testing.assert_allclose(found[:, :, 1], [[2.7, 1.0], [math.exp(3.1), 0.0]])


def test_jacobian_with_primal_and_positions():
    def f(x):
        return np.array([x[0] * x[1], x[1] + x[2]])

    x = np.array([2.0, 3.0, 4.0])
    for mode in (ForwardWithPrimal, ReverseWithPrimal):
        derivs, val = jacobian(mode, f, x)
        np.testing.assert_array_equal(derivs, [[3, 2, 0], [0, 1, 1]])
        np.testing.assert_array_equal(val, [6.0, 7.0])
    np.testing.assert_array_equal(jacobian(Reverse, powers, X, 3, 1), [[0, 1], [4, 0], [12, 0]])
    np.testing.assert_array_equal(jacobian(Forward, powers, X, 2), [[0, 1], [4, 0], [12, 0]])


# --- errors ---------------------------------------------------------------------------------------


def test_errors():
    with pytest.raises(EnzymeNonScalarReturnException, match="jacobian"):
        gradient(Reverse, two, X)
    for bad in (0, -1, True):
        with pytest.raises(BatchSizeError, match="positive"):
            gradient(Forward, product, X, chunk=bad)
    with pytest.raises(BatchSizeError, match="positive"):
        jacobian(Forward, two, X, chunk=0)
    with pytest.raises(IndexError, match="2 elements"):
        jacobian(Reverse, two, X, n_outs=3)
    with pytest.raises(ModeError, match="gradient takes"):
        gradient(ReverseSplitNoPrimal, product, X)
    with pytest.raises(ModeError, match="combined reverse"):
        gradient_inplace(Forward, X.copy(), product, X)
    with pytest.raises(ActivityError, match="make the shadows"):
        gradient(Reverse, product, Duplicated(X, X.copy()))
    with pytest.raises(ShadowLayoutError):
        gradient_inplace(Reverse, np.zeros(3), product, X)


@pytest.mark.parametrize("chunk", [None, 1, 2, 3, 50])
def test_any_chunk(chunk):
    """Groups of directions, the last of them smaller; more directions than the widest group."""

    def f(x):
        y = np.empty(len(x) - 1)
        for i in range(len(y)):
            y[i] = x[i] * x[i] * x[i + 1]
        return y

    @njit
    def norm(x):
        return (x * x).sum()

    x = np.linspace(0.5, 2.0, 11)
    expected = np.zeros((10, 11))
    for i in range(10):
        expected[i, i], expected[i, i + 1] = 2 * x[i] * x[i + 1], x[i] ** 2
    for mode in (Forward, Reverse):
        np.testing.assert_allclose(jacobian(mode, f, x, chunk=chunk), expected, rtol=1e-14)
    np.testing.assert_allclose(gradient(Forward, norm, x, chunk=chunk), 2 * x, rtol=1e-14)
    one, other = gradient(Forward, lambda x, y: norm(x) * y[0], x, x[:1], chunk=chunk)
    np.testing.assert_allclose(one, 2 * x * x[0], rtol=1e-14)
    np.testing.assert_allclose(other, [norm(x)], rtol=1e-14)
    np.testing.assert_array_equal(x, np.linspace(0.5, 2.0, 11))


class Everything(NamedTuple):
    a: float
    b: Any
    c: str


class Powers(NamedTuple):
    x: Any
    p: Any


def test_mixed_arguments():
    """Floats and arrays in one value; what holds no floats comes back as it is."""
    x = Everything(2.0, np.array([3.0]), "text")
    found = gradient(Reverse, lambda m: m.a * m.b[0], x)
    assert isinstance(found, Everything) and found.a == 3.0 and found.c is x.c
    np.testing.assert_array_equal(found.b, [2.0])

    def total(z):
        s = 0.0
        for i in range(len(z.x)):
            s += z.x[i] ** z.p
        return s

    x = np.array([1.0, 2.0])
    found = gradient(Reverse, total, Powers(x, 3))
    assert found.p == 3 and type(found.p) is int
    np.testing.assert_array_equal(found.x, [3.0, 12.0])
    found, value = gradient(ReverseWithPrimal, total, Powers(x, 3.0))
    assert value == 9.0
    np.testing.assert_allclose([*found.x, found.p], [3.0, 12.0, 8.0 * np.log(2.0)], rtol=1e-14)
    one, two = gradient(Reverse, lambda m, y: m.a * m.b[0] * y, Everything(2.0, x, ""), 5.0)
    assert one.a == 5.0 and two == 2.0
    np.testing.assert_array_equal(one.b, [10.0, 0.0])


@pytest.mark.parametrize("take", [gradient, jacobian])
def test_forward_mode_does_not_give_half_of_a_gradient(take):
    def real(z):
        return (z * z).real

    def of_array(z):
        return (z[0] * z[0]).real

    for function, z in ((real, 1 + 2j), (of_array, np.array([1 + 2j]))):
        with pytest.raises(ActivityError, match="half of the gradient"):
            take(Forward, function, z)
    assert gradient(Reverse, real, 1 + 2j) == 2 - 4j
    assert gradient(Forward, lambda z: z * z, 1 + 2j) == 2 + 4j


@pytest.mark.parametrize("function", [np.sum, np.linalg.norm])
def test_functions_of_numpy(function):
    x = np.array([3.0, 4.0])
    expected = [1.0, 1.0] if function is np.sum else [0.6, 0.8]
    for _ in range(2):
        np.testing.assert_allclose(gradient(Reverse, function, x), expected)
