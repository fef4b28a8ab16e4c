"""Constant arguments that share memory: what is written through one is not lost where it is read through another."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    Reverse,
    ReverseSplitWithPrimal,
    autodiff,
    autodiff_thunk,
    grad,
    typeof,
)
from enzyme.errors import EnzymeConstStorageError, ShadowLayoutError

pytestmark = pytest.mark.rotating(21)


@njit
def through(a, b, y):
    a[0] = y
    return b[0] * b[0] + y


@njit
def through_tuple(p, y):
    p[0][0] = y
    return p[1][0] * p[1][0] + y


@njit
def only_read(a, b, y):
    return a[0] * b[0] * y


@njit
def scratch(a, b, y):
    """The scratch is read where its own name is."""
    b[0] = 2.0 * a[1]
    return b[0] * y


def memory(shared):
    a = np.array([3.0, 4.0])
    return a, {"same": a, "view": a[:1], "shifted": a[1:], "apart": a.copy()}[shared]


ASK = {
    "reverse": lambda f, a, b: autodiff(Reverse, f, Active, Const(a), Const(b), Active(2.0))[0][2],
    "forward": lambda f, a, b: autodiff(Forward, f, Const(a), Const(b), Duplicated(2.0, 1.0))[0],
    "split": lambda f, a, b: split(f, a, b),
    "jitted": lambda f, a, b: IN_CODE[f](a, b),
    "twice": lambda f, a, b: grad(IN_CODE[f], argnums=2)(a, b, 2.0),
}


def split(f, a, b):
    kinds = Const[typeof(a)], Const[typeof(b)], Active[float]
    forward, reverse = autodiff_thunk(ReverseSplitWithPrimal, f, Active, *kinds)
    given = Const(f), Const(a), Const(b), Active(2.0)
    tape, _, _ = forward(*given)
    return reverse(*given, 1.0, tape)[0][2]


def in_code(f):
    @njit
    def asks(a, b, y=2.0):
        return autodiff(Reverse, f, Active, Const(a), Const(b), Active(y))[0][2]

    return asks


IN_CODE = {f: in_code(f) for f in (through, only_read, scratch)}


@pytest.mark.parametrize("shared", ["same", "view", "shifted", "apart"])
@pytest.mark.parametrize("ask", ["reverse", "forward", "split", "jitted"])
def test_what_is_lost_is_refused(ask, shared):
    a, b = memory(shared)
    if shared != "apart":
        with pytest.raises(EnzymeConstStorageError, match="'a' and read back"):
            ASK[ask](through, a, b)
    else:
        assert ASK[ask](through, a, b) == 1.0


@pytest.mark.parametrize("shared", ["same", "view", "shifted", "apart"])
@pytest.mark.parametrize("f", [only_read, scratch])
@pytest.mark.parametrize("ask", ["reverse", "forward", "split", "jitted"])
def test_nothing_is_refused_without_need(ask, f, shared):
    a, b = memory(shared)
    expected = 2.0 * a[1] if f is scratch else a[0] * b[0]
    assert ASK[ask](f, a, b) == expected


def test_a_derivative_of_a_derivative_is_refused_where_it_runs():
    a, b = memory("apart")
    assert ASK["twice"](through, a, b) == 0.0
    a, b = memory("same")
    with pytest.raises((ShadowLayoutError, EnzymeConstStorageError)):
        ASK["twice"](through, a, b)


def test_arrays_of_one_argument():
    for mode, y in ((Reverse, Active(2.0)), (Forward, Duplicated(2.0, 1.0))):
        activity = (Active,) if mode is Reverse else ()
        a, b = memory("same")
        with pytest.raises(EnzymeConstStorageError, match="read back"):
            autodiff(mode, through_tuple, *activity, Const((a, b)), y)
        a, b = memory("apart")
        found = autodiff(mode, through_tuple, *activity, Const((a, b)), y)
        assert (found[0][1] if mode is Reverse else found[0]) == 1.0


def test_grad_finds_shadows_for_parts_of_one_argument():
    def f(p, y):
        p["v"][0] = y
        return p["w"][0] ** 2

    a, b = memory("same")
    assert grad(f, argnums=1)({"v": a, "w": b}, 3.0) == 6.0
    a, b = memory("apart")
    assert grad(f, argnums=1)({"v": a, "w": b}, 3.0) == 0.0
