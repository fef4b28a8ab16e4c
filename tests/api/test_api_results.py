"""Shapes of results: one test per row of the tables of results in forward and reverse mode."""

from __future__ import annotations

from collections import namedtuple

import numpy as np
import pytest
from numba import njit

from enzyme import (
    Active,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    EnzymeError,
    Forward,
    ForwardWithPrimal,
    InlineABI,
    NonGenABI,
    Reverse,
    ReverseWithPrimal,
    autodiff,
    set_abi,
)

Pair = namedtuple("Pair", "a b")


@njit
def square(x):
    return x * x


@njit
def count(x):
    return int(x) + 1


@njit
def nothing(x):
    pass


@njit
def doubled(x):
    return 2.0 * x


# --- forward mode ---------------------------------------------------------------------------------

X = Duplicated(3.0, 10.0)


@pytest.mark.parametrize(
    ("given", "plain", "with_primal"),
    [
        ((Const,), (), (9.0,)),
        ((Duplicated,), (9.0, 60.0), (60.0, 9.0)),
        ((DuplicatedNoNeed,), (60.0,), (60.0, 9.0)),
        ((), (60.0,), (60.0, 9.0)),
        ((Duplicated[float],), (9.0, 60.0), (60.0, 9.0)),
        ((Const[float],), (), (9.0,)),
    ],
)
def test_forward_by_return_activity(given, plain, with_primal):
    assert autodiff(Forward, square, *given, X) == plain
    assert autodiff(ForwardWithPrimal, square, *given, X) == with_primal


def test_forward_inactive_return():
    assert autodiff(Forward, count, X) == ()
    assert autodiff(ForwardWithPrimal, count, X) == (4,)
    assert autodiff(Forward, nothing, X) == ()
    assert autodiff(ForwardWithPrimal, nothing, X) == (None,)
    assert autodiff(Forward, count, Const, X) == ()


def test_forward_array_return():
    x, dx = np.array([1.0, 2.0]), np.array([5.0, 7.0])
    p, s = autodiff(Forward, doubled, Duplicated, Duplicated(x, dx))
    assert p.tolist() == [2.0, 4.0] and s.tolist() == [10.0, 14.0]
    (s,) = autodiff(Forward, doubled, Duplicated(x, dx))
    assert s.tolist() == [10.0, 14.0]
    s, p = autodiff(ForwardWithPrimal, doubled, Duplicated(x, dx))
    assert p.tolist() == [2.0, 4.0] and s.tolist() == [10.0, 14.0]
    assert autodiff(Forward, doubled, Const, Duplicated(x, dx)) == ()


def test_forward_returned_argument_gives_the_aliased_shadow():
    x, dx = np.array([1.0, 2.0]), np.array([5.0, 7.0])
    p, s = autodiff(Forward, lambda v: v, Duplicated, Duplicated(x, dx))
    assert np.shares_memory(p, x) and np.shares_memory(s, dx)


def test_forward_tuple_return():
    def f(x):
        return (x * x, 3, (2.0 * x,))

    assert autodiff(Forward, f, Duplicated, X) == ((9.0, 3, (6.0,)), (60.0, 3, (20.0,)))


def test_a_result_that_numba_does_not_hand_to_python():
    x = np.ones(2)
    with pytest.raises(EnzymeError, match="a result of type LiteralStrKey"):
        autodiff(
            Forward, lambda x: {"a": 2.0 * x, "b": x.sum()}, Duplicated, Duplicated(x, x.copy())
        )


def test_forward_namedtuple_return():
    def f(x):
        return Pair(x * x, x)

    p, s = autodiff(Forward, f, Duplicated, X)
    assert p == Pair(9.0, 3.0) and s == Pair(60.0, 10.0) and type(s) is Pair


def test_forward_arrays_are_run_on():
    def f(x):
        x *= 5.0

    x, dx = np.array([2.0]), np.array([1.0])
    assert autodiff(Forward, f, Duplicated(x, dx)) == ()
    assert (x[0], dx[0]) == (10.0, 5.0)


def test_forward_tangents_are_assigned():
    def f(out, x):
        out[0] = x * x

    out, dout = np.zeros(1), np.full(1, 100.0)
    autodiff(Forward, f, Const, Duplicated(out, dout), X)
    assert (out[0], dout[0]) == (9.0, 60.0)


def test_forward_all_constant():
    assert autodiff(Forward, square, Duplicated, Const(3.0)) == (9.0, 0.0)
    assert autodiff(Forward, square, Const(3.0)) == (0.0,)
    assert autodiff(ForwardWithPrimal, square, Const(3.0)) == (0.0, 9.0)
    p, s = autodiff(Forward, doubled, Duplicated, Const(np.ones(2)))
    assert p.tolist() == [2.0, 2.0] and s.tolist() == [0.0, 0.0]


def test_forward_zero_tangent_is_constant():
    assert autodiff(Forward, square, Duplicated(3.0, 0.0)) == (0.0,)


def test_forward_mixed_arguments():
    def f(x, y, n):
        return x * y[0] * n

    y, dy = np.array([5.0]), np.array([2.0])
    got = autodiff(Forward, f, Duplicated(3.0, 1.0), DuplicatedNoNeed(y, dy), Const(2))
    assert got == (2 * (1.0 * 5.0 + 3.0 * 2.0),)


def test_forward_float32():
    p, s = autodiff(Forward, square, Duplicated, Duplicated(np.float32(3), np.float32(10)))
    assert (type(p), type(s)) == (np.float32, np.float32) and (p, s) == (9, 60)


# --- reverse mode ---------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [(Active,), (), (Active[float],)])
def test_reverse_float_return(given):
    assert autodiff(Reverse, square, *given, Active(3.0)) == ((6.0,),)
    assert autodiff(ReverseWithPrimal, square, *given, Active(3.0)) == ((6.0,), 9.0)


def test_reverse_const_return():
    assert autodiff(Reverse, square, Const, Active(3.0)) == ((0.0,),)
    assert autodiff(ReverseWithPrimal, square, Const, Active(3.0)) == ((0.0,), 9.0)
    assert autodiff(ReverseWithPrimal, nothing, Const, Active(3.0)) == ((0.0,), None)


def test_reverse_inactive_return():
    assert autodiff(Reverse, count, Active(3.0)) == ((0.0,),)
    assert autodiff(ReverseWithPrimal, count, Active(3.0)) == ((0.0,), 4)
    assert autodiff(Reverse, nothing, Active(3.0)) == ((0.0,),)


def test_reverse_array_return_marked_const():
    def f(x):
        x[0] *= 2.0
        return x

    x, dx = np.array([3.0]), np.array([1.2])
    (entries, p) = autodiff(ReverseWithPrimal, f, Const, Duplicated(x, dx))
    assert entries == (None,) and dx[0] == 2.4 and np.shares_memory(p, x)


def test_reverse_entries():
    def f(a, b, c, d, e):
        return a * b[0] + c + d[0] * e

    b, db = np.array([2.0]), np.zeros(1)
    d, dd = np.array([7.0]), np.zeros(1)
    got = autodiff(
        ReverseWithPrimal,
        f,
        Active,
        Active(3.0),
        Duplicated(b, db),
        Const(1),
        DuplicatedNoNeed(d, dd),
        Active(np.float32(2)),
    )
    assert got == ((2.0, None, None, None, 7.0), 21.0)
    assert type(got[0][0]) is float and type(got[0][4]) is np.float32
    assert (db[0], dd[0]) == (3.0, 2.0)


def test_reverse_tuple_argument():
    def f(t):
        return t[0] * t[1] * t[2][0]

    assert autodiff(Reverse, f, Active((2.0, 3, (5.0,)))) == (((15.0, 0, (6.0,)),),)

    def g(p):
        return p.a * p.b

    ((entry,),) = autodiff(Reverse, g, Active(Pair(2.0, 3)))
    assert entry == Pair(3.0, 0) and type(entry) is Pair and type(entry.b) is int


def test_reverse_text_and_integer_arrays_in_active_tuple_come_back():
    def f(t):
        return t[0] * len(t[1]) * t[2][1]

    numbers = np.array([4, 5])
    ((entry,),) = autodiff(Reverse, f, Active((2.0, "abc", numbers)))
    assert entry[:2] == (15.0, "abc")
    np.testing.assert_array_equal(entry[2], numbers)


def test_reverse_no_arguments():
    assert autodiff(Reverse, lambda: 1.0) == ((),)
    assert autodiff(ReverseWithPrimal, lambda: 1.0) == ((), 1.0)
    assert autodiff(Forward, lambda: 1.0, Duplicated) == (1.0, 0.0)


def test_reverse_int_is_promoted():
    assert autodiff(Reverse, square, Active(3)) == ((6.0,),)
    assert autodiff(Reverse, square, Active(True)) == ((2.0,),)


def test_reverse_seed_in_output_and_return_add():
    def f(y, x):
        y[0] = x * x
        return 3.0 * x

    y, dy = np.zeros(1), np.ones(1)
    assert autodiff(Reverse, f, Active, Duplicated(y, dy), Active(5.0)) == ((None, 13.0),)
    assert (y[0], dy[0]) == (25.0, 0.0)


def test_results_do_not_depend_on_the_abi():
    for abi in (InlineABI, NonGenABI):
        assert autodiff(set_abi(Reverse, abi), square, Active(3.0)) == ((6.0,),)
        assert autodiff(set_abi(Forward, abi), square, X) == (60.0,)


def test_default_arguments_are_constant():
    def f(x, n=3):
        return x**n

    assert autodiff(Reverse, f, Active(2.0)) == ((12.0,),)
    assert autodiff(Reverse, f, Active(2.0), Const(2)) == ((4.0, None),)


def test_annotated_function():
    assert autodiff(Reverse, Const(square), Active(3.0)) == ((6.0,),)


def test_fixed_signature_converts():
    f = njit("float64(float64)")(lambda x: x * x)
    assert autodiff(Reverse, f, Active(np.float32(3))) == ((6.0,),)
    assert autodiff(Reverse, f, Active(3.0)) == ((6.0,),)
