"""Values as vectors of floats: order, types, layout, aliasing."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as hnp
from numba import float64, int64
from numba.experimental import jitclass
from numba.typed import Dict, List

from enzyme_testutils import to_vec
from enzymecore.copying import assign, copied

Point = namedtuple("Point", "x y")


@dataclass
class Node:
    value: float
    next: object = None


@dataclass(frozen=True)
class Frozen:
    weight: np.ndarray
    name: str = "w"


@jitclass([("a", float64[:]), ("b", float64), ("n", int64)])
class Held:
    def __init__(self, a, b, n):
        self.a, self.b, self.n = a, b, n


RECORD = np.dtype([("a", "f4"), ("n", "i4"), ("c", "c16", (2,))])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1.5, [1.5]),
        (np.float32(1.5), [1.5]),
        (1.0 + 2.0j, [1, 2]),
        (np.array([1 + 2j, 3 + 4j]), [1, 3, 2, 4]),
        (np.arange(4.0).reshape(2, 2, order="F"), [0, 2, 1, 3]),
        (np.arange(6.0)[::-2], [5, 3, 1]),
        (np.array(3.0), [3]),
        (np.zeros((0, 3)), []),
        (np.arange(3), []),
        ((1.0, 2, "three", None, [4.0, (5.0,)]), [1, 4, 5]),
        (Point(1.0, np.ones(2)), [1, 1, 1]),
        ({"b": 1.0, "a": [2.0]}, [1, 2]),
        (Frozen(np.ones(2)), [1, 1]),
        (np.array([(1.5, 7, (1 + 2j, 3 + 4j))], RECORD), [1.5, 1, 3, 2, 4]),
        (np.array([(1.5, 7, (1 + 2j, 3 + 4j))], RECORD)[0], [1.5, 1, 3, 2, 4]),
        (np.array([1.0, np.ones(2)], object), [1, 1, 1]),
        ((), []),
        (np.sin, []),
    ],
)
def test_order(value, expected):
    np.testing.assert_array_equal(to_vec(value)[0], expected)


def test_types_are_kept():
    value = (1.0, np.float32(2.0), 3, np.complex64(4j), True, np.ones(2, np.float32))
    made = to_vec(value)[1](np.arange(6.0))
    assert [type(x) for x in made] == [type(x) for x in value]
    assert made[:5] == (0.0, np.float32(1.0), 3, np.complex64(2 + 3j), True)
    np.testing.assert_array_equal(made[5], np.array([4, 5], np.float32))


def test_containers_are_kept():
    ordered, counted = OrderedDict(b=1.0, a=2.0), defaultdict(list, x=[1.0])
    made, other = to_vec((ordered, counted))[1]([5.0, 6.0, 7.0])
    assert made == OrderedDict(b=5.0, a=6.0) and type(made) is OrderedDict
    assert other == {"x": [7.0]} and other["new"] == []


def test_compiled_containers():
    floats, arrays = List([1.0, 2.0]), List([np.ones(1), np.zeros(2)])
    table = Dict.empty(int64, float64)
    table[3] = 4.0
    vector, rebuild = to_vec((floats, arrays, table, Held(np.ones(2), 3.0, 7)))
    np.testing.assert_array_equal(vector, [1, 2, 1, 0, 0, 4, 1, 1, 3])
    a, b, c, d = rebuild(np.arange(9.0))
    assert list(a) == [0, 1] and [x.tolist() for x in b] == [[2], [3, 4]] and dict(c) == {3: 5}
    assert d.a.tolist() == [6, 7] and (d.b, d.n) == (8.0, 7)


def test_what_is_shared_counts_once():
    x = np.arange(3.0)
    vector, rebuild = to_vec({"a": x, "b": [x, (x,)]})
    assert vector.tolist() == [0, 1, 2]
    made = rebuild([7.0, 8.0, 9.0])
    assert made["a"] is made["b"][0] is made["b"][1][0]


def test_overlapping_views_stay_so():
    x = np.arange(6.0).reshape(2, 3)
    vector, rebuild = to_vec((x[0], x[1:], x, x.T))
    assert vector.tolist() == [0, 1, 2, 3, 4, 5]
    row, rest, whole, turned = rebuild(vector * 10)
    np.testing.assert_array_equal(whole, 10 * x)
    whole[0, 1] = -1.0
    whole[1, 2] = -2.0
    assert row[1] == turned[1, 0] == -1.0 and rest[0, 2] == turned[2, 1] == -2.0


def test_repeated_elements_count_once():
    x = np.broadcast_to(np.arange(2.0), (3, 2))
    vector, rebuild = to_vec(x)
    assert vector.tolist() == [0, 1]
    made = rebuild([5.0, 6.0])
    assert made.strides == x.strides and made.tolist() == [[5, 6]] * 3
    z = np.array([1 + 2j, 3 + 4j])
    assert to_vec((z, z.real))[0].tolist() == [1, 2, 3, 4]
    with pytest.raises(ValueError, match="different size share memory"):
        to_vec((np.zeros(2), np.zeros(2).view(np.float32), x := np.zeros(2), x.view(np.float32)))


def test_cycles():
    node = Node(1.0)
    node.next = (node, [2.0])
    vector, rebuild = to_vec(node)
    assert vector.tolist() == [1, 2]
    made = rebuild([3.0, 4.0])
    assert made.value == 3.0 and made.next[0] is made and made.next[1] == [4.0]
    held = []
    held.append((held, 1.0))
    assert to_vec(held)[1]([2.0])[0][1] == 2.0


def test_unset_fields_stay_unset():
    node = Node.__new__(Node)
    node.value = 1.0
    made = to_vec(node)[1]([2.0])
    assert (made.value == 2.0 and not hasattr(made, "next")) or made.next is None


def test_later_changes_do_not_matter():
    x = [np.ones(2), 5]
    _, rebuild = to_vec(x)
    x[0][:] = 7.0
    x[1] = 6
    assert rebuild([1.0, 2.0])[1] == 5
    first, second = rebuild([1.0, 2.0]), rebuild([3.0, 4.0])
    assert first[0].tolist() == [1, 2] and second[0].tolist() == [3, 4]


def test_wrong_length():
    with pytest.raises(ValueError, match=r"\(2,\) is needed, not \(3,\)"):
        to_vec(np.ones(2))[1](np.ones(3))


@given(
    hnp.arrays(np.float64, hnp.array_shapes(max_dims=3, max_side=4), elements={"allow_nan": False})
)
def test_layout_is_kept(x):
    for view in (x, x.T, x[::-1], x[..., ::2], np.asfortranarray(x)):
        vector, rebuild = to_vec(view)
        made = rebuild(vector)
        assert made.strides == view.strides and made.dtype == view.dtype
        np.testing.assert_array_equal(made, view)


def test_read_only_stays_so():
    x = np.ones(2)
    x.flags.writeable = False
    made = to_vec(x)[1]([1.0, 2.0])
    assert not made.flags.writeable and made.tolist() == [1, 2]


def test_copies_share_nothing_with_the_original():
    numbers, ints = np.ones(2), np.arange(3)
    value = {"a": [numbers, ints], "n": ints}
    made = copied(value)
    made["a"][0][:] = 5.0
    made["n"][:] = 9
    assert numbers.tolist() == [1, 1] and ints.tolist() == [0, 1, 2]
    assert made["a"][1] is made["n"]


def test_assign_writes_in_place():
    x, node = np.zeros(2), Node(0.0, [0.0])
    held = Held(np.zeros(1), 0.0, 1)
    made = assign(
        (x, 0.0, node, held, {"k": 0.0}),
        (np.ones(2), 2.0, Node(3.0, [4.0]), Held(np.ones(1), 5.0, 1), {"k": 6.0}),
    )
    assert made[0] is x and x.tolist() == [1, 1] and made[1] == 2.0
    assert node.value == 3.0 and node.next == [4.0]
    assert held.a.tolist() == [1] and held.b == 5.0 and made[4] == {"k": 6.0}
