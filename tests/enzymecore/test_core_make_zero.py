"""make_zero, its in-place forms, and unit directions."""

import copy
from collections import OrderedDict, defaultdict
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import enzymecore as ec
from enzymecore import make_zero, make_zero_inplace, onehot, remake_zero_inplace, typeof


class Point(NamedTuple):
    a: Any
    b: Any
    c: Any = "str"


@dataclass
class Node:
    value: Any
    next: Any = None


@dataclass(frozen=True)
class Frozen:
    value: Any
    label: str = "x"
    hidden: Any = field(default=None, repr=False)


class Slotted:
    __slots__ = ("first", "second")


def same(x, y):
    """Tell whether two values are of one type and equal, arrays included."""
    if isinstance(x, np.ndarray):
        return x.dtype == y.dtype and x.shape == y.shape and np.array_equal(x, y)
    if isinstance(x, (list, tuple)):
        return type(x) is type(y) and all(map(same, x, y)) and len(x) == len(y)
    return type(x) is type(y) and x == y


@pytest.mark.parametrize(
    "x", [1.5, -2j, np.float16(3), np.float32(3), np.complex64(2j), np.longdouble(2), float("nan")]
)
def test_numbers(x):
    zero = make_zero(x)
    assert type(zero) is type(x)
    assert zero == 0
    assert not np.signbit(np.real(zero))


@pytest.mark.parametrize(
    "x",
    [
        np.ones((2, 3)),
        np.ones((2, 3), order="F"),
        np.ones((4, 6))[::2, ::3],
        np.ones((4, 6))[::-1, 1::2],
        np.ones((2, 3, 4)).transpose(1, 0, 2),
        np.broadcast_to(np.ones(3), (2, 3)),
        np.ones(()),
        np.ones((0, 3)),
        np.ones(3, np.float32),
        np.ones(3, np.complex64),
        np.ones(3, ">f8"),
    ],
    ids=lambda x: f"{x.shape}{x.strides}{x.dtype}",
)
def test_arrays_keep_dtype_shape_and_layout(x):
    zero = make_zero(x)
    assert zero.dtype == x.dtype
    assert zero.shape == x.shape
    assert zero.strides == x.strides or x.size == 0
    assert not zero.any()
    assert zero.flags.writeable
    assert not np.shares_memory(zero, x)
    assert x.all()
    ec.Duplicated(x, zero)


def function():
    return 1.0


@pytest.mark.parametrize(
    "x",
    [3, True, "a", None, function, np.dtype("f8"), float, np.ones(3, int), (1, "a"), (), {1.0}],
    ids=lambda x: repr(x).partition(" at 0x")[0],
)
def test_inactive_values_are_kept(x):
    assert make_zero(x) is x


def test_copy_if_inactive():
    ints = np.ones(3, int)
    first, second, number = make_zero((ints, ints, 1.0), copy_if_inactive=True)
    assert first is second is not ints
    assert number == 0.0
    text = [["a"]]
    assert make_zero(text, True)[0] is not text[0]
    assert make_zero(text)[0] == ["a"]


def test_structures():
    x = Point(1.0, [3.0, np.ones(2)], "str")
    zero = make_zero(x)
    assert same(zero, Point(0.0, [0.0, np.zeros(2)], "str"))
    assert same(x, Point(1.0, [3.0, np.ones(2)], "str"))
    assert same(make_zero((1.0, "a", 3)), (0.0, "a", 3))
    zero = make_zero(Frozen(2.0, hidden=np.ones(2)))
    assert type(zero) is Frozen
    assert (zero.value, zero.label) == (0.0, "x")
    assert not zero.hidden.any()
    zero = make_zero(Node(1.0))
    assert zero == Node(0.0, None)
    annotation = make_zero(ec.Duplicated(1.0, 2.0))
    assert (annotation.val, annotation.dval) == (0.0, 0.0)


def test_dicts_keep_keys_and_class():
    key = (1.0, 2.0)
    x = {key: 3.0, "a": "b"}
    zero = make_zero(x)
    assert zero == {key: 0.0, "a": "b"}
    assert next(iter(zero)) is key
    assert type(make_zero(OrderedDict(a=1.0))) is OrderedDict
    zero = make_zero(defaultdict(float, a=1.0))
    assert zero["missing"] == 0.0


def test_unset_fields_stay_unset():
    x = Slotted()
    x.first = 2.0
    zero = make_zero(x)
    assert zero.first == 0.0
    assert not hasattr(zero, "second")
    objects = np.empty(2, object)
    objects[0] = 3.0
    assert list(make_zero(objects)) == [0.0, None]


def test_aliasing_and_cycles():
    x = np.ones(3)
    zero = make_zero({"a": x, "b": (x, x[:])})
    assert zero["a"] is zero["b"][0]
    assert np.shares_memory(zero["a"], zero["b"][1])
    cycle: list[Any] = [1.0]
    cycle.append((cycle, 2.0))
    zero = make_zero(cycle)
    assert zero is not cycle
    assert zero[1][0] is zero
    assert zero[1][1] == 0.0
    node = Node(1.0)
    node.next = node
    assert make_zero(node).next.next.value == 0.0
    only_itself: list[Any] = []
    only_itself.append(only_itself)
    zero = make_zero(only_itself)
    assert zero is not only_itself
    assert zero[0] is zero


def test_structured_arrays_keep_integers():
    dtype = np.dtype([("x", "f8", (2,)), ("n", "i4"), ("in", [("y", "c8"), ("m", "i8")])])
    x = np.ones(3, dtype)
    zero = make_zero(x)
    assert not zero["x"].any()
    assert not zero["in"]["y"].any()
    assert zero["n"].all()
    assert zero["in"]["m"].all()
    assert x["x"].all()
    record = make_zero(x[0])
    assert record["n"] == 1
    assert not record["x"].any()
    make_zero_inplace(x)
    assert not x["x"].any()
    assert x["n"].all()


def test_memo():
    x = np.ones(2)
    mine = np.zeros(2)
    seen = {id(x): mine}
    assert make_zero(tuple, seen, (x, 1.0))[0] is mine
    seen = {}
    first = make_zero(typeof(x), seen, x)
    assert make_zero(list, seen, [x])[0] is first
    with pytest.raises(TypeError, match="float64"):
        make_zero(int, {}, 1.0)
    with pytest.raises(TypeError, match="takes"):
        make_zero(1.0, {}, 1.0)


def test_registered_leaves_win():
    class Money:
        def __init__(self, amount):
            self.amount = amount

    @make_zero.register(Money)
    def zero_money(x):
        return Money(-0.5)

    try:
        assert make_zero([Money(2.0)])[0].amount == -0.5
        assert make_zero((Money(2.0), "a"))[0].amount == -0.5
        held = [Money(1.0)]
        make_zero_inplace(held)
        assert held[0].amount == -0.5
        with pytest.raises(ec.ImmutableZeroError):
            make_zero_inplace((Money(1.0),))
        make_zero.register(Money, zero_money, inplace=lambda x: setattr(x, "amount", 0.0))
        money = Money(3.0)
        make_zero_inplace((money,))
        assert money.amount == 0.0
    finally:
        make_zero.unregister(Money)


# --- in place --------------------------------------------------------------------------------


def test_inplace():
    x = [3.4, "foo"]
    assert make_zero_inplace(x) is None
    assert x == [0.0, "foo"]
    array, ints, inner = np.ones(2), np.ones(2, int), [1.0]
    x = (array, ints, inner, {"a": (1.0, array, "b")})
    make_zero_inplace(x)
    assert not array.any()
    assert ints.all()
    assert inner == [0.0]
    assert x[3]["a"][0] == 0.0
    assert x[3]["a"][1] is array
    node = Node(1.0)
    node.next = node
    make_zero_inplace(node)
    assert node.value == 0.0
    assert node.next is node
    frozen = [Frozen(1.0, hidden=array)]
    make_zero_inplace(frozen)
    assert frozen[0].value == 0.0
    assert frozen[0].hidden is array
    make_zero_inplace(function)
    make_zero_inplace(([0.0, 1.0], [0, 1], ["a"]))


@pytest.mark.parametrize(
    ("x", "path"),
    [
        (1.0, ""),
        ((1.0,), "[0]"),
        (([1.0], (2.0,)), "[1][0]"),
        (Frozen(1.0), ".value"),
        (Point([1.0], 2j), ".b"),
    ],
)
def test_inplace_refuses_immutable_leaves_before_it_writes(x, path):
    before = copy.deepcopy(x)
    with pytest.raises(ec.ImmutableZeroError, match="use make_zero") as caught:
        make_zero_inplace(x)
    assert isinstance(caught.value, ValueError)
    assert caught.value.path == path
    assert x == before
    remake_zero_inplace(x)


def test_remake():
    x = (2.0, [4.5])
    remake_zero_inplace(x)
    assert x == (2.0, [0.0])


def test_inplace_shares_its_memo():
    seen: dict[Any, Any] = {}
    x = np.ones(2)
    make_zero_inplace(x, seen)
    x[:] = 1
    make_zero_inplace([x], seen)
    assert x.all()


VALUES = st.recursive(
    st.one_of(st.floats(), st.integers(), st.text(max_size=2), st.just(None)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(inner, inner),
        st.dictionaries(st.text(max_size=1), inner, max_size=2),
        st.builds(Node, inner, inner),
        st.builds(Frozen, inner),
    ),
    max_leaves=8,
)


@given(VALUES)
def test_zero_is_congruent_and_stays_zero(x):
    zero = make_zero(x)
    assert ec.congruent(x, zero)
    again = make_zero(zero)
    assert repr(again) == repr(zero)
    held = [copy.deepcopy(x)]
    make_zero_inplace(held)
    assert repr(held[0]) == repr(zero)


# --- unit directions -------------------------------------------------------------------------


def test_onehot_of_arrays():
    x = np.ones((2, 2), np.float32)
    found = onehot(x)
    assert len(found) == 4
    assert all(same(e.ravel(), np.eye(4, dtype=np.float32)[k]) for k, e in enumerate(found))
    fortran = np.ones((2, 3), order="F")
    assert onehot(fortran)[1][0, 1] == 1
    assert onehot(fortran)[1].flags.f_contiguous
    view = np.ones(6)[::2]
    ec.BatchDuplicated(view, onehot(view))
    assert onehot(np.zeros(0)) == ()
    assert same(onehot(np.ones(3), 1, 3), tuple(np.eye(3)[1:]))
    with pytest.raises(ec.BatchSizeError):
        onehot(np.ones(3), 2, 5)


def test_onehot_of_tuples_and_numbers():
    assert same(onehot((1.0, np.float32(2))), ((1.0, np.float32(0)), (0.0, np.float32(1))))
    assert onehot(()) == ()
    assert same(onehot(5.0), (1.0,))
    assert same(onehot(np.float32(5)), (np.float32(1),))
    assert same(onehot(typeof((5.0, np.float32(2)))), onehot((5.0, np.float32(2))))
    assert same(onehot(typeof(2.0)), (1.0,))
    assert onehot(Point(1.0, 2.0, 3.0))[1] == Point(0.0, 1.0, 0.0)
    assert onehot(typeof(Point(1.0, 2.0, 3.0)))[2] == Point(0.0, 0.0, 1.0)
    for x in ("text", (1.0, "a"), None):
        with pytest.raises(ec.ActivityError):
            onehot(x)


def test_chunkedonehot():
    x = np.ones(5)
    assert [len(chunk) for chunk in ec.chunkedonehot(x, 2)] == [2, 2, 1]
    assert same(tuple(e for chunk in ec.chunkedonehot(x, 2) for e in chunk), onehot(x))
    assert ec.chunkedonehot(2.0, 3) == ((1.0,),)
    for chunk in (0, -1, True, 1.5):
        with pytest.raises(ec.BatchSizeError, match="chunk"):
            ec.chunkedonehot(x, chunk)
