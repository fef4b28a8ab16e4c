"""Values and types of numba, where it is loaded."""

import pickle
from collections import namedtuple

import numba
import numpy as np
import pytest
from numba import types
from numba.experimental import jitclass
from numba.typed import Dict, List

import enzymecore as ec
from enzymecore import Duplicated, DupState, make_zero, make_zero_inplace, typeof

Point = namedtuple("Point", "x y")
frozen_array = np.zeros(3)
frozen_array.flags.writeable = False


@jitclass([("a", types.float64), ("b", types.float64[:]), ("n", types.int64)])
class Holder:
    def __init__(self, n):
        self.a = 1.0
        self.b = np.ones(n)
        self.n = n


@jitclass([("n", types.int64)])
class Counter:
    def __init__(self, n):
        self.n = n


@numba.njit
def identity(x):
    return x


@pytest.mark.parametrize(
    "x",
    [
        1,
        True,
        1.0,
        "a",
        None,
        1j,
        np.float32(1),
        np.int8(1),
        (1.0, 2),
        (1.0, 2.0),
        (),
        Point(1.0, 2),
        np.zeros(3),
        np.zeros((2, 2), order="F"),
        np.zeros((4, 4))[::2],
        np.zeros(3, np.complex64),
        frozen_array,
        np.zeros(2, [("x", "f8"), ("n", "i4")]),
        np.zeros(2, [("x", "f8"), ("n", "i4")])[0],
        [1.0],
        np.float64,
        np.dtype("f4"),
        identity,
        List([1.0]),
        Holder(2),
    ],
    ids=lambda x: repr(x).partition(" at 0x")[0],
)
def test_types_of_numba_equal_the_matching_descriptor(x):
    assert typeof(x) == numba.typeof(x)
    assert typeof(x) != types.voidptr
    assert ec.Const[numba.typeof(x)] is ec.Const[typeof(x)]


def test_parametrised_by_types_of_numba():
    assert Duplicated[numba.float64[::1]] is Duplicated[typeof(np.zeros(3))]
    assert ec.Active[numba.float64] is ec.Active[float]
    assert ec.Active[numba.float32] is not ec.Active[float]
    assert pickle.loads(pickle.dumps(Duplicated[types.ListType(types.float64)])).eltype == (
        types.ListType(types.float64)
    )


def test_typed_lists():
    x = np.ones(2)
    zero_list, zero_x = make_zero((List([x, x]), x))
    zero_x[0] = 5
    assert zero_list[0][0] == zero_list[1][0] == 5
    nested = List([List([1.0, 2.0])])
    zero = make_zero(nested)
    assert typeof(zero) == typeof(nested)
    assert list(zero[0]) == [0.0, 0.0]
    Duplicated(nested, zero)
    make_zero_inplace(nested)
    assert list(nested[0]) == [0.0, 0.0]
    assert ec.active_register_state(nested) is DupState
    assert ec.active_register_state(typeof(nested)) is DupState
    with pytest.raises(ec.ActivityError, match="Duplicated"):
        ec.Active(nested)
    with pytest.raises(ec.ShadowLayoutError, match="length"):
        Duplicated(List([1.0]), List([1.0, 2.0]))
    with pytest.raises(ec.ShadowTypeError):
        Duplicated(List([1.0]), List([1]))
    ints = List([1, 2])
    assert make_zero(ints) is ints
    assert len(make_zero(List())) == 0


def test_typed_dicts():
    x = Dict.empty(types.unicode_type, types.float64)
    x["a"] = 2.0
    zero = make_zero(x)
    assert dict(zero) == {"a": 0.0}
    assert x["a"] == 2.0
    Duplicated(x, zero)
    zero["b"] = 1.0
    with pytest.raises(ec.ShadowLayoutError, match=r"keys.*b"):
        Duplicated(x, zero)
    make_zero_inplace(x)
    assert x["a"] == 0.0


def test_jitclass_instances():
    x = Holder(3)
    zero = make_zero(x)
    assert (zero.a, zero.n) == (0.0, 3)
    assert not zero.b.any()
    assert len(zero.b) == 3
    assert x.b.all()
    Duplicated(x, zero)
    with pytest.raises(ec.ShadowLayoutError, match=r"shape at \.b"):
        Duplicated(x, Holder(2))
    make_zero_inplace(x)
    assert x.a == 0.0
    assert not x.b.any()
    assert x.n == 3
    counter = Counter(3)
    assert make_zero(counter) is counter
    with pytest.raises(ec.ActivityError):
        ec.Active(x)


def test_compiled_functions_are_inactive():
    assert make_zero(identity) is identity
    assert typeof(identity) is typeof(identity)
    assert ec.active_register_state(identity) is ec.AnyState


def test_containers_without_a_type_yet_are_shadows_of_none_that_has_one():
    for x, shadow in (
        (List([1.0]), List()),
        (List(), List([1.0])),
        (Dict.empty(types.int64, types.float64), Dict()),
    ):
        with pytest.raises(ec.ShadowTypeError, match="no item type yet"):
            Duplicated(x, shadow)
