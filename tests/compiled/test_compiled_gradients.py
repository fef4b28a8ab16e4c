"""`gradient`, `gradient_inplace` and `jacobian` inside jitted functions."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit, typed

from enzyme import (
    Const,
    Forward,
    ForwardWithPrimal,
    Reverse,
    ReverseSplitNoPrimal,
    ReverseWithPrimal,
    gradient,
    gradient_inplace,
    jacobian,
)
from enzyme.errors import (
    ActivityError,
    BatchSizeError,
    EnzymeNonScalarReturnException,
    ModeError,
)

pytestmark = pytest.mark.rotating(27)

X = np.array([2.0, 3.0])


@njit
def product(x):
    return x[0] * x[1]


@njit
def mixed_product(x, y, t):
    return x[0] * y * t[0] + x[1] * t[2]


@njit
def powers(x):
    return np.array([x[1], x[0] ** 2, x[0] ** 3])


@njit
def overwriting(x):
    x *= 2.0
    return x[0] * x[1]


@njit
def curve(t):
    return np.array([2.0 * t, t * t])


MATRIX = [[0.0, 1.0], [4.0, 0.0], [12.0, 0.0]]


def test_gradient():
    @njit
    def run(x):
        return (
            gradient(Reverse, product, x),
            gradient(Forward, product, x),
            gradient(ReverseWithPrimal, product, x),
            gradient(ForwardWithPrimal, product, x),
            gradient(Forward, overwriting, x),
            gradient(Forward, powers, x),
        )

    reverse, forward, with_value, forward_value, written, columns = run(X)
    for found in (reverse, forward, with_value.derivs, forward_value.derivs):
        np.testing.assert_array_equal(found, [3.0, 2.0])
    assert with_value.val == forward_value.val == 6.0
    np.testing.assert_array_equal(written, [12.0, 8.0])
    np.testing.assert_array_equal(columns, MATRIX)
    assert (X == [2.0, 3.0]).all()


def test_several_arguments():
    @njit
    def run(x, y):
        t = (2.0, 7, 5.0)
        return (
            gradient(Reverse, mixed_product, x, y, t),
            gradient(Reverse, mixed_product, x, Const(y), t),
            gradient(Forward, mixed_product, x, y, Const(t)),
        )

    whole, partly, forward = run(X, 4.0)
    np.testing.assert_array_equal(whole[0], [8.0, 5.0])
    assert whole[1] == 4.0 and whole[2] == (8.0, 7, 3.0)
    assert partly[1] is None and partly[2] == (8.0, 7, 3.0)
    np.testing.assert_array_equal(forward[0], [8.0, 5.0])
    assert forward[1:] == (4.0, None)


def test_gradient_inplace():
    @njit
    def run(x, dx):
        return gradient_inplace(Reverse, dx, product, x), gradient_inplace(
            ReverseWithPrimal, dx, product, x
        )

    dx = np.array([7.0, 7.0])
    first, second = run(X, dx)
    np.testing.assert_array_equal(dx, [3.0, 2.0])
    np.testing.assert_array_equal(first, dx)
    assert second.val == 6.0


def test_jacobian():
    @njit
    def run(x):
        return (
            jacobian(Forward, powers, x),
            jacobian(Reverse, powers, x),
            jacobian(Reverse, powers, x, n_outs=3),
            jacobian(ReverseWithPrimal, powers, x).derivs,
        )

    for found in run(X):
        np.testing.assert_array_equal(found, MATRIX)

    @njit
    def rows(x, t):
        return (
            jacobian(Reverse, powers, x, 3),
            jacobian(Reverse, product, x),
            jacobian(Forward, product, x),
            jacobian(Reverse, curve, t),
            jacobian(Forward, curve, t),
        )

    three, of_number, of_number_forward, reverse, forward = rows(X, 3.0)
    np.testing.assert_array_equal(three, MATRIX)
    np.testing.assert_array_equal(of_number, [[3.0, 2.0]])
    np.testing.assert_array_equal(of_number_forward, [[3.0, 2.0]])
    np.testing.assert_array_equal(reverse, [2.0, 6.0])
    np.testing.assert_array_equal(forward, [2.0, 6.0])

    @njit
    def other(x, n):
        return jacobian(Reverse, powers, x, n)

    for n in (2, 4, -1):
        with pytest.raises(IndexError, match="n_outs"):
            other(X, n)


def test_matrices():
    @njit
    def outer(x):
        made = np.empty((2, 3))
        for i in range(2):
            for j in range(3):
                made[i, j] = x[0, i] * x[1, j]
        return made

    @njit
    def run(x):
        return jacobian(Forward, outer, x), jacobian(Reverse, outer, x)

    x = np.arange(6.0).reshape(2, 3)
    forward, reverse = run(x)
    expected = np.zeros((2, 3, 2, 3))
    for i in range(2):
        for j in range(3):
            expected[i, j, 0, i] += x[1, j]
            expected[i, j, 1, j] += x[0, i]
    np.testing.assert_array_equal(forward, expected)
    np.testing.assert_array_equal(reverse, expected)


def test_layouts():
    @njit
    def total(x):
        return np.sum(x * x)

    @njit
    def run(x):
        return gradient(Reverse, total, x), gradient(Forward, total, x)

    base = np.arange(24.0).reshape(2, 3, 4)
    for x in (
        base[0, 0, ::2], base[0, 0, ::-1], base.transpose(2, 0, 1), base[:, ::-2, 1:],
        np.asfortranarray(base), base[:0],
    ):  # fmt: skip
        reverse, forward = run(x)
        np.testing.assert_array_equal(reverse, 2 * x)
        np.testing.assert_array_equal(forward, 2 * x)


def test_numbers_that_make_no_sense():
    @njit
    def run(x, kind):
        if kind == 0:
            gradient(Forward, product, x, 0)
        if kind == 1:
            jacobian(Forward, powers, x, 0)
        if kind == 2:
            jacobian(Reverse, powers, x, 2, 0)
        jacobian(Reverse, powers, x, -1)

    for kind in range(3):
        with pytest.raises(BatchSizeError, match="chunk"):
            run(X, kind)
    with pytest.raises(IndexError, match="negative"):
        run(X, 3)


def test_precision():
    @njit
    def run(x):
        return gradient(Reverse, product, x), jacobian(Reverse, powers, x)

    for found in run(X.astype(np.float32)):
        assert found.dtype == np.float32


def test_misuse():
    @njit
    def of_array(x):
        return gradient(Reverse, powers, x)

    @njit
    def of_split_mode(x):
        return gradient(ReverseSplitNoPrimal, product, x)

    @njit
    def annotated(x):
        return jacobian(Reverse, powers, Const(x))

    with pytest.raises(EnzymeNonScalarReturnException, match="use jacobian"):
        of_array(X)
    with pytest.raises(ModeError, match="gradient takes"):
        of_split_mode(X)
    assert annotated(X) is None

    @njit
    def of_integer(x):
        return int(x[0])

    @njit
    def rows_of_integer(x):
        return jacobian(Reverse, of_integer, x)

    with pytest.raises(ActivityError, match="its rows are the outputs"):
        rows_of_integer(X)


def test_arguments_that_may_be_none():
    """Numba takes the value of an optional out where a function is called; so do derivatives."""

    @njit
    def popped(x):
        d = typed.Dict()
        d[0] = x * 2.0
        return gradient(Reverse, norm2, d.pop(0))

    @njit
    def number(x, take):
        y = None if not take else x
        return gradient(Reverse, cubed, y)

    norm2 = njit(lambda x: (x * x).sum())
    cubed = njit(lambda x: x * x * x)
    np.testing.assert_array_equal(popped(np.array([1.0, 2.0])), [4.0, 8.0])
    assert number(2.0, True) == 12.0
    with pytest.raises(TypeError, match="None"):
        number(2.0, False)
