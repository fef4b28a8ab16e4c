"""`hvp` of arguments of a kind that it had before gives what it gives the first time, and takes the short way."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from numba import njit

import enzyme.functional.second_order as long_way
from enzyme import Const, hvp, hvp_and_gradient_inplace, hvp_inplace, make_zero
from enzyme.api import set_runtime_activity
from enzyme_rules import inactive
from tests.memory.test_memory_programs import resident

X, V = np.array([2.0, 3.0]), np.array([1.0, -0.5])
MATRIX = np.arange(1.0, 7.0).reshape(2, 3)


def total(x):
    s = 0.0
    for v in x.flat:
        s += v * v * v
    return s


def weighed(x, t, y):
    return t * total(x) * y[0] + t * t


def overwrites(x):
    x[0] = x[0] * x[1]
    return x[0] * x[0]


def swaps(x, s):
    u, new = s.copy(), np.zeros(len(s))
    for _ in range(3):
        for i in range(len(s)):
            new[i] = u[i] + 0.1 * x[i] * u[i] ** 2
        u, new = new, u
    return u.sum()


def with_default(x, t=2.0):
    return t * x[0] * x[0] * x[1]


total = njit(total)
# Function, x, v, constants; does the short way hold for them?
CALLS = {
    "array": (total, X, V, (), True),
    "plain function": (lambda x: x[0] * x[0] * x[1], X, V, (), True),
    "linear": (lambda x: 3.0 * x[0], X, V, (), True),
    "constant": (lambda x: 3.0, X, V, (), True),
    "matrix": (total, MATRIX, np.ones((2, 3)), (), True),
    "columns": (total, np.asfortranarray(MATRIX), np.ones((2, 3)), (), False),
    "columns along": (total, MATRIX, np.asfortranarray(MATRIX), (), True),
    "every second along": (total, X, np.repeat(V, 2)[::2], (), True),
    "single precision": (total, X.astype(np.float32), V.astype(np.float32), (), True),
    "two precisions": (total, X, V.astype(np.float32), (), False),
    "integers along": (total, X, np.array([1, 2]), (), False),
    "read-only": (total, np.frombuffer(X.tobytes()), np.frombuffer(V.tobytes()), (), True),
    "empty": (total, np.zeros((0, 3)), np.zeros((0, 3)), (), True),
    "no axes": (lambda x: x[()] ** 3, np.array(2.0), np.array(1.0), (), True),
    "number": (lambda t: t * t * t, 3.0, 2.0, (), True),
    "constants": (weighed, X, V, (2.0, X.copy()), True),
    "annotated constants": (weighed, X, V, (Const(2.0), Const(X.copy())), True),
    "integer constants": (weighed, X, V, (2, np.array([2, 3])), True),
    "itself as constant": (weighed, X, V, (2.0, X), True),
    "along itself": (total, X, X, (), True),
    "along a part of itself": (total, MATRIX.reshape(-1)[:3], MATRIX.reshape(-1)[1:4], (), True),
    "default": (with_default, X, V, (), True),
    "default given": (with_default, X, V, (4.0,), True),
    "written": (overwrites, X, V, (), True),
    "swapped": (njit(swaps), X, V, (X.copy(),), True),
    "swapped with itself": (njit(swaps), X, V, (X,), True),
    "tuple": (lambda p: p[0] * p[1][0] ** 2, (2.0, X), (1.0, V), (), False),
    "unaligned": (
        total,
        np.zeros(17, np.uint8)[1:].view(float),
        np.zeros(17, np.uint8)[1:].view(float),
        (),
        False,
    ),
}


def same(found, expected):
    if isinstance(expected, tuple):
        for one, other in zip(found, expected, strict=True):
            same(one, other)
        return
    assert type(found) is type(expected)
    assert np.asarray(found).dtype == np.asarray(expected).dtype
    np.testing.assert_array_equal(found, expected)


@pytest.fixture
def counted(monkeypatch):
    """How often the long way was taken."""
    taken = []
    inner = long_way._slow_product

    def product(*args):
        taken.append(args)
        return inner(*args)

    monkeypatch.setattr(long_way, "_slow_product", product)
    return taken


@pytest.mark.rotating(18)
@pytest.mark.parametrize("name", CALLS)
def test_the_second_product_is_what_the_first_was(name, counted):
    function, x, v, constants, short = CALLS[name]
    before = [np.copy(a) for a in (x, v) if not isinstance(a, tuple)]
    first = hvp(function, x, v, *constants)
    counted.clear()
    second = hvp(function, x, v, *constants)
    same(second, first)
    assert (not counted) is short
    for old, a in zip(before, (x, v), strict=False):
        np.testing.assert_array_equal(a, old)
    if isinstance(second, np.ndarray):
        assert not np.shares_memory(second, hvp(function, x, v, *constants))
        assert not np.shares_memory(second, v) and not np.shares_memory(second, x)


@pytest.mark.parametrize("name", ["array", "linear", "constants", "along itself", "written"])
def test_both_in_one_run_are_what_each_is_alone(name, counted):
    function, x, v, constants, short = CALLS[name]
    alone = hvp(function, x, v, *constants)
    hvp_and_gradient_inplace(np.empty(2), np.empty(2), function, x, v, *constants)
    for _ in range(2):
        counted.clear()
        product, gradient = np.empty(2), np.empty(2)
        hvp_and_gradient_inplace(product, gradient, function, x, v, *constants)
        np.testing.assert_array_equal(product, alone)
        np.testing.assert_array_equal(hvp_inplace(product, function, x, v, *constants), alone)
        assert (not counted) is short
        step = 1e-6
        for k in range(2):
            near = [x.copy() for _ in range(2)]
            near[0][k] += step
            near[1][k] -= step
            called = [getattr(c, "val", c) for c in constants]
            ends = [function(one, *called) for one in near]
            assert gradient[k] == pytest.approx(
                (ends[0] - ends[1]) / (2 * step), rel=1e-6, abs=1e-6
            )


def test_other_directions_do_not_take_the_way_of_those_before(counted):
    f = njit(lambda x: x[0] * x[0] * x[1])
    expected = np.array([2 * X[1] * V[0] + 2 * X[0] * V[1], 2 * X[0] * V[0]])
    for _ in range(2):
        for along in (V, V.astype(np.float32), np.repeat(V, 2)[::2], V[::-1][::-1]):
            np.testing.assert_allclose(hvp(f, X, along), expected)
        for wrong in (np.ones(3), np.ones((2, 1)), np.ones(0), 1.0, V.astype(complex)):
            with pytest.raises((TypeError, ValueError)):
                hvp(f, X, wrong)


factor = 2.0


def scaled(x):
    return factor * x[0] * x[0]


def test_a_function_follows_its_globals():
    global factor
    for factor in (2.0, 2.0, 3.0, 3.0, 2.0):
        assert hvp(scaled, X, V)[0] == 2 * factor


def test_a_new_rule_counts():
    @njit
    def inner(x):
        return x * x

    @njit
    def outer(x):
        return inner(x[0])

    assert [hvp(outer, X, V)[0] for _ in range(2)] == [2.0, 2.0]
    inactive(inner)
    assert [hvp(outer, X, V)[0] for _ in range(2)] == [0.0, 0.0]


def test_a_decorator_that_copies_attributes_copies_no_products():
    import functools

    def f(x):
        return x[0] ** 2

    hvp(f, X, V)
    hvp(f, X, V)

    @functools.wraps(f)
    def g(x):
        return x[0] ** 3

    assert [hvp(g, X, V)[0] for _ in range(2)] == [12.0, 12.0]
    assert hvp(f, X, V)[0] == 2.0


def test_switches_and_zeros_of_ones_own_take_the_long_way(counted):
    f = njit(lambda x: x[0] * x[0])
    hvp(f, X, V)
    make_zero.register(np.ndarray)(lambda x: np.zeros(x.shape))
    try:
        counted.clear()
        assert hvp(f, X, V)[0] == 2.0
        assert counted
    finally:
        make_zero.unregister(np.ndarray)
    set_runtime_activity(True)
    try:
        counted.clear()
        assert hvp(f, X, V)[0] == 2.0
        assert counted
    finally:
        set_runtime_activity(False)
    counted.clear()
    assert hvp(f, X, V)[0] == 2.0
    assert not counted


def test_errors_are_those_of_the_long_way():
    @njit
    def sometimes(x):
        if x[0] < 0.0:
            raise ValueError("negative")
        return 1.0 / x[0]

    hvp(sometimes, X, V)
    for _ in range(2):
        with pytest.raises(ValueError, match="negative"):
            hvp(sometimes, -X, V)
    assert hvp(sometimes, X, V)[0] == 0.25


def test_nothing_is_left_of_ten_thousand_products():
    big, along = np.ones(10_000), np.ones(10_000)
    f = njit(lambda x: (x * x * x).sum())
    for _ in range(100):
        hvp(f, big, along)
    gc.collect()
    before = resident()
    for _ in range(3000):
        hvp(f, big, along)
    gc.collect()
    assert resident() - before < 20e6
