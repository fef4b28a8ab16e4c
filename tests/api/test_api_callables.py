"""Functions that hold data: callable objects, bound methods."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from numba import float64, njit
from numba.experimental import jitclass

from enzyme import (
    Active,
    ActivityError,
    BatchDuplicated,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    Forward,
    MixedDuplicated,
    Reverse,
    ReverseSplitWithPrimal,
    ReverseWithPrimal,
    autodiff,
    autodiff_thunk,
    gradient,
    set_err_if_func_written,
    tape_type,
    typeof,
)
from enzyme.errors import EnzymeMutabilityException


class Scaled(NamedTuple):
    V: np.ndarray

    def __call__(self, y):
        return self.V[0] * y

    def squared(self, y):
        return self.V[0] * y * y

    def nothing(self):
        return self.V[0]


class Slope(NamedTuple):
    a: float

    def __call__(self, x):
        return self.a * x


def held(*numbers):
    return Scaled(np.array(numbers))


def test_plain_and_constant():
    for f in (held(2.0), Const(held(2.0)), held(2.0).__call__):
        assert autodiff(Reverse, f, Active(3.0)) == ((2.0,),)
        assert autodiff(ReverseWithPrimal, f, Active, Active(3.0)) == ((2.0,), 6.0)
        assert autodiff(Forward, f, Duplicated, Duplicated(3.0, 1.0)) == (6.0, 2.0)


def test_duplicated():
    f, df = held(2.0), held(0.0)
    assert autodiff(ReverseWithPrimal, Duplicated(f, df), Active, Active(3.0)) == ((2.0,), 6.0)
    assert df.V[0] == 3.0
    assert autodiff(Reverse, DuplicatedNoNeed(f, df), Active(3.0)) == ((2.0,),)
    assert df.V[0] == 6.0
    assert autodiff(Forward, Duplicated(f, held(3.0)), Duplicated(5.0, 7.0)) == (29.0,)


def test_methods():
    f, df = held(2.0), held(0.0)
    assert autodiff(Reverse, Duplicated(f.squared, df.squared), Active(3.0)) == ((12.0,),)
    assert df.V[0] == 9.0
    assert autodiff(Reverse, Duplicated(f.nothing, df.nothing)) == ((),)
    assert df.V[0] == 10.0


def test_batch():
    shadows = held(0.0), held(0.0)
    found = autodiff(Reverse, BatchDuplicated(held(2.0), shadows), Active(3.0))
    assert found == (((2.0, 2.0),),)
    assert [s.V[0] for s in shadows] == [3.0, 3.0]
    tangents = BatchDuplicated(held(2.0), (held(1.0), held(0.0)))
    assert autodiff(Forward, tangents, BatchDuplicated(5.0, (0.0, 1.0))) == ((5.0, 2.0),)


def test_floats():
    """What is held by value is constant, or has its shadow in a Ref."""
    assert autodiff(Reverse, Slope(2.0), Active(3.0)) == ((2.0,),)
    ref = [Slope(0.0)]
    assert autodiff(Reverse, MixedDuplicated(Slope(2.0), ref), Active(3.0)) == ((2.0,),)
    assert ref == [Slope(3.0)]
    assert autodiff(Forward, Duplicated(Slope(2.0), Slope(1.0)), Const(3.0)) == (3.0,)

    def caller(g, x):
        return g.a * x

    assert autodiff(Reverse, caller, Const(Slope(2.0)), Active(3.0)) == ((None, 2.0),)


@jitclass([("w", float64[::1]), ("n", float64)])
class Cell:
    def __init__(self, w):
        self.w = w
        self.n = 0.0

    def read(self, y, k):
        return self.w[k] * y

    def keep(self, y):
        self.n = y
        return self.w[0] * y


def test_methods_of_instances():
    cell, shadow = Cell(np.array([2.0, 5.0])), Cell(np.zeros(2))
    assert autodiff(Reverse, cell.read, Active(3.0), Const(1)) == ((5.0, None),)
    given = Duplicated(cell.read, shadow.read)
    assert autodiff(Reverse, given, Active(3.0), Const(1)) == ((5.0, None),)
    np.testing.assert_array_equal(shadow.w, [0.0, 3.0])


def test_writes():
    cell, shadow = Cell(np.array([2.0])), Cell(np.zeros(1))
    with pytest.raises(EnzymeMutabilityException, match="keep writes to the data of its object"):
        autodiff(Reverse, cell.keep, Active(3.0))
    assert cell.n == 0.0
    assert autodiff(Reverse, Const(cell.keep), Active(3.0)) == ((2.0,),)
    assert cell.n == 3.0
    assert autodiff(Reverse, Duplicated(cell.keep, shadow.keep), Active(4.0)) == ((2.0,),)
    assert cell.n == 4.0 and shadow.w[0] == 4.0


def test_thunks():
    f, df = held(2.0), held(0.0)
    name = Duplicated[typeof(f)]
    forward, reverse = autodiff_thunk(ReverseSplitWithPrimal, name, Active, Active[float])
    tape, primal, _ = forward(Duplicated(f, df), Active(3.0))
    assert primal == 6.0
    assert isinstance(tape, tape_type(ReverseSplitWithPrimal, name, Active, Active[float]))
    assert reverse(Duplicated(f, df), Active(3.0), 1.0, tape) == ((2.0,),)
    assert df.V[0] == 3.0
    thunk = autodiff_thunk(Forward, name, Duplicated, Duplicated[float])
    assert thunk(Duplicated(f, held(3.0)), Duplicated(5.0, 7.0)) == (10.0, 29.0)
    forward, reverse = autodiff_thunk(
        ReverseSplitWithPrimal, Const[typeof(f)], Active, Active[float]
    )
    tape, _, _ = forward(Const(f), Active(3.0))
    assert reverse(Const(f), Active(3.0), 1.0, tape) == ((2.0,),)


def test_gradients():
    assert gradient(Reverse, held(2.0), 3.0) == 2.0
    assert gradient(Forward, held(2.0), 3.0) == 2.0


def test_functions_among_the_arguments():
    def caller(g, x):
        return g(x)

    assert autodiff(Reverse, caller, Const(lambda x: x), Active(2.0)) == ((None, 1.0),)

    @njit
    def square(x):
        return x * x

    def first(fs, x):
        return fs[0](x)

    assert autodiff(Reverse, first, Const((square,)), Active(2.0)) == ((None, 4.0),)


class Plain:
    def __init__(self):
        self.data = np.zeros(3)

    def __call__(self, x):
        return x * self.data[0]


def test_errors():
    with pytest.raises(ActivityError, match="cannot be Active"):
        autodiff(Reverse, Active(Slope(2.0)), Active(1.0))
    with pytest.raises(ActivityError, match="a named tuple whose class defines __call__"):
        autodiff(Reverse, Duplicated(Plain(), Plain(), False), Active(1.0))
    assert autodiff(Reverse, Plain(), Active(1.0)) == ((0.0,),)

    cell = Cell(np.array([2.0]))
    with pytest.raises(ActivityError, match="shadow of a bound method"):
        autodiff(Reverse, Duplicated(cell.read, cell, False), Active(1.0), Const(0))

    def f(x):
        return x

    with pytest.raises(ActivityError, match="holds no data"):
        autodiff(Reverse, Duplicated(f, f), Active(1.0))


class Counting(NamedTuple):
    calls: np.ndarray

    def __call__(self, x):
        self.calls[0] += 1.0
        return 2.0 * x


def test_strict_about_objects_that_are_written_to():
    """Const(f) says that writing is meant; the mode may say that it never is."""
    f = Counting(np.zeros(1))
    known = Const[typeof(f)], Active, Active[float]
    for annotated in (f, f.__call__):
        with pytest.raises(EnzymeMutabilityException, match="or Const"):
            autodiff(Reverse, annotated, Active(3.0))
    assert autodiff(Reverse, Const(f), Active(3.0)) == ((2.0,),)
    autodiff_thunk(ReverseSplitWithPrimal, *known)
    for mode in (Reverse, Forward):
        given = Active(3.0) if mode is Reverse else Duplicated(3.0, 1.0)
        with pytest.raises(EnzymeMutabilityException, match="clear_err_if_func_written"):
            autodiff(set_err_if_func_written(mode), Const(f), given)
        autodiff(set_err_if_func_written(mode), Const(held(2.0)), given)
    with pytest.raises(EnzymeMutabilityException, match="clear_err_if_func_written"):
        autodiff_thunk(set_err_if_func_written(ReverseSplitWithPrimal), *known)
    assert f.calls[0] == 1.0
