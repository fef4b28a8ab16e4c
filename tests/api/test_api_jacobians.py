"""`jacobian` of several arguments, of tuples and to tuples; ints by position, in `gradient` too."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Const,
    Forward,
    ForwardWithPrimal,
    Reverse,
    ReverseWithPrimal,
    gradient,
    jacfwd,
    jacobian,
    jacrev,
)
from enzyme.errors import ActivityError, BatchSizeError

pytestmark = pytest.mark.rotating(21)


class Point(NamedTuple):
    x: float
    y: np.ndarray
    n: int


@njit
def poly(x, k=2):
    return x**k


@njit
def bent(x, t, n):
    return t * x**n


@njit
def both(x, t):
    return t * x, (x * x).sum()


@njit
def of_point(p):
    return p.x * p.n * p.y


@njit
def three(x):
    return np.array([x[0], x[1], x[0] * x[1]])


X = np.array([2.0, 3.0])
MODES = [Forward, Reverse]


# --- ints by position -----------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_an_int_belongs_to_the_function_wherever_it_can_take_it(mode):
    assert gradient(mode, poly, 5.0, 3) == (75.0, None)
    assert gradient(mode, poly, 5.0) == 10.0
    assert gradient(mode, poly, 5.0, 3, 1) == (75.0, None)  # what is left over is the chunk
    assert gradient(mode, poly.py_func, 5.0, 3) == (75.0, None)
    assert gradient(mode, Const(poly), 5.0, 3) == (75.0, None)
    np.testing.assert_array_equal(np.array(gradient(mode, lambda x: x[0] * x[1], X, 1)), [3.0, 2.0])
    with pytest.raises(TypeError, match="argument"):
        gradient(mode, poly, 5.0, 3, 1, 1)
    with pytest.raises(BatchSizeError, match="positive"):
        gradient(mode, poly, 5.0, 3, 0)
    with pytest.raises(TypeError, match="argument"):
        jacobian(mode, three, X, 2.0)
    cubes, nothing = jacobian(mode, lambda x, n: x**n, X, 3)
    np.testing.assert_allclose(cubes, np.diag(3 * X**2), rtol=1e-14)
    assert nothing is None


def test_an_int_belongs_to_the_function_in_jitted_code_too():
    @njit
    def run(x, n):
        return (
            gradient(Reverse, poly, x, n),
            gradient(Forward, poly, x, n),
            gradient(Reverse, poly, x, n, 1),
            gradient(Reverse, poly, x),
        )

    assert run(5.0, 3) == ((75.0, None), (75.0, None), (75.0, None), 10.0)

    @njit
    def third(x):
        return jacobian(Reverse, lifted, x, 3)

    @njit
    def lifted(x, k=2):
        return x**k

    assert third(X)[1] is None
    np.testing.assert_allclose(third(X)[0], np.diag(3 * X**2))


# --- several arguments ----------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("chunk", [None, 1])
def test_several_arguments(mode, chunk):
    J, dt, dn = jacobian(mode, bent, X, 5.0, 2, chunk=chunk)
    np.testing.assert_allclose(J, np.diag(10.0 * X), rtol=1e-15)
    np.testing.assert_allclose(dt, X**2, rtol=1e-15)
    assert dn is None
    J, dt, dn = jacobian(mode, bent, Const(X), 5.0, 2, chunk=chunk)
    assert J is None and dn is None
    np.testing.assert_allclose(dt, X**2, rtol=1e-15)


@pytest.mark.parametrize("mode", MODES)
def test_one_number_of_several_arguments_is_a_row(mode):
    row, dt = jacobian(mode, lambda x, t: t * (x * x).sum(), X, 5.0)
    np.testing.assert_allclose(row, [10.0 * X], rtol=1e-15)
    np.testing.assert_allclose(dt, [13.0], rtol=1e-15)


@pytest.mark.parametrize("mode", [ForwardWithPrimal, ReverseWithPrimal])
def test_with_the_value(mode):
    (J, _, _), value = jacobian(mode, bent, X, 5.0, 2)
    np.testing.assert_allclose(J, np.diag(10.0 * X), rtol=1e-15)
    np.testing.assert_allclose(value, 5.0 * X**2, rtol=1e-15)


def test_arguments_are_not_changed_by_a_function_that_writes():
    @njit
    def squared(x, t):
        x *= x
        return t * x

    for mode in MODES:
        x = X.copy()
        J, dt = jacobian(mode, squared, x, 5.0)
        np.testing.assert_allclose(J, np.diag(10.0 * X), rtol=1e-15)
        np.testing.assert_allclose(dt, X**2, rtol=1e-15)
        np.testing.assert_array_equal(x, X)


KEPT = np.array([1.0, 2.0, 3.0])


def read_only(x):
    x = x.copy()
    x.flags.writeable = False
    return x


@pytest.mark.parametrize(
    ("f", "x", "rows"),
    [
        (lambda x: np.broadcast_to(x, (3, 2)), X, np.stack([np.eye(2)] * 3)),
        (lambda x: KEPT if x[0] > 9.0 else 2.0 * x, X, 2.0 * np.eye(X.size)),
        (lambda x: KEPT, X, np.zeros((3, X.size))),
        (lambda x: x[1:], read_only(X), np.eye(X.size)[1:]),
    ],
    ids=["elements share a place", "a global array or not", "a global array", "a view"],
)
@pytest.mark.parametrize("mode", MODES)
def test_results_that_cannot_be_written_to(mode, f, x, rows):
    assert not njit(f)(x).flags.writeable
    np.testing.assert_array_equal(jacobian(mode, f, x), rows)
    np.testing.assert_array_equal(jacobian(mode, f, x, chunk=1), rows)


# --- one structure in both modes ------------------------------------------------------------------


class Result(NamedTuple):
    number: float
    vector: np.ndarray
    count: int


@njit
def result(t, n):
    return Result(t * t, np.array([t, 3.0 * t, n * t]), n)


POINT = Point(2.0, X, 3)
# The number t that results are made of, its partial derivatives, and the argument.
ARGUMENTS = {
    "number": (lambda x: 2.0 * x, 2.0, 1.5),
    "array": (lambda x: x[0] * x[1], np.array([3.0, 2.0]), X),
    "empty": (lambda x: x.sum(), np.zeros(0), np.zeros(0)),
    "tuple": (lambda x: x.x * x.y[1] * x.n, Point(9.0, np.array([0.0, 6.0]), None), POINT),
}
# The result, how it depends on t, its derivative by t, and that with one row for a number alone.
RESULTS = {
    "number": (lambda t: t * t, lambda t: np.array([2.0 * t])),
    "array": (
        lambda t: np.array([[t, 3.0 * t], [t * t, 0.0]]),
        lambda t: np.array([[1.0, 3.0], [2.0 * t, 0.0]]),
    ),
    "tuple": (
        lambda t: result(t, 5),
        lambda t: Result(np.array(2.0 * t), np.array([1.0, 3.0, 5.0]), None),
    ),
    "nested": (
        lambda t: ((t, 7), np.array([t])[:0]),
        lambda t: ((np.array(1.0), None), np.zeros(0)),
    ),
}


def expected_of(outer, inner):
    """The product of the derivatives of the result and of t, in the structure of both."""
    if outer is None or inner is None:
        return None
    for given, other in ((outer, inner), (inner, outer)):
        if isinstance(given, tuple):
            parts = [
                expected_of(p, other) if given is outer else expected_of(other, p) for p in given
            ]
            return given._make(parts) if hasattr(given, "_make") else tuple(parts)
    return np.multiply.outer(outer, inner)


def assert_same(found, expected):
    assert type(found) is type(expected) or not isinstance(expected, tuple | None)
    if isinstance(expected, tuple):
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)
    elif expected is not None:
        assert np.shape(found) == np.shape(expected)
        np.testing.assert_allclose(found, expected, rtol=1e-14)


@pytest.mark.parametrize("kind", RESULTS)
@pytest.mark.parametrize("argument", ARGUMENTS)
def test_both_modes_have_one_structure(kind, argument):
    """Outside what the function returns, inside what it takes."""
    (inner, partials, x), (outer, slope) = ARGUMENTS[argument], RESULTS[kind]
    inner, outer = njit(inner), njit(outer)
    t = inner(x)

    def f(x):
        return outer(inner(x))

    for mode in (ForwardWithPrimal, ReverseWithPrimal):
        found, value = jacobian(mode, f, x)
        assert_same(found, expected_of(slope(t), partials))
        assert type(value) is type(outer(t))


def test_other_results_are_refused_in_words():
    @njit
    def text(x):
        return "text" if x[0] > 0 else ""

    for f in (text, lambda x: np.array([1, 2]), lambda x: 3):
        with pytest.raises(ActivityError, match="return an array of floats"):
            jacobian(Reverse, f, X)


def at_an_odd_address(x):
    found = np.zeros(x.nbytes + 1, np.uint8)[1:].view(x.dtype)
    found[:] = x
    return found


UNALIGNED = {
    "array": (lambda x: np.sin(x) * x, lambda x: x),
    "array in a tuple": (lambda p: p[0] * p[1] * p[0], lambda x: (x, 2.0)),
    "arrays that share memory": (lambda p: p[0] * p[1], lambda x: (x, x)),
    "array in a list": (lambda p: p[0] * p[0], lambda x: [x]),
}


@pytest.mark.parametrize("name", UNALIGNED)
@pytest.mark.parametrize("jacobian", [jacrev, jacfwd])
def test_arrays_at_odd_addresses(name, jacobian):
    """Dask sends such; what is computed with are copies, which have another type."""
    f, make = UNALIGNED[name]
    x = np.array([0.3, 0.7, 1.1])
    ours, expected = jacobian(f)(make(at_an_odd_address(x))), jacobian(f)(make(x))
    parts = (lambda d: d) if isinstance(expected, (tuple, list)) else lambda d: (d,)
    for one, other in zip(parts(ours), parts(expected), strict=True):
        np.testing.assert_array_equal(one, other)
