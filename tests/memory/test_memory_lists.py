"""Lists and dictionaries keep no memory, whether the function returns or raises in the middle."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from numba import njit, typed, types

from enzyme import Active, Const, Duplicated, Forward, Reverse, autodiff
from tests.memory.test_memory_programs import assert_flat

pytestmark = pytest.mark.rotating(27)

ITEMS = 30


@njit
def numbers(x, n, bad):
    xs = []
    for i in range(n):
        xs.append(x[0] * i)
        if i == bad:
            raise ValueError("stop")
    return sum(xs)


@njit
def arrays(x, n, bad):
    xs = [x]
    for i in range(n):
        xs.append(x * i)
        if i % 3 == 2:
            xs.pop()
        if i == bad:
            raise ValueError("stop")
    s = 0.0
    for v in xs:
        s += v.sum()
    return s


@njit
def lists(x, n, bad):
    xs = [[x[0]]]
    for i in range(n):
        xs.append([x[0] * i, x[1]])
        if i == bad:
            raise ValueError("stop")
    return xs[n][0]


@njit
def out_of_range(x, n, bad):
    xs = [x[0]]
    for _ in range(n):
        xs.append(x[0] * xs[-1])
    return xs[-1 if bad < 0 else 1000]


@njit
def typed_numbers(x, n, bad):
    xs = typed.List.empty_list(types.float64)
    for i in range(n):
        xs.append(x[0] * i)
        if i == bad:
            xs.pop()
            raise ValueError("stop")
    return xs[-1]


@njit
def list_in_straight_line(x, n, bad):
    """LLVM sees all of it: the object that owns the list is small and never leaves."""
    xs = typed.List.empty_list(types.float64, 100)
    xs.append(x[0] * n)
    return xs[0] * xs[0 if bad < 0 else 1000]


@njit
def dictionary(x, n, bad):
    d = typed.Dict.empty(types.int64, types.float64)
    for i in range(n):
        d[i] = x[0] * i
        if i == bad:
            raise ValueError("stop")
    e = d.copy()
    return e[n - 1] * d[1]


@njit
def missing_key(x, n, bad):
    d = typed.Dict.empty(types.unicode_type, types.float64)
    d["known"] = x[0] * n
    return d["known" if bad < 0 else "unknown"]


@njit
def keys_made_inside(x, n, bad):
    """A failure while the dictionary alone holds its keys, which it lets go of when it is freed."""
    d = typed.Dict.empty(types.unicode_type, types.float64)
    for i in range(n):
        d["key" + str(i)] = x[0] * i
    s = 0.0
    for i, k in enumerate(d):
        s += d[k] * d[k] * len(k)
        if i == bad:
            raise ValueError("stop")
    return s


@njit
def typed_arrays(x, n, bad):
    xs = typed.List()
    xs.append(x)
    for i in range(n):
        xs.append(x * i)
        if i % 3 == 2:
            xs.pop(0)
        if i % 7 == 6:
            xs[1] = xs[0]
        if i == bad:
            raise ValueError("stop")
    s = 0.0
    for v in xs:
        s += v.sum()
    return s


@njit
def typed_lists(x, n, bad):
    xs = typed.List()
    for i in range(n):
        row = typed.List()
        row.append(x)
        row.append(x * i)
        xs.append(row)
        xs[0].append(x)
        if i == bad:
            raise ValueError("stop")
    del xs[3:9]
    return xs[0][1][0] * xs[-1][0][1]


@njit
def dictionary_of_arrays(x, n, bad):
    d = typed.Dict.empty(types.unicode_type, types.float64[::1])
    d["x"] = x
    for i in range(n):
        d["key" + str(i)] = x * i
        if i % 3 == 2:
            del d["key" + str(i - 1)]
        if i == bad:
            raise ValueError("stop")
    _, v = d.popitem()
    s = (v * d.pop("key0") * d["x"]).sum()
    d["x"] = v
    return s


def test_a_large_typed_list_is_freed_after_a_failure():
    """Its items are not counted by the runtime, only by the process."""

    def call():
        with pytest.raises(ValueError, match="stop"):
            arguments = Duplicated(np.ones(1), np.zeros(1)), Const(20000), Const(19999)
            autodiff(Reverse, typed_numbers, Active, *arguments)

    assert_flat(call, times=100, slack=4 << 20)


@pytest.mark.parametrize("mode", [Forward, Reverse])
@pytest.mark.parametrize("bad", [-1, 17])
@pytest.mark.parametrize(
    "function",
    [
        numbers,
        arrays,
        lists,
        out_of_range,
        typed_numbers,
        list_in_straight_line,
        dictionary,
        missing_key,
        keys_made_inside,
        typed_arrays,
        typed_lists,
        dictionary_of_arrays,
    ],
)
def test_nothing_is_kept(function, bad, mode):
    x, dx = np.ones(4), np.zeros(4)
    returned = Duplicated if mode is Forward else Active
    references = sys.getrefcount(x), sys.getrefcount(dx)

    def call():
        try:
            autodiff(mode, function, returned, Duplicated(x, dx), Const(ITEMS), Const(bad))
        except (ValueError, IndexError, KeyError):
            assert bad >= 0

    assert_flat(call)
    assert (sys.getrefcount(x), sys.getrefcount(dx)) == references
