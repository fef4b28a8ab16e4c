"""Containers that are passed in ways nobody should; none may reach memory that is not theirs."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit, typed, types

from enzyme import Active, Const, Duplicated, Reverse, ShadowLayoutError, autodiff, make_zero
from enzyme.errors import EnzymeError, EnzymeNoDerivativeError

pytestmark = pytest.mark.rotating(3)


def dictionary(keys):
    made = typed.Dict.empty(types.int64, types.float64)
    for k in keys:
        made[k] = 1.0
    return made


@njit
def entries_through_another_name(p, q, x):
    for i in range(500):
        q[1000 + i] = 1.0 * i
    return p[1400] * x


def test_one_dictionary_as_a_constant_and_with_a_shadow():
    p = dictionary([1])
    with pytest.raises(EnzymeError):
        annotated = Duplicated(p, make_zero(p)), Const(p)
        autodiff(Reverse, entries_through_another_name, Active, *annotated, Active(2.0))


@njit
def items_through_another_name(p, q, x):
    for i in range(500):
        q.append(1.0 * i)
    return p[400] * x


def test_one_list_as_a_constant_and_with_a_shadow():
    p = typed.List([1.0])
    with pytest.raises(EnzymeError):
        annotated = Duplicated(p, make_zero(p)), Const(p)
        autodiff(Reverse, items_through_another_name, Active, *annotated, Active(2.0))


@njit
def both_grow(p, q, x):
    for i in range(500):
        p[1000 + i] = x * i
        q[3000 - i] = x
    return p[1400] * x * q[2900]


def test_one_shadow_for_two_dictionaries():
    p, q = dictionary([1]), dictionary([1])
    d = make_zero(p)
    with pytest.raises(EnzymeError):
        autodiff(Reverse, both_grow, Active, Duplicated(p, d), Duplicated(q, d), Active(2.0))
    with pytest.raises(EnzymeError):
        autodiff(Reverse, both_grow, Active, Duplicated(p, q), Duplicated(q, p), Active(2.0))


@njit
def read_both(p, q, x):
    return p[1] * q[1] * x


def test_lists_may_not_share():
    """Not even where they are only read: from outside, a write to an item is not seen."""
    p, q = typed.List([1.0, 2.0]), typed.List([3.0, 4.0])
    d = make_zero(p)
    with pytest.raises(ShadowLayoutError, match="have the same shadow"):
        autodiff(Reverse, read_both, Active, Duplicated(p, d), Duplicated(q, d), Active(3.0))
    with pytest.raises(ShadowLayoutError, match="the same object"):
        autodiff(Reverse, read_both, Active, Duplicated(p, d), Const(p), Active(3.0))
    both = Duplicated(p, d)
    autodiff(Reverse, read_both, Active, both, both, Active(3.0))
    assert list(d) == [0.0, 12.0]


def test_float_keys_of_a_dictionary_made_inside():
    """They are read back, so they would need derivatives."""

    def active_keys(a):
        d = typed.Dict.empty(types.float64, types.float64)
        for i in range(len(a)):
            d[a[i]] = 2.0 * a[i]
        s = 0.0
        for k, v in d.items():
            s += k * v
        return s

    a = np.ones(3)
    with pytest.raises(EnzymeNoDerivativeError, match="a dictionary key that depends"):
        autodiff(Reverse, active_keys, Active, Duplicated(a, np.zeros(3)))
