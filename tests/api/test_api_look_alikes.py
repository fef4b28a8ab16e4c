"""Arguments that only look like those that a derivative was compiled for, at every entry point, after a warm call.

Each must give what it gives to a function that was never called: the right derivative, or the same error.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np
import pytest
from numba import njit
from numba.core.errors import TypingError

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    Forward,
    MixedDuplicated,
    Reverse,
    ReverseSplitNoPrimal,
    autodiff,
    autodiff_thunk,
    gradient,
    gradient_inplace,
    jacobian,
    typeof,
)
from enzyme.api.mixed import ref_to


@njit
def squares(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += (i + 1) * x[i] * x[i]
    return total


@njit
def doubled(x):
    found = np.empty(x.shape[0])
    for i in range(x.shape[0]):
        found[i] = 2.0 * x[i]
    return found


@njit
def of_parts(parts):
    return squares(parts[1]) * parts[0]


@njit
def of_fields(records):
    total = 0.0
    for i in range(records.shape[0]):
        total += records[i]["a"] * records[i]["a"] * records[i]["b"]
    return total


@njit
def weighed(v, x):
    return v * squares(x)


@njit
def weighed_part(v, parts):
    return v * squares(parts[1])


@njit
def product(point):
    return point.x * point.y


NATIVE = np.array([1.0, 2.0, 3.0])
GRADIENT = 2 * np.arange(1.0, 4.0) * NATIVE


def unaligned(x):
    room = np.zeros(x.nbytes + 1, np.uint8)
    found = room[1:].view(x.dtype)
    found[...] = x
    return found


def zeros(make):
    """A shadow that is like its primal in every respect."""
    found = make()
    found[...] = 0
    return found


def units(make):
    along = [zeros(make) for _ in range(3)]
    for k, dx in enumerate(along):
        dx[k] = 1
    return along


class Own(np.ndarray):
    """A subclass that numba takes for what it is made of."""


LOOK_ALIKES = {
    "big-endian": lambda: NATIVE.astype(">f8"),
    "masked": lambda: np.ma.masked_array(NATIVE.copy(), [0, 1, 0]),
    "unaligned": lambda: unaligned(NATIVE),
    "every second": lambda: np.repeat(NATIVE, 2)[::2],
    "backwards": lambda: NATIVE[::-1].copy()[::-1],
    "subclass": lambda: NATIVE.copy().view(Own),
    "long double": lambda: NATIVE.astype(np.longdouble),
    "integer": lambda: NATIVE.astype(np.int64),
    "column": lambda: NATIVE.copy().reshape(3, 1),
}


def reverse(make):
    dx = zeros(make)
    autodiff(Reverse, squares, Active, Duplicated(make(), dx))
    return dx


def forward(make):
    return [autodiff(Forward, squares, Duplicated(make(), dx))[0] for dx in units(make)]


def batch(make):
    return autodiff(Forward, squares, BatchDuplicated(make(), tuple(units(make))))[0]


def constant(make):
    found = autodiff(Reverse, weighed, Active, Active(1.0), Const(make()))
    return found[0][0] * GRADIENT / 36


def in_tuple(make):
    ref = ref_to((0.0, zeros(make)))
    autodiff(Reverse, of_parts, Active, MixedDuplicated((1.0, make()), ref))
    return ref[()][1]


def in_constant_tuple(make):
    found = autodiff(Reverse, weighed_part, Active, Active(1.0), Const((0, make())))
    return found[0][0] * GRADIENT / 36


def forward_thunk(make):
    kind = Duplicated[typeof(NATIVE)]
    thunk = autodiff_thunk(Forward, Const[typeof(squares)], Duplicated, kind)
    return [thunk(Const(squares), Duplicated(make(), dx))[1] for dx in units(make)]


def split_thunk(make):
    kind = Duplicated[typeof(NATIVE)]
    ahead, back = autodiff_thunk(ReverseSplitNoPrimal, Const[typeof(squares)], Active, kind)
    both = Duplicated(make(), zeros(make))
    tape, _, _ = ahead(Const(squares), both)
    back(Const(squares), both, 1.0, tape)
    return both.dval


def back_of_split_thunk(make):
    """The forward call with a native array, the reverse call with another one."""
    kind = Duplicated[typeof(NATIVE)]
    ahead, back = autodiff_thunk(ReverseSplitNoPrimal, Const[typeof(squares)], Active, kind)
    dx = np.zeros(3)
    tape, _, _ = ahead(Const(squares), Duplicated(NATIVE, dx))
    back(Const(squares), Duplicated(make(), dx, check=False), 1.0, tape)
    return dx


def gradient_of(make):
    return gradient(Reverse, squares, make())


def gradient_forward(make):
    return gradient(Forward, squares, make())


def gradient_into(make):
    return gradient_inplace(Reverse, zeros(make), squares, make())


def jacobian_reverse(make):
    return jacobian(Reverse, doubled, make()).sum(axis=0) * GRADIENT / 2


def jacobian_forward(make):
    return jacobian(Forward, doubled, make()).sum(axis=0) * GRADIENT / 2


def only_the_shadow(make):
    dx = zeros(make)
    autodiff(Reverse, squares, Active, Duplicated(NATIVE, dx, check=False))
    return dx


ENTRIES = [
    reverse,
    forward,
    batch,
    constant,
    in_tuple,
    in_constant_tuple,
    forward_thunk,
    split_thunk,
    back_of_split_thunk,
    gradient_of,
    gradient_forward,
    gradient_into,
    jacobian_reverse,
    jacobian_forward,
    only_the_shadow,
]
# Nothing is compiled for the ones that are refused; these are, at the entries where types are looked up anew.
RIGHT = {
    "unaligned": {"reverse", "in_tuple", "constant"},
    "every second": {"reverse", "forward", "gradient_of"},
    "backwards": {"reverse", "jacobian_forward"},
    "subclass": {"reverse", "gradient_of", "in_constant_tuple"},
    "integer": {"constant", "in_constant_tuple"},
}
REFUSALS = (TypeError, ValueError, TypingError)
REFUSED = ("big-endian", "masked", "long double", "column")


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda f: f.__name__)
def test_look_alikes_do_not_take_the_way_of_what_is_known(entry):
    for _ in range(2):  # twice: the second call takes the fast way
        np.testing.assert_allclose(entry(NATIVE.copy), GRADIENT, rtol=1e-15)
    for kind in REFUSED:
        for _ in range(2):
            with pytest.raises(REFUSALS):
                entry(LOOK_ALIKES[kind])
    for kind, entries in RIGHT.items():
        if entry.__name__ in entries:
            for _ in range(2):
                found = entry(LOOK_ALIKES[kind])
                np.testing.assert_allclose(found, GRADIENT, rtol=1e-15, err_msg=kind)


def test_a_shadow_that_became_read_only_is_refused_after_a_warm_call():
    x, dx = NATIVE.copy(), np.zeros(3)
    autodiff(Reverse, squares, Active, Duplicated(x, dx))
    dx.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        autodiff(Reverse, squares, Active, Duplicated(x, dx))


RECORDS = [
    np.dtype([("a", "f8"), ("b", "f8")]),
    np.dtype([("b", "f8"), ("a", "f8")]),
    np.dtype({"names": ["a", "b"], "formats": ["f8", "f8"], "offsets": [8, 0]}),
    np.dtype({"names": ["a", "b"], "formats": ["f8", "f8"], "titles": ["x", "y"]}),
    np.dtype({"names": ["a", "b"], "formats": ["f8", "f8"], "offsets": [0, 8], "itemsize": 24}),
]


def test_records_with_the_same_fields_at_other_places_have_code_of_their_own():
    for kind in RECORDS:
        records, shadow = np.zeros(2, kind), np.zeros(2, kind)
        records["a"], records["b"] = [1.0, 2.0], [3.0, 4.0]
        for n in range(1, 3):
            autodiff(Reverse, of_fields, Active, Duplicated(records, shadow))
            np.testing.assert_allclose(shadow["a"], n * 2 * records["a"] * records["b"])
            np.testing.assert_allclose(shadow["b"], n * records["a"] ** 2)
    swapped = np.zeros(2, [("a", ">f8"), ("b", "f8")])
    with pytest.raises(REFUSALS):
        autodiff(Reverse, of_fields, Active, Duplicated(swapped, np.zeros_like(swapped)))
    one, other = np.zeros(2, RECORDS[0]), np.zeros(2, RECORDS[1])
    with pytest.raises(TypeError):
        autodiff(Reverse, of_fields, Active, Duplicated(one, other, check=False))


def test_named_tuples_of_one_name_keep_their_classes():
    first, second = (namedtuple("Point", ["x", "y"]) for _ in range(2))
    for cls in (first, second, first):
        found = gradient(Reverse, product, cls(2.0, 3.0))
        assert type(found) is cls
        assert found == (3.0, 2.0)
