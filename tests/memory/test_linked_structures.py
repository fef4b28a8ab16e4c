"""Objects that refer to objects of their own type: each lives as long as something refers to it, in every mode."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from numba import deferred_type, njit, optional, typed, types
from numba.experimental import jitclass

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    Forward,
    Reverse,
    autodiff,
    grad,
    gradient,
    hessian,
    make_zero,
)
from enzyme.errors import EnzymeError

pytestmark = pytest.mark.rotating(14)

node_type = deferred_type()


@jitclass([("v", types.float64), ("k", types.int64), ("next", optional(node_type))])
class Node:
    """A number, an integer, and the next of them."""

    def __init__(self, v, k):
        self.v = v
        self.k = k
        self.next = None


node_type.define(Node.class_type.instance_type)
tree_type = deferred_type()


@jitclass([("v", types.float64), ("a", optional(tree_type)), ("b", optional(tree_type))])
class Tree:
    """A number, smaller ones, and larger ones."""

    def __init__(self, v):
        self.v = v
        self.a = None
        self.b = None


tree_type.define(Tree.class_type.instance_type)


@njit
def pushed(x):
    head = Node(x[0], 0)
    for i in range(1, len(x)):
        new = Node(x[i], i)
        new.next = head
        head = new
    s, p = 0.0, head
    for k in range(10):
        s += p.v * p.v * (k + 1) + x[p.k] ** 3
        if p.next is None:
            break
        p = p.next
    return s


@njit
def walked(x):
    head = Node(x[0], 0)
    for i in range(1, len(x)):
        new = Node(x[i] * x[0], i)
        new.next = head
        head = new
    s, p = 0.0, head
    while True:
        s += p.v * p.v
        if p.next is None:
            return s
        p = p.next


@njit
def cut(x):
    """The rest of a list is dropped, and another one put there."""
    head = Node(x[0], 0)
    for i in range(1, len(x)):
        new = Node(x[i], i)
        new.next = head
        head = new
        if i == 2:
            other = Node(x[1] * x[1], 7)
            head.next = other
    rest = head.next
    head.next = None
    s = head.v**2
    for _ in range(3):
        if rest is None:
            break
        s += rest.v**3
        rest = rest.next
    return s


@njit
def insert(t, v):
    while True:
        if v < t.v:
            if t.a is None:
                t.a = Tree(v)
                return
            t = t.a
        else:
            if t.b is None:
                t.b = Tree(v)
                return
            t = t.b


@njit
def sorted_by_tree(x):
    root = Tree(x[0])
    for i in range(1, len(x)):
        insert(root, x[i])
    stack = typed.List()
    stack.append(root)
    s, k = 0.0, 1.0
    while len(stack) > 0:
        t = stack.pop()
        s += t.v**2 * k
        k += 1.0
        if t.a is not None:
            stack.append(t.a)
        if t.b is not None:
            stack.append(t.b)
    return s


PROGRAMS = [pushed, walked, cut, sorted_by_tree]
X = np.array([0.5, 1.2, 0.7, 0.9, 0.3])


def slopes(f: Any) -> np.ndarray:
    units = np.eye(len(X))
    return np.array([(f(X + 1e-6 * u) - f(X - 1e-6 * u)) / 2e-6 for u in units])


@pytest.mark.filterwarnings("ignore:unsafe cast")
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_linked(f: Any) -> None:
    value, expected, v = f(X), slopes(f), np.array([1.0, -0.5, 0.3, 2.0, -1.0])
    w = v[::-1].copy()
    for _ in range(3):
        np.testing.assert_allclose(grad(f)(X), expected, rtol=1e-7)
        np.testing.assert_allclose(gradient(Forward, f, X, chunk=1), expected, rtol=1e-7)
        dx = np.zeros_like(X)
        autodiff(Reverse, f, Active, Duplicated(X, dx))
        np.testing.assert_allclose(dx, expected, rtol=1e-7)
        found = autodiff(Forward, f, Duplicated, Duplicated(X, v))
        np.testing.assert_allclose(found, (value, dx @ v), rtol=1e-12)
        lanes = autodiff(Forward, f, BatchDuplicated(X, (v, w)))[0]
        np.testing.assert_allclose(lanes, (dx @ v, dx @ w), rtol=1e-12)
        both = autodiff(Reverse, f, Active, BatchDuplicated(X, (v * 0.0, w * 0.0)))
        assert both is not None


@pytest.mark.filterwarnings("ignore:unsafe cast")
@pytest.mark.parametrize("f", [walked, cut, sorted_by_tree], ids=lambda f: f.__name__)
def test_second_order(f: Any) -> None:
    slope = grad(f)
    expected = np.array([(slope(X + 1e-6 * u) - slope(X - 1e-6 * u)) / 2e-6 for u in np.eye(5)])
    np.testing.assert_allclose(hessian(f)(X), expected, rtol=1e-6, atol=1e-7)


@njit
def around(h):
    return h.v * h.next.v * h.next.next.v


def test_rings() -> None:
    a, b = Node(1.0, 0), Node(2.0, 1)
    a.next, b.next = b, a
    found = grad(around)(a)
    assert (found.v, found.next.v) == (4.0, 1.0)
    along = make_zero(a)
    along.v = 1.0
    assert autodiff(Forward, around, Duplicated, Duplicated(a, along)) == (2.0, 4.0)
    scaled = njit(lambda y, h: y * h.v)
    assert autodiff(Reverse, scaled, Active, Active(3.0), Const(a)) == ((1.0, None),)
    assert gradient(Reverse, lambda p: p[0].v * p[1].v, (a, b))[0].v == 2.0
    with pytest.raises(EnzymeError, match="its own shadow"):
        autodiff(Forward, around, Duplicated, Duplicated(a, a))


@pytest.mark.skipif("MALLOC_PERTURB_" in os.environ, reason="runs itself")
def test_with_freed_memory_overwritten() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", f"{__file__}::test_linked"],
        env={**os.environ, "MALLOC_PERTURB_": "165"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]
