"""Jitclass instances and records as arguments: their shadows, and mistakes with them."""

from __future__ import annotations

import numpy as np
import pytest
from numba import boolean, deferred_type, float32, float64, int64, njit, optional
from numba.experimental import jitclass

from enzyme import (
    Active,
    BatchMixedDuplicated,
    Const,
    Duplicated,
    Forward,
    MixedDuplicated,
    Reverse,
    ReverseSplitWithPrimal,
    autodiff,
    autodiff_thunk,
    gradient,
    make_zero,
    typeof,
)
from enzyme.errors import ActivityError, ShadowLayoutError, ShadowTypeError
from enzyme_testutils import check_adjoint, test_forward, test_reverse
from tests.memory.test_memory_programs import assert_flat


@jitclass([("w", float64[:]), ("c", float64), ("calls", int64)])
class Layer:
    def __init__(self, w, c):
        self.w = w
        self.c = c
        self.calls = 0

    def run(self, x):
        self.calls += 1
        return (self.w * x).sum() * self.c

    def scale(self, a):
        self.w *= a
        self.c = self.c * a

    @property
    def total(self):
        return self.w.sum() + self.c

    @property
    def gain(self):
        return self.c

    @gain.setter
    def gain(self, value):
        self.c = value * value

    @staticmethod
    def square(x):
        return x * x

    def __getitem__(self, i):
        return self.w[i]


@jitclass([("layer", Layer.class_type.instance_type), ("k", float32), ("on", boolean)])
class Network:
    def __init__(self, layer, k):
        self.layer = layer
        self.k = k
        self.on = True

    def run(self, x):
        return self.layer.run(x) * self.k if self.on else 0.0


node_type = deferred_type()


@jitclass([("v", float64), ("next", optional(node_type))])
class Node:
    def __init__(self, v, next):
        self.v = v
        self.next = next


node_type.define(Node.class_type.instance_type)


def layer(scale=1.0):
    return Layer(scale * np.array([1.0, 2.0, 3.0]), scale * 2.0)


@njit
def run(m, x):
    return m.run(x)


def test_adjoints_of_the_fields():
    m = layer()
    dm = make_zero(m)
    assert autodiff(Reverse, run, Active, Duplicated(m, dm), Active(3.0)) == ((None, 12.0),)
    np.testing.assert_array_equal(dm.w, [6.0, 6.0, 6.0])
    assert (dm.c, m.calls) == (18.0, 1)


def test_a_constant_instance():
    m = layer()
    assert autodiff(Reverse, run, Active, Const(m), Active(3.0)) == ((None, 12.0),)
    assert m.calls == 1


def everything(m, x):
    m.scale(x)
    m.gain = m.gain * x
    return m.total * m[1] * m.square(x) + m.c


def test_methods_properties_and_operators():
    test_forward(everything, Duplicated, (layer(), Duplicated), (1.5, Duplicated))
    test_reverse(everything, Active, (layer(), Duplicated), (1.5, Active))
    check_adjoint(everything, Active, (layer(), Duplicated), (1.5, Active))


def test_an_instance_in_an_instance():
    n = Network(layer(), np.float32(4.0))
    dn = make_zero(n)
    result = autodiff(Reverse, lambda n, x: n.run(x), Active, Duplicated(n, dn), Active(3.0))
    assert result == ((None, 48.0),)
    np.testing.assert_array_equal(dn.layer.w, [24.0, 24.0, 24.0])
    assert (dn.layer.c, dn.k) == (72.0, 36.0)


def test_a_linked_structure():
    """Every node's shadow gets an adjoint of its own."""

    def product(node, x):
        s = node.v * x
        while node.next is not None:
            node = node.next
            s *= node.v * x
        return s

    n = Node(1.0, Node(2.0, Node(3.0, None)))
    d = Node(0.0, Node(0.0, Node(0.0, None)))
    assert autodiff(Reverse, product, Active, Duplicated(n, d), Active(1.5)) == ((None, 40.5),)
    assert (d.v, d.next.v, d.next.next.v) == (20.25, 10.125, 6.75)


def test_a_field_gets_another_array():
    def replace(m, y):
        m.w = y * 2
        return m.total

    m, y = layer(), np.ones(3)
    dm, dy = make_zero(m), np.zeros(3)
    autodiff(Reverse, replace, Active, Duplicated(m, dm), Duplicated(y, dy))
    np.testing.assert_array_equal(dy, [2.0, 2.0, 2.0])
    np.testing.assert_array_equal(m.w, [2.0, 2.0, 2.0])
    assert dm.c == 1.0


@njit
def made_inside(w, x, bad):
    m = Layer(w, x)
    m.scale(2.0)
    layers = [Layer(w, x)]
    if bad:
        raise ValueError("bad")
    return m.run(x) * m.total * layers[0].c


def test_instances_made_inside():
    test_reverse(made_inside, Active, (np.ones(3), Duplicated), (3.0, Active), False)


@pytest.mark.parametrize("bad", [False, True])
def test_nothing_is_kept(bad):
    w, dw = np.ones(3), np.zeros(3)

    def call():
        try:
            autodiff(Reverse, made_inside, Active, Duplicated(w, dw), Active(3.0), Const(bad))
        except ValueError:
            assert bad

    assert_flat(call)


def test_its_own_shadow():
    m = layer()
    with pytest.raises(ActivityError, match="argument 0 is its own shadow"):
        autodiff(Reverse, run, Active, Duplicated(m, m), Active(3.0))
    n = Network(m, np.float32(1.0))
    with pytest.raises(ActivityError, match=r"argument 0 at \.layer is its own shadow"):
        autodiff(Reverse, run, Active, Duplicated(n, Network(m, np.float32(0.0))), Active(3.0))


def test_a_field_that_no_longer_fits():
    m = layer()
    annotation = Duplicated(m, make_zero(m))
    autodiff(Reverse, run, Active, annotation, Active(3.0))
    m.w = np.ones(100)
    for _ in range(2):
        with pytest.raises(ShadowLayoutError, match=r"at \.w .*shape"):
            autodiff(Reverse, run, Active, annotation, Active(3.0))


def test_a_shorter_linked_structure():
    with pytest.raises(ShadowTypeError, match=r"\.next"):
        Duplicated(Node(1.0, Node(2.0, None)), Node(0.0, None))


# --- records -----------------------------------------------------------------------------------

RECORD = np.dtype(
    [("a", float), ("n", int), ("b", np.float32, (3, 2)), ("s", [("u", complex), ("f", "S4")])]
)


def records():
    made = np.zeros(2, RECORD)
    made["a"], made["n"], made["s"]["u"] = [2, 3], [1, 2], [1 + 2j, 3 - 1j]
    made["b"] = np.arange(12).reshape(2, 3, 2) + 1
    return made


def of_record(r, x):
    r.a *= x
    return r.a * r.b[1, 1] * r.n * r.s.u.real


def test_the_shadow_of_a_record():
    x, dx = records(), np.zeros(2, RECORD)
    result = autodiff(Reverse, of_record, Active, Duplicated(x[1], dx[1]), Active(2.0))
    assert result == ((None, 180.0),)
    assert (x[1]["a"], dx[1]["a"], dx[1]["b"][1, 1], dx[1]["s"]["u"]) == (6.0, 120.0, 36.0, 120.0)
    assert not dx[0]["a"]


def test_the_tangent_of_a_record():
    x, dx = records(), np.zeros(2, RECORD)
    dx[1]["a"] = 1.0
    arguments = Duplicated(x[1], dx[1]), Duplicated(2.0, 0.0)
    assert autodiff(Forward, of_record, Duplicated, *arguments) == (360.0, 120.0)
    assert dx[1]["a"] == 2.0


def test_a_record_in_a_tuple():
    x, dx, y, dy = records(), np.zeros(2, RECORD), np.ones(2), np.zeros(2)
    arguments = Duplicated((x[1], y), (dx[1], dy)), Active(2.0)
    result = autodiff(Reverse, lambda t, x: t[0].a * t[1][0] * x, Active, *arguments)
    assert (result, dx[1]["a"], dy[0]) == (((None, 3.0),), 2.0, 6.0)


def test_records_in_a_tuple():
    """Nothing but records; the shadows of some are records of their own, not of an array."""
    x, dx = records(), np.zeros(2, RECORD)
    shadows = {"parts of an array": (dx[0], dx[1]), "alone": make_zero((x[0], x[1]))}
    for shadow in shadows.values():
        arguments = Duplicated((x[0], x[1]), shadow), Active(2.0)
        result = autodiff(Reverse, lambda t, x: t[0].a * t[1].a * x, Active, *arguments)
        assert (result, shadow[0]["a"], shadow[1]["a"]) == (((None, 6.0),), 6.0, 4.0)


def test_a_record_beside_numbers():
    """Of a record nothing is returned: its adjoint is in its shadow."""

    def product(p, y):
        return p[0].a * p[1] * p[2][0].a * y

    x = records()
    given = (x[0], 3.0, (x[1],))
    found, dy = gradient(Reverse, product, given, 2.0)
    assert (found[0]["a"], found[1], found[2][0]["a"], dy) == (18.0, 12.0, 12.0, 18.0)
    for width in (1, 2):
        refs = [[make_zero(given)] for _ in range(width)]
        marked = (
            MixedDuplicated(given, refs[0])
            if width == 1
            else BatchMixedDuplicated(given, tuple(refs))
        )
        autodiff(Reverse, product, Active, marked, Const(2.0))
        for ref in refs:
            assert (ref[0][0]["a"], ref[0][1], ref[0][2][0]["a"]) == (18.0, 12.0, 12.0)


def test_thunks_take_records():
    def product(r, p, y):
        return r.a * p[0].a * y

    x, dx, dz = records(), np.zeros(2, RECORD), np.zeros(2, RECORD)
    annotated = Duplicated(x[0], dx[0]), Duplicated((x[1],), (dz[1],)), Active(2.0)
    forward, reverse = autodiff_thunk(
        ReverseSplitWithPrimal, typeof(Const(product)), Active, *map(typeof, annotated)
    )
    tape, primal, _ = forward(Const(product), *annotated)
    assert primal == 12.0
    assert reverse(Const(product), *annotated, 1.0, tape) == ((None, None, 6.0),)
    assert (dx[0]["a"], dz[1]["a"]) == (6.0, 4.0)


def test_a_shadow_that_is_a_read_only_record():
    """Also when code is there that was made for one that is not."""

    def product(t, x):
        return t[0].a * t[1].a * x

    def plain(r, x):
        return r.a * x

    x, dx = records(), np.zeros(2, RECORD)
    autodiff(Reverse, product, Active, Duplicated((x[0], x[1]), (dx[0], dx[1])), Active(2.0))
    autodiff(Reverse, plain, Active, Duplicated(x[0], dx[0]), Active(2.0))
    before = dx.copy()
    dx.flags.writeable = False
    with pytest.raises(ShadowLayoutError, match=r"shadow at \[0\] is a read-only"):
        autodiff(Reverse, product, Active, Duplicated((x[0], x[1]), (dx[0], dx[1])), Active(2.0))
    with pytest.raises(ShadowLayoutError, match="the shadow is a read-only"):
        autodiff(Reverse, plain, Active, Duplicated(x[0], dx[0]), Active(2.0))
    assert dx.tobytes() == before.tobytes()


def test_a_record_is_no_shadow_of_itself_or_of_another_kind():
    x = records()
    with pytest.raises(ActivityError, match="its own shadow"):
        autodiff(Reverse, of_record, Active, Duplicated(x[1], x[1]), Active(2.0))
    with pytest.raises(ShadowTypeError, match="dtype"):
        Duplicated(x[1], np.zeros(1, [("a", float)])[0])
