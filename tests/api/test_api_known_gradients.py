"""`gradient` of arguments of a kind that it had before gives what it gives the first time, and takes the short way."""

from __future__ import annotations

import gc
import sys

import numpy as np
import pytest
from numba import njit

import enzyme.api.gradients as long_way
from enzyme import Const, Reverse, ReverseHolomorphic, ReverseWithPrimal, gradient, make_zero
from enzyme.api import set_runtime_activity
from enzyme_rules import inactive
from tests.memory.test_memory_programs import resident

X = np.array([2.0, 3.0])
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


def overwrites_matrix(x):
    x[0, 0] = x[0, 0] * x[1, 1]
    return x[0, 0] * x[0, 0] * x[1, 2]


def overwrites_two(x, y):
    x[0] = x[0] * y[0]
    return x[0] * x[0] * y[1]


def of_length(x, n):
    return x[0] ** n


total = njit(total)
# Function, arguments, does the short way hold for them?
CALLS = {
    "array": (total, lambda: (X.copy(),), True),
    "matrix": (total, lambda: (MATRIX.copy(),), True),
    "columns": (total, lambda: (np.asfortranarray(MATRIX),), True),
    "single precision": (total, lambda: (X.astype(np.float32),), True),
    "read-only": (total, lambda: (np.frombuffer(X.tobytes()),), True),
    "empty": (total, lambda: (np.zeros((0, 3)),), True),
    "number": (lambda t: t * t, lambda: (3.0,), True),
    "number of NumPy": (lambda t: t * t, lambda: (np.float32(3.0),), True),
    "complex": (lambda z: z * z, lambda: (3.0 + 1j,), True),
    "complex array": (njit(lambda z: z[0] * z[1]), lambda: (X * 1j,), True),
    "several": (weighed, lambda: (X.copy(), 2.0, X.copy()), True),
    "constants": (weighed, lambda: (Const(X.copy()), 2.0, Const(X.copy())), True),
    "only constants": (weighed, lambda: (Const(X), Const(2.0), Const(X)), True),
    "integers": (weighed, lambda: (X.copy(), 2.0, np.array([2, 3])), True),
    "constant number": (of_length, lambda: (X.copy(), Const(3)), True),
    "one array twice": (weighed, lambda: (X, 2.0, X), True),
    "overlap": (lambda x, y: x[0] * y[0], lambda: (MATRIX[0], MATRIX[0, :2]), True),
    "written": (overwrites, lambda: (X.copy(),), True),
    "written columns": (overwrites_matrix, lambda: (np.asfortranarray(MATRIX),), True),
    "written beside others": (overwrites_two, lambda: (X.copy(), X.copy()), True),
    "written constant": (overwrites_two, lambda: (Const(X.copy()), X.copy()), False),
    "every second": (total, lambda: (np.repeat(X, 2)[::2],), False),
    "one for all": (total, lambda: (np.broadcast_to(X, (3, 2)),), False),
    "constant of one for all": (weighed, lambda: (X, 2.0, Const(np.broadcast_to(X[:1], 2))), False),
    "constant text": (lambda x, s: x[0], lambda: (X.copy(), Const("a")), True),
    "tuple": (lambda p: p[0] * p[1][0], lambda: ((2.0, X.copy()),), False),
    "unaligned": (total, lambda: (np.zeros(17, np.uint8)[1:].view(float),), False),
}


def same(found, expected):
    if isinstance(expected, tuple):
        assert type(found) is type(expected) and len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            same(one, other)
        return
    assert type(found) is type(expected)
    if isinstance(expected, np.ndarray):
        assert found.dtype == expected.dtype and found.strides == expected.strides
        assert found.flags.writeable
    np.testing.assert_array_equal(found, expected)


def arrays_of(x):
    if isinstance(x, tuple):
        return [array for part in x for array in arrays_of(part)]
    return [x] if isinstance(x, np.ndarray) else []


@pytest.fixture
def counted(monkeypatch):
    """How often the long way was taken."""
    taken = []
    inner = long_way._reverse

    def reverse(*args, **options):
        taken.append(args)
        return inner(*args, **options)

    monkeypatch.setattr(long_way, "_reverse", reverse)
    return taken


WITH_PRIMAL = ("array", "several", "written")


@pytest.mark.parametrize(
    "name, mode",
    [
        *((name, ReverseHolomorphic if "complex" in name else Reverse) for name in CALLS),
        *((name, ReverseWithPrimal) for name in WITH_PRIMAL),
    ],
    ids=[*CALLS, *(f"{name} with primal" for name in WITH_PRIMAL)],
)
def test_the_second_call_gives_what_the_first_gave(name, mode, counted):
    function, arguments, short = CALLS[name]
    given = arguments()
    before = [np.copy(getattr(x, "val", x)) for x in given if name != "tuple"]
    first = gradient(mode, function, *given)
    counted.clear()
    second = gradient(mode, function, *given)
    same(second, first)
    assert (not counted) is short
    for old, x in zip(before, given, strict=False):
        np.testing.assert_array_equal(getattr(x, "val", x), old)
    third = gradient(mode, function, *given)
    same(second, third)  # which has memory of its own
    assert not any(np.shares_memory(a, b) for a in arrays_of(second) for b in arrays_of(third))


def test_other_arguments_do_not_take_the_way_of_those_before(counted):
    f = njit(lambda x: x[0] * x[1])
    for _ in range(2):
        for kind in (X, X.astype(np.float32), np.array([2, 3]), X[::-1], X.astype(complex)):
            try:
                found = gradient(Reverse, f, kind)
            except Exception as error:
                assert kind.dtype.kind in "ic", error
            else:
                np.testing.assert_array_equal(found, kind[::-1])
                assert found.dtype == kind.dtype
        with pytest.raises((TypeError, ValueError)):
            gradient(Reverse, f, X.astype(">f8"))


def test_a_chunk_stays_a_chunk(counted):
    def power(x, n=2):
        return x[0] ** n

    for _ in range(2):
        np.testing.assert_array_equal(gradient(Reverse, lambda x: x[0], X, 4), [1.0, 0.0])
        with pytest.raises(ValueError, match="chunk"):
            gradient(Reverse, njit(lambda x: x[0]), X, chunk=0)
        assert gradient(Reverse, power, X, 3)[0][0] == 12.0


factor = 2.0


def scaled(x):
    return factor * x[0]


def test_a_function_follows_its_globals():
    global factor
    for factor in (2.0, 2.0, 3.0, 3.0, 2.0):
        assert gradient(Reverse, scaled, X)[0] == factor


def test_a_new_rule_counts():
    @njit
    def inner(x):
        return x * x

    @njit
    def outer(x):
        return inner(x[0])

    assert [gradient(Reverse, outer, X)[0] for _ in range(2)] == [4.0, 4.0]
    inactive(inner)
    assert [gradient(Reverse, outer, X)[0] for _ in range(2)] == [0.0, 0.0]


def test_switches_and_zeros_of_ones_own_take_the_long_way(counted):
    f = njit(lambda x: x[0] * x[0])
    gradient(Reverse, f, X)
    made = []

    @make_zero.register(np.ndarray)
    def zero(x):
        made.append(x)
        return np.zeros(x.shape)

    try:
        counted.clear()
        assert gradient(Reverse, f, X)[0] == 4.0
        assert made and counted
    finally:
        make_zero.unregister(np.ndarray)
    set_runtime_activity(True)
    try:
        counted.clear()
        assert gradient(Reverse, f, X)[0] == 4.0
        assert counted
    finally:
        set_runtime_activity(False)
    counted.clear()
    assert gradient(Reverse, f, X)[0] == 4.0
    assert not counted


def test_errors_are_those_of_the_long_way():
    @njit
    def sometimes(x):
        if x[0] < 0.0:
            raise ValueError("negative")
        return 1.0 / x[0]

    gradient(Reverse, sometimes, X)
    with pytest.raises(ValueError, match="negative"):
        gradient(Reverse, sometimes, -X)
    with pytest.raises(ZeroDivisionError):
        gradient(Reverse, sometimes, 0.0 * X)


def test_nothing_is_left_behind():
    f = njit(lambda x, t: t * (x * x).sum())
    x, t = np.ones(10_000), 2.0
    for _ in range(3):
        gradient(Reverse, f, x, t)
    gc.collect()
    objects, references, memory = len(gc.get_objects()), sys.getrefcount(x), resident()
    for _ in range(500):
        gradient(Reverse, f, x, t)
    gc.collect()
    assert len(gc.get_objects()) <= objects + 5
    assert sys.getrefcount(x) == references
    assert resident() - memory < 100 * x.nbytes
