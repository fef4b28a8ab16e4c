"""Shadows that share memory though their primals do not: right where nobody writes, else refused."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit, typed

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    Forward,
    Reverse,
    ReverseSplitNoPrimal,
    autodiff,
    autodiff_thunk,
    gradient_inplace,
    jacobian,
    typeof,
)
from enzyme.errors import ActivityError, ShadowLayoutError


@njit
def dot(x, y):
    return (x * y).sum()


@njit
def doubled_dot(x, y):
    x *= 2.0
    return (x * y).sum()


@njit
def dot_of_pair(pair):
    return (pair[0] * pair[1]).sum()


@njit
def doubled_dot_of_pair(pair):
    pair[1][...] = pair[1] * 2.0
    return (pair[0] * pair[1]).sum()


@njit
def reverse_inside(x, dx, y, dy):
    autodiff(Reverse, dot, Active, Duplicated(x, dx), Duplicated(y, dy))


@njit
def reverse_inside_written(x, dx, y, dy):
    autodiff(Reverse, doubled_dot, Active, Duplicated(x, dx), Duplicated(y, dy))


@njit
def pair_inside_written(x, dx, y, dy):
    autodiff(Reverse, doubled_dot_of_pair, Active, Duplicated((x, y), (dx, dy)))


def combined(function):
    def run(x, dx, y, dy):
        autodiff(Reverse, function, Active, Duplicated(x, dx), Duplicated(y, dy))

    return run


def pair(function):
    def run(x, dx, y, dy):
        autodiff(Reverse, function, Active, Duplicated((x, y), (dx, dy)))

    return run


def batch(function):
    def run(x, dx, y, dy):
        """The second lane is separate."""
        shadows = (dx, np.zeros(3)), (dy, np.zeros(3))
        autodiff(Reverse, function, Active, *map(BatchDuplicated, (x, y), shadows))

    return run


def split(function):
    def run(x, dx, y, dy):
        kind = Duplicated[typeof(x)]
        ahead, back = autodiff_thunk(
            ReverseSplitNoPrimal, Const[typeof(function)], Active, kind, kind
        )
        args = Const(function), Duplicated(x, dx), Duplicated(y, dy)
        tape, _, _ = ahead(*args)
        back(*args, 1.0, tape)

    return run


READING = {
    "combined": combined(dot),
    "pair": pair(dot_of_pair),
    "batch": batch(dot),
    "split": split(dot),
    "inside": reverse_inside,
}
WRITING = {
    "combined": combined(doubled_dot),
    "pair": pair(doubled_dot_of_pair),
    "batch": batch(doubled_dot),
    "split": split(doubled_dot),
    "inside": reverse_inside_written,
    "pair inside": pair_inside_written,
}


def arrays():
    return np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])


@pytest.mark.parametrize("name", READING)
def test_contributions_add_up_in_one_shadow_of_arrays_that_are_only_read(name):
    x, y = arrays()
    one = np.zeros(3)
    READING[name](x, one, y, one)
    np.testing.assert_array_equal(one, x + y)
    longer = np.zeros(4)
    READING[name](x, longer[:3], y, longer[1:])
    np.testing.assert_array_equal(longer, np.append(y, 0.0) + np.append([0.0], x))


@pytest.mark.parametrize("name", WRITING)
def test_shadows_that_share_memory_are_refused_where_one_primal_is_written(name):
    x, y = arrays()
    one, longer = np.zeros(3), np.zeros(4)
    for dx, dy in ((one, one), (longer[:3], longer[1:]), (longer[1:], longer[:3])):
        with pytest.raises(ShadowLayoutError, match="share"):
            WRITING[name](x.copy(), dx, y.copy(), dy)
    np.testing.assert_array_equal(np.append(one, longer), np.zeros(7))  # nothing has run
    dx, dy = np.zeros(3), np.zeros(3)
    WRITING[name](x.copy(), dx, y.copy(), dy)
    np.testing.assert_array_equal(dx, 2 * y)
    np.testing.assert_array_equal(dy, 2 * x)


@pytest.mark.parametrize("name", ["pair", "pair inside"])
def test_one_array_twice_in_a_tuple_needs_one_shadow_where_it_is_written(name):
    x, _ = arrays()
    one = np.zeros(3)
    WRITING[name](x.copy(), one, x.copy() * 0 + x, np.zeros(3))
    same = x.copy()
    one[...] = 0
    WRITING[name](same, one, same, one)
    np.testing.assert_array_equal(one, 8 * x)  # (2 x)(2 x)
    same = x.copy()
    with pytest.raises(ShadowLayoutError, match="share"):
        WRITING[name](same, np.zeros(3), same, np.zeros(3))


def test_forward_mode_refuses_shared_shadows_of_what_is_written():
    x, y = arrays()
    one = np.ones(3)
    assert autodiff(Forward, dot, Duplicated(x, one), Duplicated(y, one))[0] == (x + y).sum()
    with pytest.raises(ShadowLayoutError, match="shadows of argument 0 and argument 1"):
        autodiff(Forward, doubled_dot, Duplicated(x, one), Duplicated(y, one))


@njit
def forward_inside(x, dx, y, dy):
    return autodiff(Forward, dot, Duplicated(x, dx), Duplicated(y, dy))[0]


@njit
def forward_inside_written(x, dx, y, dy):
    return autodiff(Forward, doubled_dot, Duplicated(x, dx), Duplicated(y, dy))[0]


def test_tangents_may_lie_in_primals_in_forward_mode_where_nobody_writes():
    def reading(x, dx, y, dy):
        return autodiff(Forward, dot, Duplicated(x, dx), Duplicated(y, dy))[0]

    def writing(x, dx, y, dy):
        return autodiff(Forward, doubled_dot, Duplicated(x, dx), Duplicated(y, dy))[0]

    x, y = arrays()
    for reads in (reading, forward_inside):
        assert reads(x, y, y, x) == (x * x + y * y).sum()
    z = np.arange(4.0)
    assert reading(z[:3], z[1:], y, x) == (z[1:] * y + z[:3] * x).sum()
    for writes in (writing, forward_inside_written):
        with pytest.raises(ShadowLayoutError, match="shares memory with"):
            writes(x, y, y, x)
    with pytest.raises(ShadowLayoutError, match="shares memory with argument 1"):
        autodiff(Reverse, dot, Active, Duplicated(x, y), Duplicated(y, np.zeros(3)))
    with pytest.raises(ActivityError, match="its own shadow"):
        reading(x, x, y, y)


def test_beside_a_list_shared_shadows_are_refused():
    @njit
    def first_times(arrays, y):
        arrays[0][0] *= 2.0
        return arrays[0][0] * y[0]

    x, y = arrays()
    one = np.zeros(3)
    with pytest.raises(ShadowLayoutError, match="shares memory"):
        autodiff(
            Reverse,
            first_times,
            Active,
            Duplicated(typed.List([x]), typed.List([one])),
            Duplicated(y, one),
        )


@pytest.mark.parametrize("n_outs", [2, 4, (3, 1, 2)])
def test_a_jacobian_has_as_many_rows_as_there_are_outputs(n_outs):
    f = njit(lambda x: np.array([x[0], x[1], x[0] * x[1]]))
    with pytest.raises(IndexError, match="returns 3 elements"):
        jacobian(Reverse, f, np.ones(2), n_outs=n_outs)


def test_a_gradient_is_not_written_over_its_argument():
    x, _ = arrays()
    for dx in (x, x[::-1]):
        with pytest.raises(ShadowLayoutError, match=r"make_zero\(x\)"):
            gradient_inplace(Reverse, dx, njit(lambda x: x[0]), x)
    np.testing.assert_array_equal(x, arrays()[0])
