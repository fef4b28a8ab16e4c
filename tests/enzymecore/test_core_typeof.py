"""Type descriptors and activity states, without the compiler."""

import enum
import math
import pickle
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import enzymecore as ec
from enzymecore import ActiveState, AnyState, DupState, MixedState, typeof
from enzymecore.activity_state import active_register_state


class Point(NamedTuple):
    x: Any
    y: Any


@dataclass(frozen=True)
class Frozen:
    x: Any


@dataclass
class Mutable:
    x: Any


class Plain:
    def __init__(self, x):
        self.x = x


class Slotted:
    __slots__ = ("__hidden", "shown")

    def __init__(self, x):
        self.__hidden = x


class Weight(float, enum.Enum):
    ONE = 1.0


class Color(enum.Enum):
    RED = 1


def label(x):
    """A name for a case that is the same in every process."""
    return repr(x).partition(" at 0x")[0][:30]


def function():
    return 1.0


RECORD = np.dtype([("x", "f8"), ("n", "i4")])
VALUES = [
    1.0,
    1,
    True,
    1j,
    "a",
    None,
    b"x",
    np.float32(1),
    np.int8(1),
    np.zeros(3),
    np.zeros((2, 2), order="F"),
    np.zeros(6)[::2],
    np.zeros(2, RECORD),
    np.zeros(2, RECORD)[0],
    (1.0, 2),
    (),
    Point(1.0, "b"),
    Frozen(1.0),
    Mutable(1.0),
    [1.0, 2.0],
    [],
    [1.0, "a"],
    {"a": 1.0},
    {1.0},
    int,
    np.dtype("f4"),
    function,
    math.sin,
    np.sin,
    Color.RED,
]


@pytest.mark.parametrize("x", VALUES, ids=label)
def test_descriptors_are_hashable_and_picklable(x):
    described = typeof(x)
    assert described == typeof(x)
    assert hash(described) == hash(typeof(x))
    copy = pickle.loads(pickle.dumps(described))
    assert copy == described
    assert hash(copy) == hash(described)
    assert isinstance(repr(described), str)
    with pytest.raises(AttributeError):
        described._key = ()


def test_all_descriptors_differ():
    found = [typeof(x) for x in VALUES]
    # An empty list and a list of mixed content are both just lists.
    assert typeof([]) == typeof([1.0, "a"])
    assert len(set(found)) == len(found) - 1


def test_python_and_numpy_scalars():
    assert typeof(1.0) == typeof(np.float64(1))
    assert typeof(1) == typeof(np.int64(1))
    assert typeof(True) == typeof(np.True_)
    assert typeof(1j) == typeof(np.complex128(1j))
    assert typeof(1) != typeof(True) != typeof(1.0)


def test_arrays_give_dtype_ndim_layout_but_not_shape():
    assert typeof(np.zeros(3)) == typeof(np.zeros(5))
    assert typeof(np.zeros((2, 3))) != typeof(np.zeros(6))
    assert typeof(np.zeros((2, 3))) != typeof(np.zeros((2, 3), order="F"))
    assert typeof(np.zeros((2, 3))).layout == "C"
    assert typeof(np.zeros((2, 3))[:, ::2]).layout == "A"
    assert typeof(np.zeros((2, 3))).ndim == 2
    assert repr(typeof(np.zeros(()))) == "float64[()]"


def test_functions_and_classes():
    assert typeof(function) is typeof(function)
    assert typeof(function).function is function
    assert typeof(function) != typeof(lambda: 1.0)
    assert repr(typeof(int)) == "type[int]"
    assert typeof(np.dtype("f8")) == typeof(np.float64)


def test_typeof_of_annotations():
    assert typeof(ec.Duplicated(1.0, 2.0)) is ec.Duplicated[float]
    nested = ec.Duplicated(ec.Duplicated(1.0, 2.0), ec.Duplicated(1.0, 2.0))
    assert typeof(nested) is ec.Duplicated[ec.Duplicated[float]]


def test_cycles_end():
    x: list[Any] = [1.0]
    x.append((x, 2.0))
    assert isinstance(typeof(x), ec.ListType)


STATES = [
    (1.0, ActiveState),
    (1j, ActiveState),
    (np.float32(1), ActiveState),
    ((np.float32(1), np.float32(1), 3), ActiveState),
    (Point(1.0, 2), ActiveState),
    (Frozen(1.0), ActiveState),
    (np.zeros(3), DupState),
    (np.array(1.0), DupState),
    (np.array([None], object), DupState),
    (np.zeros(2, RECORD), DupState),
    ([1.0], DupState),
    ({}, DupState),
    (Mutable(1.0), DupState),
    (Plain([1.0]), DupState),
    (Slotted(1.0), DupState),
    ((np.zeros(3), "a"), DupState),
    ((1.0, np.zeros(3)), MixedState),
    (Frozen((1.0, [1.0])), MixedState),
    (1, AnyState),
    ("a", AnyState),
    (None, AnyState),
    ((), AnyState),
    (np.zeros(3, int), AnyState),
    (slice(1, 2), AnyState),
    (function, AnyState),
    (int, AnyState),
    (Color.RED, AnyState),
    (Weight.ONE, AnyState),
    (Plain(1), AnyState),
    (Mutable("a"), AnyState),
]


@pytest.mark.parametrize(("x", "state"), STATES, ids=label)
def test_state_of_values(x, state):
    assert active_register_state(x) is state


@pytest.mark.parametrize(("x", "state"), STATES[:16] + STATES[17:28], ids=label)
def test_state_of_types_agrees(x, state):
    assert active_register_state(typeof(x)) is state


def test_states_combine():
    assert AnyState | DupState is DupState
    assert ActiveState | DupState is MixedState
    assert MixedState | AnyState is MixedState


def test_inactive_declaration():
    x = Mutable([1.0])
    assert active_register_state(x) is DupState
    ec.declare_kind(Mutable, ec.Kind.INACTIVE)
    try:
        assert active_register_state(x) is AnyState
        assert active_register_state(typeof(x)) is AnyState
        assert ec.make_zero(x) is x
    finally:
        ec.declare_kind(Mutable, None)
    assert active_register_state(x) is DupState
