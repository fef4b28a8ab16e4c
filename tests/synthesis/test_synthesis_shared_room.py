"""Values of branches of which one is taken are kept in the same room, and so are those of loops in such branches.

A table of branches and of what is around them is walked: reverse mode, with and without the primal, in split mode and
in batches, agrees with forward mode, and with the derivative for which every value has a room of its own.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from enzyme import (
    Active,
    Const,
    Reverse,
    compile_report,
    explain,
)
from enzyme.engine.analysis.cfg import ControlFlow
from enzyme.engine.analysis.dominance import Dominators
from enzyme.engine.analysis.loops import LoopForest
from enzyme.engine.ir.parser import parse_module
from enzyme.engine.synthesis.cache_layout import Home
from enzyme.engine.synthesis.cache_regions import Region
from enzyme.engine.synthesis.shared_room import SharedRoom
from tests.rotation import all_run
from tests.synthesis.around import (
    assert_batches_and_second_order,
    assert_modes_agree,
    duplicated,
    gradient_of,
    inputs_of,
    program,
)

pytestmark = pytest.mark.rotating(9)

# What is computed of `v`, which goes on, `a` and the whole number `q`.
BRANCHES = {
    "two ways": "if q % 2:\n    v = np.sin(v) * a\nelse:\n    v = np.exp(-v * v) + a",
    "three ways": (
        "if q % 3 == 0:\n    u = np.sin(v); v = u * u * a\nelif q % 3 == 1:\n    v = np.tanh(v) * a\n"
        "else:\n    u = np.cos(v * a); t = np.exp(-u); v = u * t"
    ),
    # An outer loop does not change what is kept, but takes the other branch.
    "of an element": (
        "if q % 2:\n    v = np.tanh(v * np.exp(-a * a)) + v\nelse:\n    v = np.sin(v * np.exp(np.sin(a)))"
    ),
    "one way": "if q % 2:\n    v = np.sin(v) * a\nv = np.tanh(v + a)",
    "by value": "if v > a:\n    v = np.sin(v) * a\nelif v > 0.0:\n    v = np.exp(-v) + a * v\nelse:\n    v = a * a",
    "nested": (
        "if q % 2:\n    u = np.sin(v)\n    if v > a:\n        v = u * np.exp(-v * v)\n    else:\n"
        "        v = u * np.cos(a * u)\n"
        "else:\n    if v > a:\n        v = np.tanh(v) * a\n    else:\n        v = np.sin(v * v) + a"
    ),
    "behind one another": (
        "if q % 2:\n    v = np.sin(v) * a\nelse:\n    v = np.tanh(v) + a\n"
        "if q % 3:\n    v = np.cos(v) * a\nelse:\n    v = np.exp(-v * v)"
    ),
    "loops in them": (
        "if q % 2:\n    for k in range(1 + q % 3):\n        v = np.sin(v) * w[k % 3]\n"
        "else:\n    u = np.exp(-v * v)\n    for k in range(2):\n        u = np.tanh(u * v) + w[k]\n    v = u"
    ),
    "loops of known lengths": (
        "if q % 2:\n    for k in range(w.size):\n        v = np.sin(v) * w[k]\n"
        "else:\n    u = v\n    for k in range(n):\n        for m in range(w.size):\n"
        "            u = np.tanh(u * v) + w[m] * y[k]\n    v = u"
    ),
    "loops that keep choices": (
        "if q % 3 == 0:\n    for k in range(n):\n        if v > a:\n            v = np.sin(v * y[k])\n"
        "        v = np.exp(-v * v) + a\n    for k in range(3):\n        v = np.cos(v * w[k])\n"
        "elif q % 3 == 1:\n    for k in range(w.size):\n        t = np.float32(v) * np.float32(w[k])\n"
        "        v = np.sin(t * t) * v\nelse:\n    for k in range(n):\n        v = np.tanh(v + y[k])\n"
        "for k in range(w.size):\n    v = np.sin(v + w[k])"
    ),
    "loops apart further in": (
        "for k in range(w.size):\n    v = np.cos(v)\n    if (q + k) % 2:\n        for m in range(n):\n"
        "            v = np.sin(v) * y[m]\n    else:\n        for m in range(w.size):\n"
        "            v = np.tanh(v * v + w[m])"
    ),
    "loops behind one another": (
        "if q % 2:\n    for k in range(n):\n        v = np.sin(v) * y[k]\n"
        "if q % 3:\n    for k in range(w.size):\n        v = np.tanh(v + w[k])\nelse:\n    for k in range(n):\n"
        "        v = np.cos(v * y[k])"
    ),
    "loops that are left": (
        "if q % 2:\n    for k in range(n):\n        v = np.sin(v) * y[k]\n        if v > 0.6:\n            break\n"
        "else:\n    for k in range(w.size):\n        v = np.exp(-v * v) + w[k]\n        if v < 0.1:\n"
        "            break"
    ),
    "loops of unknown length": (
        "if q % 2:\n    while v > 0.7:\n        v = np.sin(v) * 0.8\nelse:\n    while v < 0.2:\n"
        "        v = np.tanh(v) + a"
    ),
    "left early": "if v > a:\n    v = np.sin(v) * a\n    if q % 5 == 4:\n        break\nelse:\n    v = np.exp(-v) * a",
    "gone on": "if v > a:\n    v = np.sin(v) * a\n    s += v\n    continue\nv = np.exp(-v * v) + a",
    "lists": (
        "stack.append(v)\nif q % 3 == 0:\n    stack.append(a)\nelif q % 3 == 1:\n"
        "    stack.append(np.sin(stack.pop()) * a)\n"
        "else:\n    stack.append(stack.pop() * np.exp(-a))\nv = stack[-1]"
    ),
    "arrays": (
        "if q % 2:\n    r = w * v\n    r[0] = np.sin(r[1] * a)\n    v = r.sum()\n"
        "else:\n    r = np.empty(2)\n    r[:] = np.tanh(v)\n    v = r[0] * r[1] + a"
    ),
}

# What is around; {1} and {2} stand for the branches, so far to the right.
AROUND = {
    "a loop": "for i in range(n):\n    a = x[i]; q = i\n{1}\n    s += v * a",
    "two loops": "for o in range(w.size):\n    for i in range(n):\n        a = x[i]; q = i + o\n{2}\n        s += v",
    "a triangle": "for o in range(n):\n    for i in range(o):\n        a = x[i] * y[o]; q = i + o\n{2}\n    s += v",
    "numbers of the inner loop": (
        "for o in range(w.size):\n    for i in range(n):\n        a = x[i]; q = i + o; v = y[i]\n{2}\n"
        "        s += v * y[o]"
    ),
    "numbers of the outer loop": (
        "for o in range(n):\n    for i in range(w.size):\n        a = x[o]; q = i + o; v = y[o]\n{2}\n"
        "        s += v * y[i]"
    ),
    "a walk": "i = 0\nwhile i < n and s < 1e3:\n    a = x[i]; q = i; i += 1\n{1}\n    s += v * v * a",
    "a walk around": (
        "o = 0\nwhile o < w.size and s < 1e3:\n    for i in range(n):\n        a = x[i]; q = i + o\n{2}\n"
        "        s += v\n    o += 1"
    ),
    "sums alone": "for i in range(n):\n    a = x[i]; q = i; v = y[i]\n{1}\n    s += v * v",
}
LENGTHS = (0, 1, 2, 7)


def _program(branches: str, around: str):
    first = "s = 0.0\nv = y[0]\nstack = [v]"
    return program("x, y, w, n", first, AROUND[around], BRANCHES[branches], "s * v + stack[-1]")


TABLE = [
    (branches, around)
    for k, (branches, around) in enumerate(itertools.product(BRANCHES, AROUND))
    if all_run() or k % 3 == 0
]


@pytest.mark.parametrize(("branches", "around"), TABLE)
def test_table(branches, around):
    f = _program(branches, around)
    assert_modes_agree(f, LENGTHS)


def _in_rooms_of_their_own(monkeypatch):
    monkeypatch.setattr(SharedRoom, "groups", lambda self, home, values: [[v] for v in values])
    monkeypatch.setattr(SharedRoom, "rooms", lambda self, regions: [])


@pytest.mark.parametrize("around", ["two loops", "a walk", "numbers of the inner loop"])
@pytest.mark.parametrize(
    "branches",
    ["three ways", "loops in them", "loops of known lengths", "loops that keep choices", "lists"],
)
def test_rooms_of_their_own_give_the_same(branches, around, monkeypatch):
    n, inputs = 6, inputs_of(6)
    found = gradient_of(Reverse, _program(branches, around), inputs, n)
    _in_rooms_of_their_own(monkeypatch)
    np.testing.assert_array_equal(
        found, gradient_of(Reverse, _program(branches, around), inputs, n)
    )


@pytest.mark.parametrize("branches", ["three ways", "lists"])
def test_in_batches_and_in_second_order(branches):
    assert_batches_and_second_order(_program(branches, "two loops"), 5)


def _kept(f, n):
    arguments = (Reverse, f, Active, *duplicated(inputs_of(n)), Const(n))
    return max(s.bytes_per_iteration for c in explain(*arguments).functions for s in c.storages)


def test_an_interpreter_keeps_as_much_as_one_instruction(monkeypatch):
    many = "if q % 8 == 0:\n    v = np.sin(v) * a\n" + "".join(
        f"elif q % 8 == {k}:\n    v = np.sin(v + {k}.0) * np.exp(-a * v)\n" for k in range(1, 8)
    )
    monkeypatch.setitem(BRANCHES, "many", many.rstrip())
    shared = _kept(_program("many", "a loop"), 6)
    _in_rooms_of_their_own(monkeypatch)
    assert 2 * shared < _kept(_program("many", "a loop"), 6)


def _allocations(f, n):
    report = compile_report(f, Reverse, Active, *duplicated(inputs_of(n)), Const(n))
    return report["ir"]["derivative"].count("call ptr @enzyme_allocate")


@pytest.mark.parametrize(
    ("branches", "fewer"),
    [
        ("loops of known lengths", 1),
        ("loops that keep choices", 2),
        ("loops apart further in", 1),
        ("gone on", 0),
    ],
)
def test_loops_of_which_one_runs_have_their_room_together(branches, fewer, monkeypatch):
    shared = _allocations(_program(branches, "two loops"), 4)
    _in_rooms_of_their_own(monkeypatch)
    assert _allocations(_program(branches, "two loops"), 4) - shared == fewer


_TEXT = """
define double @f(i64 %n, double %x, i1 %c) {
entry:
  br label %outer
outer:
  %o = phi i64 [ 0, %entry ], [ %o1, %behind ]
  %first = fadd double %x, 1.0
  br label %inner
inner:
  %i = phi i64 [ 0, %outer ], [ %i1, %latch ]
  %above = fmul double %first, %x
  br i1 %c, label %left, label %right
left:
  %a = fadd double %above, 1.0
  %p = add i64 %i, 1
  br label %latch
right:
  %b = fadd double %above, 2.0
  %d = fmul double %b, %x
  br i1 %c, label %far, label %latch
far:
  %e = fmul double %d, %x
  br label %latch
latch:
  %m = phi double [ %a, %left ], [ %b, %right ], [ %e, %far ]
  %i1 = add i64 %i, 1
  %go = icmp ult i64 %i1, %n
  br i1 %go, label %inner, label %behind
behind:
  %o1 = add i64 %o, 1
  %again = icmp ult i64 %o1, %n
  br i1 %again, label %outer, label %end
end:
  ret double %m
}
"""


@pytest.fixture
def nest():
    function = parse_module(_TEXT).functions["f"]
    cfg = ControlFlow(function)
    outer, inner = LoopForest(cfg, Dominators(cfg)).loops
    named = {i.name: i for block in function.blocks for i in block.instructions if i.name}

    def groups(home, names):
        found = SharedRoom(function).groups(home, [named[name] for name in names.split()])
        return [" ".join(value.name for value in group) for group in found]

    return groups, outer, inner


def test_groups_within_an_iteration(nest):
    groups, outer, inner = nest
    home = Home(None, (outer, inner), outer)
    assert groups(home, "a b d e m above i p") == ["a b", "d", "e", "m", "above", "i", "p"]
    assert groups(home, "above e d a") == ["above", "e a", "d"]
    assert groups(Home(inner, (), outer), "a b d") == ["a b", "d"]
    assert groups(home, "b d") == ["b", "d"]


def test_none_where_iterations_of_a_loop_around_have_the_same_room(nest):
    groups, outer, inner = nest
    assert groups(Home(None, (inner,), outer), "a b") == ["a", "b"]
    # Of the outer loop: the inner one comes to both branches.
    assert groups(Home(None, (outer,), outer), "a b") == ["a", "b"]


_NESTS = """
define double @f(i64 %n, double %x, i1 %c) {
entry:
  br label %outer
outer:
  %o = phi i64 [ 0, %entry ], [ %o1, %behind ]
  br i1 %c, label %left, label %right
left:
  %i = phi i64 [ 0, %outer ], [ %i1, %left ]
  %a = fmul double %x, %x
  %i1 = add i64 %i, 1
  %i.go = icmp ult i64 %i1, %n
  br i1 %i.go, label %left, label %left.end
left.end:
  br i1 %c, label %after, label %behind
right:
  %j = phi i64 [ 0, %outer ], [ %j1, %right ]
  %b = fmul double %x, %x
  %j1 = add i64 %j, 1
  %j.go = icmp ult i64 %j1, 7
  br i1 %j.go, label %right, label %behind
after:
  %k = phi i64 [ 0, %left.end ], [ %k1, %after ]
  %d = fmul double %x, %x
  %k1 = add i64 %k, 1
  %k.go = icmp ult i64 %k1, 9
  br i1 %k.go, label %after, label %behind
behind:
  %o1 = add i64 %o, 1
  %again = icmp ult i64 %o1, %n
  br i1 %again, label %outer, label %end
end:
  ret double %x
}
"""


def _rooms(*homes):
    """Which regions have a room together, each with one value; a home is given by its loops."""
    function = parse_module(_NESTS).functions["f"]
    cfg = ControlFlow(function)
    loops = {loop.header.name: loop for loop in LoopForest(cfg, Dominators(cfg)).loops}
    named = {i.name: i for block in function.blocks for i in block.instructions if i.name}
    regions = []
    for value, growing, indexed in homes:
        indexed = tuple(loops[name] for name in indexed.split())
        home = Home(loops.get(growing), indexed, loops["outer"])
        regions.append(Region(home, [named[value]]))
    rooms = SharedRoom(function).rooms(regions)
    assert all(region.room is room for room in rooms for region in room.regions())
    return [
        (
            [" ".join(r.values[0].name for r in bundle) for bundle in room.bundles],
            " ".join(loop.header.name for loop in room.common),
        )
        for room in rooms
    ]


def test_rooms_of_nests_of_which_one_runs():
    a, b, d = ("a", None, "outer left"), ("b", None, "outer right"), ("d", None, "outer after")
    assert _rooms(a, b) == [(["a", "b"], "outer")]
    assert _rooms(a, b, d) == [(["a", "b"], "outer")]  # behind `left` comes `after`
    assert _rooms(d, b, a) == [(["d", "b"], "outer")]
    assert _rooms(a, d) == []
    assert _rooms(a, ("i", None, "outer left"), b) == [(["a i", "b"], "outer")]


def test_rooms_of_records_that_grow():
    a, b = ("a", "outer", "left"), ("b", "outer", "right")
    assert _rooms(a, b) == [(["a", "b"], "")]
    assert _rooms(a, ("b", None, "outer right")) == []
    assert (
        _rooms(("a", "left", ""), ("b", "right", "")) == []
    )  # a record of its own for each iteration


def test_no_room_together_where_iterations_of_a_loop_around_have_the_same():
    assert _rooms(("a", None, "left"), ("b", None, "right")) == []
