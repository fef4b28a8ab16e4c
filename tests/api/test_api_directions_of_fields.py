"""Unit directions of arrays with fields: one for each float, and forward mode agrees with reverse mode."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import (
    ActivityError,
    Const,
    Forward,
    ForwardWithPrimal,
    Reverse,
    chunkedonehot,
    gradient,
    jacobian,
    onehot,
)

pytestmark = pytest.mark.rotating(18)

PLAIN = np.dtype([("a", "f8"), ("b", "f8")])
WITH_COUNT = np.dtype([("a", "f8"), ("n", "i8"), ("b", "f8")])
VECTORS = np.dtype([("a", "f8", (2,)), ("b", "f8")])
NESTED = np.dtype([("a", PLAIN), ("b", "f8")])
ALIGNED = np.dtype([("c", "i1"), ("a", "f8"), ("b", "f8")], align=True)
SINGLE = np.dtype([("a", "f4"), ("b", "f4")])


@njit
def of_plain(r):
    return r[0].a * r[0].b * 10.0 + r[1].a ** 2 * r[1].b


@njit
def of_vectors(r):
    return r[0].a[0] * r[0].b + r[0].a[1] * r[1].a[0] ** 2


@njit
def of_nested(r):
    return r[0].a.a * r[0].b + r[1].a.b ** 2 * r[0].a.b


@njit
def with_count(r):
    return r[0].a * r[0].n + r[1].b ** 2


def filled(dtype, shape=(2,)):
    """Other numbers in every entry."""
    x = np.zeros(shape, dtype)
    numbers = iter(range(1, 100))

    def fill(x):
        for name in x.dtype.names:
            if x.dtype[name].base.names:
                fill(x[name])
            else:
                x[name] = [
                    [next(numbers) for _ in range(x[name][0].size)] if x[name].ndim > 1 else k
                    for k in (next(numbers), next(numbers))
                ]

    fill(x)
    return x


CASES = {
    "two fields": (of_plain, PLAIN),
    "an integer beside": (with_count, WITH_COUNT),
    "vectors": (of_vectors, VECTORS),
    "records in records": (of_nested, NESTED),
    "aligned": (of_plain, ALIGNED),
    "single precision": (of_plain, SINGLE),
}


def same(found, expected):
    assert type(found) is type(expected) and found.dtype == expected.dtype
    assert found.shape == expected.shape
    for name in found.dtype.names:
        if found.dtype[name].base.names:
            same(found[name], expected[name])
        else:
            np.testing.assert_allclose(found[name], expected[name], rtol=1e-6, err_msg=name)


@pytest.mark.parametrize("name", CASES)
def test_forward_agrees_with_reverse(name):
    f, dtype = CASES[name]

    @njit
    def rows(r):
        return np.array([[f(r), 2.0 * f(r)]])

    x = filled(dtype)
    expected = gradient(Reverse, f, x)
    same(gradient(Forward, f, x), expected)
    same(gradient(Forward, f, x, chunk=3), expected)
    same(jacobian(Forward, f, x), jacobian(Reverse, f, x))
    same(jacobian(Forward, rows, x), jacobian(Reverse, rows, x))


def test_the_numbers():
    r = np.zeros(2, PLAIN)
    r["a"], r["b"] = [1, 2], [3, 4]

    @njit
    def g(r):
        return r[0].a * 10 + r[0].b * 100 + r[1].a * 1000 + r[1].b * 10000

    found, value = gradient(ForwardWithPrimal, g, r)
    assert found.tolist() == [(10.0, 100.0), (1000.0, 10000.0)] and value == 42310.0
    assert gradient(Forward, g, r, shadow=onehot(r)) == (10.0, 100.0, 1000.0, 10000.0)


def test_directions():
    assert [d.tolist() for d in onehot(np.zeros(2, PLAIN))] == [
        [(1.0, 0.0), (0.0, 0.0)],
        [(0.0, 1.0), (0.0, 0.0)],
        [(0.0, 0.0), (1.0, 0.0)],
        [(0.0, 0.0), (0.0, 1.0)],
    ]
    (one, two) = onehot(np.ones((), WITH_COUNT))
    assert one.item() == (1.0, 0, 0.0) and two.item() == (0.0, 0, 1.0)
    last = onehot(np.zeros((1, 2), VECTORS), 4, 6)
    assert [d["a"].tolist() for d in last] == [[[[0, 0], [0, 1]]], [[[0, 0], [0, 0]]]]
    assert [d["b"].tolist() for d in last] == [[[0, 0]], [[0, 1]]]
    ones = onehot(np.zeros(1, NESTED))
    assert [d[0].item() for d in ones] == [((1, 0), 0), ((0, 1), 0), ((0, 0), 1)]
    assert list(map(len, chunkedonehot(np.zeros(2, VECTORS), 4))) == [4, 2]
    assert onehot(np.zeros(3, [("n", "i8")])) == onehot(np.zeros(0, PLAIN)) == ()


def test_several_arguments_and_tuples():
    @njit
    def f(r, t):
        return of_plain(r) * t

    @njit
    def of_tuple(p):
        return of_plain(p[0]) * p[1]

    x = filled(PLAIN)
    expected, slope = gradient(Reverse, f, x, 2.0)
    found = gradient(Forward, f, x, 2.0)
    same(found[0], expected)
    assert found[1] == slope
    assert gradient(Forward, f, Const(x), 2.0) == (None, slope)
    same(gradient(Forward, of_tuple, (x, 2.0))[0], expected)
    same(jacobian(Forward, of_tuple, (x, 2.0))[0], jacobian(Reverse, of_tuple, (x, 2.0))[0])


@pytest.mark.parametrize("outer", [Forward, Reverse])
def test_second_derivatives(outer):
    """Of 10 a0 b0 + a1^2 b1, the rows of b0 and a1."""

    @njit
    def of_b(r):
        return gradient(Reverse, of_plain, r)[0].b

    @njit
    def of_a(r):
        return gradient(Reverse, of_plain, r)[1].a

    x = np.array([(1.0, 2.0), (3.0, 4.0)], PLAIN)
    assert gradient(outer, of_b, x).tolist() == [(10.0, 0.0), (0.0, 0.0)]
    assert gradient(outer, of_a, x).tolist() == [(0.0, 0.0), (8.0, 6.0)]


def test_complex_fields():
    x = np.array([(1 + 2j, 3 - 1j)], [("z", "c16"), ("w", "c16")])
    found = gradient(Forward, lambda r: r[0].z * r[0].w, x)
    assert found.tolist() == [(3 - 1j, 1 + 2j)]


REFUSED = {
    "a complex result and a real field": (
        lambda: gradient(Forward, lambda r: r[0].a * 1j, filled(PLAIN)),
        "along the real field a",
    ),
    "a real result and complex fields": (
        lambda: gradient(Forward, lambda r: r[0].z.real, np.ones(1, [("z", "c16")])),
        "half of the gradient would be missing",
    ),
    "an array of records as result": (
        lambda: jacobian(Forward, lambda r: r.copy(), filled(PLAIN)),
        "along the fields of records",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    call, text = REFUSED[name]
    with pytest.raises(ActivityError, match=text):
        call()
