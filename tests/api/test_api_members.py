"""Gradients with respect to containers of which the function exchanges, adds or takes out members; shared members."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import pytest
from numba import njit, types
from numba.experimental import jitclass
from numba.typed import Dict, List

from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    Reverse,
    ReverseWithPrimal,
    autodiff,
    gradient,
    gradient_inplace,
    jacobian,
    make_zero,
)
from enzyme.errors import ActivityError, ShadowLayoutError

pytestmark = pytest.mark.rotating(21)


@jitclass([("w", types.float64[:]), ("b", types.float64)])
class Layer:
    def __init__(self, w, b):
        self.w = w
        self.b = b


LAYER = Layer.class_type.instance_type


@jitclass([("first", LAYER), ("second", LAYER)])
class Net:
    def __init__(self, first, second):
        self.first = first
        self.second = second


Pair = namedtuple("Pair", "items weight")


def array(*values):
    return np.array(values)


def numbers():
    return List([1.0, 2.0, 5.0])


def arrays():
    return List([array(1.0, 2.0), array(3.0, 4.0)])


def layer():
    return Layer(array(1.0, 2.0), 0.5)


def dictionary():
    made = Dict.empty(types.int64, types.float64)
    made[1], made[2] = 3.0, 5.0
    return made


def table():
    made = Dict.empty(types.int64, types.float64[::1])
    made[1], made[2] = array(1.0, 2.0), array(3.0, 4.0)
    return made


def field_replaced(x, y):
    x.w = x.w * y
    x.b *= y
    return (x.w * x.w).sum() + x.b


def fields_exchanged(x, y):
    x.first, x.second = x.second, x.first
    return x.first.w[0] * y + 2 * x.second.b


def entry_replaced(x, y):
    x[0] = x[0] * y
    return (x[0] * x[1]).sum()


def entries_exchanged(x, y):
    x[0], x[1] = x[1], x[0]
    return x[0][0] * y + 2 * x[1][1]


def in_tuple(x, y):
    x.items[0] = x.items[0] * y
    return (x.items[0] * x.items[1]).sum() * x.weight


def appended(x, y):
    for k in range(20):
        x.append(x[k] * y)
    return x[0] * x[1] + x[3]


def inserted(x, y):
    x.insert(0, y)
    return x[0] * x[1] * x[2]


def taken_and_put_back(x, y):
    last = x.pop()
    x.append(last * y)
    return last * x[2]


def key_added(x, y):
    for k in range(3, 60):
        x[k] = x[1] * y
    return x[1] * x[2] + x[40]


def key_removed_and_put_back(x, y):
    x[2] = x.pop(2) * y
    return x[2] * y


def array_replaced(x, y):
    x[1] = x[1] * y
    x[7] = x[2] * 2.0
    return (x[1] * x[7]).sum()


def flat(x: Any) -> list[Any]:
    """The numbers in a value."""
    if isinstance(x, Layer):
        return [*x.w.tolist(), x.b]
    if isinstance(x, Net):
        return [flat(x.first), flat(x.second)]
    if isinstance(x, Dict):
        return [[key, flat(value)] for key, value in x.items()]
    if isinstance(x, float):
        return x  # type: ignore[return-value]
    return x.tolist() if isinstance(x, np.ndarray) else [flat(part) for part in x]


TABLE = [
    (field_replaced, layer, [18.0, 36.0, 3.0]),
    (fields_exchanged, lambda: Net(layer(), layer()), [[0.0, 0.0, 2.0], [3.0, 0.0, 0.0]]),
    (entry_replaced, arrays, [[9.0, 12.0], [3.0, 6.0]]),
    (entries_exchanged, arrays, [[0.0, 2.0], [3.0, 0.0]]),
    (in_tuple, lambda: Pair(arrays(), 2.0), [[[18.0, 24.0], [6.0, 12.0]], 33.0]),
    (appended, numbers, [5.0, 1.0, 0.0]),
    (inserted, numbers, [6.0, 3.0, 0.0]),
    (taken_and_put_back, numbers, [0.0, 0.0, 30.0]),
    (key_added, dictionary, [[1, 8.0], [2, 3.0]]),
    (key_removed_and_put_back, dictionary, [[1, 0.0], [2, 9.0]]),
    (array_replaced, table, [[1, [18.0, 24.0]], [2, [6.0, 12.0]]]),
]


@pytest.mark.parametrize(("function", "make", "expected"), TABLE)
def test_members_of_the_derivative_are_those_that_were_given(function, make, expected):
    x = make()
    before = flat(x)
    assert flat(gradient(Reverse, njit(function), x, 3.0)[0]) == expected
    assert flat(x) == before


@pytest.mark.parametrize("chunk", [None, 1])
@pytest.mark.parametrize(("function", "make", "expected"), TABLE)
def test_members_of_every_row(function, make, expected, chunk):
    compiled = njit(function)

    @njit
    def twice(x, y):
        value = compiled(x, y)
        return np.array([value, 2.0 * value])

    blocks = jacobian(Reverse, twice, make(), 3.0, chunk=chunk)[0]
    first, second = zip(*blocks, strict=True) if isinstance(blocks, Pair) else blocks
    assert flat(first) == expected
    assert flat(second) == doubled(expected)


def test_rows_have_no_place_for_what_is_taken_out():
    with pytest.raises(ShadowLayoutError, match="takes entries out of the list argument 0"):
        jacobian(Reverse, njit(lambda x: np.array([x.pop(), x[0]])), numbers())


def doubled(x: Any) -> Any:
    """The same with every number twice as large; keys are whole numbers."""
    return list(map(doubled, x)) if isinstance(x, list) else 2.0 * x if isinstance(x, float) else x


def test_in_place():
    dx = make_zero(arrays())
    assert gradient_inplace(Reverse, dx, njit(lambda x: entry(x)), arrays()) is dx
    assert flat(dx) == [[9.0, 12.0], [3.0, 6.0]]


@njit
def entry(x):
    x[0] = x[0] * 3.0
    return (x[0] * x[1]).sum()


def popped(x, y):
    return x.pop() * y


def cleared(x, y):
    total = x[0] * y
    x.clear()
    return total


def key_removed(x, y):
    return x.pop(2) * y


def key_comes_again(x, y):
    old = x.pop(2)
    x[3] = old * y
    x[2] = old * y
    return x[2] * y


@pytest.mark.parametrize(
    ("function", "make"),
    [
        (popped, numbers),
        (cleared, numbers),
        (key_removed, dictionary),
        (key_comes_again, dictionary),
    ],
)
def test_what_is_taken_out_has_no_derivative(function, make):
    with pytest.raises(ShadowLayoutError, match="takes entries out of") as caught:
        gradient(Reverse, njit(function), make(), 3.0)
    assert "x = x.copy()" in str(caught.value)
    plain = njit(function)
    on_copy = njit(lambda x, y: plain(x.copy(), y))
    found = flat(gradient(Reverse, on_copy, make(), 3.0)[0])
    by_hand = {
        popped: [0.0, 0.0, 3.0],
        cleared: [3.0, 0.0, 0.0],
        key_removed: [[1, 0.0], [2, 3.0]],
        key_comes_again: [[1, 0.0], [2, 9.0]],
    }
    assert found == by_hand[function]


# One object in several places ---------------------------------------------------------------------


def one_layer_twice():
    one = layer()
    return Net(one, one)


def one_list_twice():
    one = List([2.0])
    return List([one, one])


@njit
def through_the_other_field(x, y):
    x.first.b = y * y
    return x.second.b * y


@njit
def through_the_other_entry(x, y):
    x[0][0] = y * y
    return x[1][0] * y


@pytest.mark.parametrize(
    ("function", "make"),
    [(through_the_other_field, one_layer_twice), (through_the_other_entry, one_list_twice)],
)
def test_one_object_in_two_places(function, make):
    found = gradient(ReverseWithPrimal, function, make(), 3.0)
    assert (found.val, found.derivs[1]) == (27.0, 27.0)
    x = make()
    assert autodiff(Reverse, function, Active, Duplicated(x, make_zero(x)), Active(3.0))[0][1] == 27


@njit
def write_array(o, x, y):
    x[0] = y * y
    return o[0][0] * x[1]


@njit
def write_entry(o, x, y):
    o[0][0] = y * y
    return x[0] * x[1]


@njit
def write_field(o, x, y):
    o.w[0] = y * y
    return x[0] * x[1]


@njit
def only_read(o, x, y):
    return o[0][0] * x[1] * y


@njit
def write_behind_tuple(o, x, y):
    x[0] = y * y
    return o[0][0][0] * x[1]


@njit
def write_integers(o, x, y):
    x[0] = y * y
    return x[1] * (o[0] % 2)


def keyed(x):
    made = Dict.empty(types.int64, types.float64[::1])
    made[0] = x
    return made


SHARING = [
    (write_array, lambda x: List([x])),
    (write_array, keyed),
    (write_array, lambda x: [x]),
    (write_entry, lambda x: List([x])),
    (write_field, lambda x: Layer(x, 0.0)),
    (write_behind_tuple, lambda x: List([(x, 1.0)])),
    (write_integers, lambda x: x.view(np.int64)),
]


@pytest.mark.parametrize(("function", "hold"), SHARING)
@pytest.mark.parametrize("mode", [Forward, Reverse])
def test_an_array_that_is_also_in_a_container(function, hold, mode):
    x = array(2.0, 3.0)
    y = Active(0.5) if mode is Reverse else Duplicated(0.5, 1.0)
    kind = (Active,) if mode is Reverse else ()
    held = hold(x)
    constant = function not in (write_entry, write_field)  # nothing active is written to constants
    given = Const(held) if constant else Duplicated(held, make_zero(held))
    with pytest.raises(ShadowLayoutError, match="share memory"):
        autodiff(mode, function, *kind, given, Duplicated(x, np.zeros(2)), y)


def test_two_shadows_of_an_array_that_is_twice_in_a_list():
    @njit
    def twice(o, y):
        o[0][0] = y * y
        return o[1][0] * o[1][1]

    x = array(2.0, 3.0)
    given, apart = List([x, x]), List([np.zeros(2), np.zeros(2)])
    with pytest.raises(ShadowLayoutError, match="share memory"):
        autodiff(Reverse, twice, Active, Duplicated(given, apart), Active(0.5))
    own = Duplicated(given, make_zero(given))
    assert autodiff(Reverse, twice, Active, own, Active(0.5))[0][1] == 3.0


def test_what_is_only_read_may_be_in_several_places():
    x, dx = array(2.0, 3.0), np.zeros(2)
    found = autodiff(Reverse, only_read, Active, Const(List([x])), Duplicated(x, dx), Active(0.5))
    assert (found[0][2], dx.tolist()) == (6.0, [0.0, 1.0])
    assert gradient(Reverse, only_read, List([x]), x, 0.5)[1].tolist() == [0.0, 1.0]


@pytest.mark.parametrize("mode", [Forward, Reverse])
def test_a_list_has_no_rows(mode):
    with pytest.raises(ActivityError, match="the Jacobian of a function that returns"):
        jacobian(mode, njit(lambda x: [x[0] * x[1], x[1]]), array(2.0, 3.0))


def test_a_shadow_that_is_not_checked_is_compared_beside_containers():
    @njit
    def scaled(items, x):
        total = 0.0
        for k in range(x.size):
            total += x[k] * items[0]
        return total

    x = np.ones(100)
    autodiff(Reverse, scaled, Active, Const(numbers()), Duplicated(x, np.zeros(100)))
    with pytest.raises(ShadowLayoutError):
        autodiff(Reverse, scaled, Active, Const(numbers()), Duplicated(x, np.zeros(2), False))
