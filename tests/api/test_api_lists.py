"""Typed lists as arguments: what becomes of the list, its shadow and the adjoints."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit, typed, types

from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    ForwardWithPrimal,
    Reverse,
    autodiff,
    clear_err_if_const_written,
    make_zero,
)
from enzyme.errors import ActivityError, EnzymeConstStorageError


def append(x, v):
    x.append(v)
    return x[0] + x[1]


def fill(x, out):
    for _ in range(2500):
        out.append(x)
    return out[-1]


def pop_all(x):
    s = 0.0
    while len(x) > 1:
        s += x.pop() * x[0]
    return s


def squares(x):
    s = 0.0
    for i in range(len(x)):
        x[i] = x[i] * x[i]
        s += x[i] * (i + 1)
    return s


def both(x, y, v):
    x.append(v * y[0])
    y.append(x[-1] * v)
    return x[-1] * y[-1]


@njit
def descend(x, v, n):
    if n > 0:
        x.append(v * x[-1])
        descend(x, v, n - 1)
        x[0] += x[-1]
        if n % 2 == 0:
            x.pop()


def recursive(x, v, n):
    descend(x, v, n)
    return x[0]


def of_arrays(parts):
    return parts[0][0] * parts[1][0]


def twins(*items):
    x = typed.List(items)
    return x, make_zero(x)


def test_the_shadow_grows_with_its_primal():
    x, dx = twins(1.0)
    assert autodiff(Reverse, append, Active, Duplicated(x, dx), Active(2.0)) == ((None, 1.0),)
    assert list(x) == [1.0, 2.0]
    assert list(dx) == [1.0, 0.0]


def test_forward_mode():
    x, dx = twins(1.0)
    found = autodiff(ForwardWithPrimal, append, Duplicated, Duplicated(x, dx), Duplicated(2.0, 1.0))
    assert found == (1.0, 3.0)
    assert list(dx) == [0.0, 1.0]


def test_a_constant_list_is_refused_as_storage():
    with pytest.raises(EnzymeConstStorageError, match="out"):
        autodiff(Reverse, fill, Active, Active(2.0), Const(typed.List([0.0])))


def test_a_constant_list_without_the_check():
    out = typed.List([0.0])
    mode = clear_err_if_const_written(Reverse)
    assert autodiff(mode, fill, Active, Active(2.0), Const(out)) == ((0.0, None),)
    assert list(out) == [0.0] + [2.0] * 2500


def test_growing_keeps_what_the_shadow_holds():
    out, dout = twins(0.0)
    dout[0] = 7.0
    assert autodiff(Reverse, fill, Active, Active(2.0), Duplicated(out, dout)) == ((1.0, None),)
    assert list(dout) == [7.0] + [0.0] * 2500


def test_items_are_overwritten():
    x, dx = twins(1.0, 2.0, 3.0)
    autodiff(Reverse, squares, Active, Duplicated(x, dx))
    assert list(dx) == [2.0, 8.0, 18.0]


def test_adjoints_of_items_that_are_gone_do_not_come_back():
    x, dx = twins(1.0, 2.0, 3.0)
    autodiff(Reverse, pop_all, Active, Duplicated(x, dx))
    assert list(x) == [1.0]
    assert list(dx) == [5.0]
    dx[0] = 0.0
    assert autodiff(Reverse, append, Active, Duplicated(x, dx), Active(2.0)) == ((None, 1.0),)
    assert list(dx) == [1.0, 0.0]


def test_two_lists_and_one_list_twice():
    (x, dx), (y, dy) = twins(1.0), twins(3.0)
    found = autodiff(Reverse, both, Active, Duplicated(x, dx), Duplicated(y, dy), Active(2.0))
    assert found == ((None, None, 108.0),)
    assert list(dx) == [0.0, 0.0]
    assert list(dy) == [48.0, 0.0]
    z, dz = twins(3.0)
    found = autodiff(Reverse, both, Active, Duplicated(z, dz), Duplicated(z, dz), Active(2.0))
    assert found == ((None, None, 288.0),)
    assert list(dz) == [96.0, 0.0, 0.0]


def test_a_list_grows_in_recursion():
    def at(first, factor):
        return njit(recursive)(typed.List([first]), factor, 6)

    x, dx = twins(1.0)
    ((_, d, _),) = autodiff(Reverse, recursive, Active, Duplicated(x, dx), Active(1.1), Const(6))
    h = 1e-6
    np.testing.assert_allclose(d, (at(1.0, 1.1 + h) - at(1.0, 1.1 - h)) / (2 * h), rtol=1e-7)
    np.testing.assert_allclose(dx[0], (at(1.0 + h, 1.1) - at(1.0 - h, 1.1)) / (2 * h), rtol=1e-7)
    assert len(dx) == len(x)


def test_a_list_of_arrays_is_read():
    parts, dparts = twins(np.array([2.0]), np.array([3.0]))
    autodiff(Reverse, of_arrays, Active, Duplicated(parts, dparts))
    assert dparts[0][0] == 3.0
    assert dparts[1][0] == 2.0


def test_errors_of_the_list_are_the_users():
    x = typed.List.empty_list(types.float64)
    with pytest.raises(IndexError, match="out of range"):
        autodiff(Reverse, append, Active, Duplicated(x, make_zero(x)), Active(2.0))
    x, dx = twins(1.0)
    x._make_immutable()
    with pytest.raises(ValueError, match="immutable"):
        autodiff(Reverse, append, Active, Duplicated(x, dx), Active(2.0))


def test_a_python_list_has_no_shadow_in_reverse_mode():
    with pytest.raises(ActivityError, match="typed list"):
        autodiff(Reverse, squares, Active, Duplicated([1.0, 2.0], [0.0, 0.0]))


def objects_grow(objects, y):
    lists, arrays = objects
    for i in range(20):
        lists[0].append(lists[1][0] * y * i)
        arrays.append(arrays[0] * lists[0][-1])
    arrays[1] *= y
    arrays[2] = arrays.pop(0) * arrays[1][0]
    del arrays[5:12:3]
    s = 0.0
    for k, v in enumerate(arrays):
        s += v.sum() * k
    for items in lists:
        for v in items:
            s += v * v
    return s


def test_lists_of_objects_grow():
    """Arrays and lists in lists, with their references counted: the law, differences, what is left in the shadows."""

    def made(x):
        lists, arrays = typed.List(), typed.List()
        for k in range(2):
            lists.append(typed.List([x[k]]))
            arrays.append(x[2 + 2 * k : 4 + 2 * k].copy())
        return lists, arrays

    x, y = np.array([0.3, 1.2, 0.7, -0.4, 1.5, 0.9]), 1.1
    direction = np.array([0.2, -1.0, 0.6, 0.5, -0.3, 0.8])
    objects, tangents = made(x), made(direction)
    shadows = make_zero(objects)
    kept = *objects[1], *shadows[1]  # the first two are given up by the lists
    ((_, dy),) = autodiff(Reverse, objects_grow, Active, Duplicated(objects, shadows), Active(y))
    gradient = np.array([shadows[0][0][0], shadows[0][1][0], *kept[2], *kept[3]])
    again = made(x)
    (tangent,) = autodiff(Forward, objects_grow, Duplicated(again, tangents), Duplicated(y, 0.4))
    np.testing.assert_allclose(gradient @ direction + 0.4 * dy, tangent, rtol=1e-12)
    h, plain = 1e-6, njit(objects_grow)
    high, low = (plain(made(x + s * direction), y + 0.4 * s) for s in (h, -h))
    np.testing.assert_allclose(tangent, (high - low) / (2 * h), rtol=1e-7)
    assert len(shadows[1]) == len(objects[1])
    assert not any(shadows[0][0][k] for k in range(1, 21))


def test_lists_of_two_sizes():
    def of_two_sizes(x):
        a, b = typed.List.empty_list(types.float64), typed.List.empty_list(types.float32)
        a.append(x)
        b.append(np.float32(x))
        return a[0] * b[0]

    assert autodiff(Reverse, of_two_sizes, Active, Active(2.0)) == ((4.0,),)
