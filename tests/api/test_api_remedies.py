"""What an error says one should do works when it is done: refused calls, and the calls that their messages name."""

from __future__ import annotations

from collections import namedtuple

import numpy as np
import pytest
from numba import njit
from numba.typed import List

from enzyme import (
    Active,
    BatchDuplicated,
    Combined,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    Forward,
    MixedDuplicated,
    Reverse,
    ReverseHolomorphic,
    ReverseSplitModified,
    ReverseSplitNoPrimal,
    Split,
    autodiff,
    autodiff_thunk,
    clear_err_if_const_written,
    gradient,
    jacobian,
    make_zero,
    typeof,
)
from enzyme.errors import EnzymeError

X = np.array([2.0, 3.0])


@njit
def square(x):
    return x * x


@njit
def total(x):
    return (x * x).sum()


@njit
def pair(x):
    return x[0] * x[1], x[1]


@njit
def add(x, y):
    return (x + y).sum()


@njit
def write(out, x):
    out[:] = x * x


@njit
def scratch(x, tmp):
    tmp[:] = x
    for k in range(len(tmp)):
        tmp[k] *= tmp[-1 - k]
    return tmp[0]


@njit
def scratch_that_it_makes(x, tmp):
    return scratch(x, tmp.copy())


@njit
def of_mixed(t):
    return t[0] * t[1][0]


@njit
def doubled(x):
    x *= 2.0
    return x.sum()


class Scaled(namedtuple("Scaled", ["factor"])):
    """An object with a method, as a named tuple."""

    __slots__ = ()

    def __call__(self, x):
        return self.factor[0] * x


def half(x):
    return x.astype(np.float16)


def thunk(mode, function, returns, *kinds):
    return lambda: autodiff_thunk(mode, function, returns, *kinds)


def zeros():
    return np.zeros(2)


frozen = zeros()
frozen.flags.writeable = False
scaled = Scaled(np.array([2.0]))

# name: (the refused call, what its message says, the calls that it names)
CASES = {
    "an int": (
        lambda: gradient(Reverse, square, 2),
        r"2\.0 in place of 2",
        [lambda: gradient(Reverse, square, 2.0)],
    ),
    "an int of NumPy": (
        lambda: gradient(Reverse, square, np.int32(2)),
        r"2\.0 in place of np\.int32\(2\)",
        [lambda: gradient(Reverse, square, 2.0)],
    ),
    "an array of ints": (
        lambda: gradient(Reverse, total, np.array([1, 2])),
        r"x\.astype\(float\) in place of an array of int64",
        [lambda: gradient(Reverse, total, np.array([1, 2]).astype(float))],
    ),
    "gradient of a list": (
        lambda: gradient(Reverse, lambda x: [x[0]], X),
        r"return one number$",
        [lambda: gradient(Reverse, lambda x: x[0], X)],
    ),
    "a list of Python": (
        lambda: autodiff(
            Reverse,
            lambda items: items[0] * items[1],
            Active,
            Duplicated([1.0, 2.0], [0.0, 0.0]),
        ),
        r"argument items is a Python list(?s:.*)numba\.typed\.List\(x\), or an array",
        [
            lambda: gradient(Reverse, lambda items: items[0] * items[1], List([1.0, 2.0])),
            lambda: gradient(Reverse, lambda items: items[0] * items[1], X),
        ],
    ),
    "forward mode along a list": (
        lambda: gradient(Forward, lambda items: items[0] * items[1], List([1.0, 2.0])),
        r"use Reverse(?s:.*)shadow=\(dx,\)",
        [
            lambda: gradient(Reverse, lambda items: items[0] * items[1], List([1.0, 2.0])),
            lambda: gradient(
                Forward,
                lambda items: items[0] * items[1],
                List([1.0, 2.0]),
                shadow=(List([1.0, 0.0]),),
            ),
        ],
    ),
    "forward mode along a list of Python": (
        lambda: gradient(Forward, lambda items: items[0] * items[1], [1.0, 2.0]),
        r"use Reverse",
        [lambda: gradient(Reverse, lambda items: items[0] * items[1], [1.0, 2.0])],
    ),
    "a complex and a real result": (
        lambda: jacobian(Forward, lambda z: (z * z, z.real), 1.0 + 2.0j),
        "use ReverseHolomorphic",
        [lambda: jacobian(ReverseHolomorphic, lambda z: (z * z, z.real), 1.0 + 2.0j)],
    ),
    "outputs that cannot be counted": (
        lambda: jacobian(Reverse, square, X, n_outs=2.0),
        "n_outs is the number of outputs(?s:.*)leave it out",
        [lambda: jacobian(Reverse, square, X)],
    ),
    "arrays of the other byte order": (
        lambda: Duplicated(X.astype(">f8"), zeros()),
        r"x = x\.astype\(x\.dtype\.newbyteorder\('='\)\), make_zero\(x\)",
        [lambda: autodiff(Reverse, total, Active, Duplicated(X, make_zero(X)))],
    ),
    "masked arrays": (
        lambda: Duplicated(np.ma.masked_array(X, X > 1.0), zeros()),
        r"np\.ma\.getdata\(x\)",
        [lambda: autodiff(Reverse, total, Active, Duplicated(X, zeros()))],
    ),
    "flags of split mode": (
        lambda: ReverseSplitModified(ReverseSplitNoPrimal, False),
        "one bool for the function and one for each argument",
        [
            lambda: ReverseSplitModified(ReverseSplitNoPrimal, (True, False)),
            lambda: ReverseSplitModified(ReverseSplitNoPrimal, True),
        ],
    ),
    "a result that is an int": (
        lambda: gradient(Reverse, lambda x: int(x), 2.5),
        "return a float",
        [lambda: gradient(Reverse, lambda x: float(int(x)), 2.5)],
    ),
    "return activity of an int": (
        lambda: autodiff(Reverse, square, Active, Const(2)),
        "mark it Const, or leave the return activity out",
        [
            lambda: autodiff(Reverse, square, Const, Const(2)),
            lambda: autodiff(Reverse, square, Const(2)),
        ],
    ),
    "gradient of an array": (
        lambda: gradient(Reverse, square, X),
        "use jacobian, or return one number",
        [lambda: jacobian(Reverse, square, X), lambda: gradient(Reverse, total, X)],
    ),
    "gradient of a tuple": (
        lambda: gradient(Reverse, pair, X),
        "use jacobian",
        [lambda: jacobian(Reverse, pair, X)],
    ),
    "an annotation in gradient": (
        lambda: gradient(Reverse, total, Duplicated(X, zeros())),
        r"the plain value, or Const\(x\)",
        [lambda: gradient(Reverse, total, X), lambda: gradient(Reverse, total, Const(X))],
    ),
    "an annotation in jacobian": (
        lambda: jacobian(Reverse, lambda x, n: x**n, X, Active(2)),
        r"the plain value, or Const\(x\)",
        [
            lambda: jacobian(Reverse, lambda x, n: x**n, X, 2),
            lambda: jacobian(Reverse, lambda x, n: x**n, X, Const(2)),
        ],
    ),
    "half precision": (
        lambda: gradient(Reverse, total, half(X)),
        r"x\.astype\(np\.float32\)",
        [lambda: gradient(Reverse, total, half(X).astype(np.float32))],
    ),
    "a number of half precision": (
        lambda: gradient(Reverse, square, np.float16(2)),
        r"np\.float32\(x\)",
        [lambda: gradient(Reverse, square, np.float32(np.float16(2)))],
    ),
    "the other byte order": (
        lambda: gradient(Reverse, total, X.astype(">f8")),
        r"x\.astype\(x\.dtype\.newbyteorder\('='\)\)",
        [
            lambda: gradient(
                Reverse, total, X.astype(">f8").astype(np.dtype(">f8").newbyteorder("="))
            )
        ],
    ),
    "a masked array": (
        lambda: gradient(Reverse, total, np.ma.masked_array(X, [0, 1])),
        r"np\.ma\.getdata\(x\)",
        [lambda: gradient(Reverse, total, np.ma.getdata(np.ma.masked_array(X, [0, 1])))],
    ),
    "forward mode has no Active": (
        lambda: autodiff(Forward, square, Active(2.0)),
        r"Duplicated\(x, dx\)",
        [lambda: autodiff(Forward, square, Duplicated(2.0, 1.0))],
    ),
    "Active return in forward mode": (
        lambda: autodiff(Forward, square, Active, Duplicated(2.0, 1.0)),
        "Duplicated .* or DuplicatedNoNeed",
        [
            lambda: autodiff(Forward, square, Duplicated, Duplicated(2.0, 1.0)),
            lambda: autodiff(Forward, square, DuplicatedNoNeed, Duplicated(2.0, 1.0)),
        ],
    ),
    "an immutable shadow": (
        lambda: autodiff(Reverse, square, Active, Duplicated(2.0, 0.0)),
        r"Active\(x\)",
        [lambda: autodiff(Reverse, square, Active, Active(2.0))],
    ),
    "an array that is Active": (
        lambda: autodiff(Reverse, total, Active, Active(X)),
        r"Duplicated",
        [lambda: autodiff(Reverse, total, Active, Duplicated(X, make_zero(X)))],
    ),
    "mixed activity": (
        lambda: autodiff(Reverse, of_mixed, Active, Active((2.0, X))),
        r"MixedDuplicated\(x, ref\)",
        [lambda: autodiff(Reverse, of_mixed, Active, MixedDuplicated((2.0, X), [(0.0, zeros())]))],
    ),
    "a Duplicated return in reverse mode": (
        lambda: autodiff(Reverse, square, Duplicated, Duplicated(X, zeros())),
        r"Duplicated\(out, seed\), with Const return",
        [
            lambda: autodiff(
                Reverse, write, Const, Duplicated(zeros(), np.ones(2)), Duplicated(X, zeros())
            ),
            thunk(ReverseSplitNoPrimal, Const[typeof(square)], Duplicated, Duplicated[typeof(X)]),
        ],
    ),
    "a complex result": (
        lambda: gradient(Reverse, square, 2.0 + 1.0j),
        r"return a real number, as f\(z\)\.real",
        [
            lambda: gradient(Reverse, lambda z: (z * z).real, 2.0 + 1.0j),
            lambda: gradient(ReverseHolomorphic, square, 2.0 + 1.0j),
        ],
    ),
    "a complex Jacobian": (
        lambda: jacobian(Reverse, square, X + 1.0j),
        "ReverseHolomorphic",
        [
            lambda: jacobian(ReverseHolomorphic, square, X + 1.0j),
            lambda: jacobian(Reverse, lambda z: (z * z).real, X + 1.0j),
        ],
    ),
    "different numbers of shadows": (
        lambda: autodiff(
            Reverse, add, Active, BatchDuplicated(X, (zeros(), zeros())), Duplicated(X + 1, zeros())
        ),
        "the same number of shadows",
        [
            lambda: autodiff(
                Reverse, add, Active, Duplicated(X, zeros()), Duplicated(X + 1, zeros())
            )
        ],
    ),
    "storage that is Const": (
        lambda: autodiff(Reverse, scratch, Active, Active(2.0), Const(zeros())),
        r"Duplicated\(tmp, make_zero\(tmp\)\).*\n.*a copy.*\n.*clear_err_if_const_written\(mode\)",
        [
            lambda: autodiff(
                Reverse, scratch, Active, Active(2.0), Duplicated(zeros(), make_zero(zeros()))
            ),
            lambda: autodiff(Reverse, scratch_that_it_makes, Active, Active(2.0), Const(zeros())),
            lambda: autodiff(
                clear_err_if_const_written(Reverse), scratch, Active, Active(2.0), Const(zeros())
            ),
        ],
    ),
    "a read-only shadow": (
        lambda: autodiff(Reverse, total, Active, Duplicated(X, frozen)),
        r"make_zero\(x\)",
        [lambda: autodiff(Reverse, total, Active, Duplicated(X, make_zero(X)))],
    ),
    "its own shadow": (
        lambda: autodiff(Reverse, total, Active, Duplicated(X, X)),
        r"Const\(x\) if .*\n.*Duplicated\(x, make_zero\(x\)\)",
        [
            lambda: autodiff(Reverse, total, Active, Const(X)),
            lambda: autodiff(Reverse, total, Active, Duplicated(X, make_zero(X))),
        ],
    ),
    "shared memory with separate shadows": (
        lambda: autodiff(
            Reverse, doubled_and_added, Active, *(Duplicated(X2, zeros()) for _ in range(2))
        ),
        "views of one shadow, cut out like the primals",
        [
            lambda: autodiff(
                Reverse, doubled_and_added, Active, Duplicated(X2, zeros2), Duplicated(X2, zeros2)
            )
        ],
    ),
    "shared memory in a gradient": (
        lambda: gradient(Reverse, doubled_and_added, X2, X2),
        r"a copy of one of the two: x\.copy\(\); gradient and jacobian take no shadows",
        [lambda: gradient(Reverse, doubled_and_added, X2, X2.copy())],
    ),
    "Duplicated function": (
        lambda: autodiff(Reverse, Duplicated(square, square), Active, Active(2.0)),
        "a named tuple whose class defines __call__",
        [lambda: autodiff(Reverse, Duplicated(scaled, Scaled(np.zeros(1))), Active, Active(2.0))],
    ),
    "an Active function": (
        lambda: autodiff(Reverse, Active(square), Active, Active(2.0)),
        r"Const\(f\), or f itself",
        [
            lambda: autodiff(Reverse, Const(square), Active, Active(2.0)),
            lambda: autodiff(Reverse, square, Active, Active(2.0)),
        ],
    ),
    "a split mode with autodiff": (
        lambda: autodiff(ReverseSplitNoPrimal, square, Active, Active(2.0)),
        r"autodiff_thunk with this mode, or Combined\(mode\)",
        [
            lambda: autodiff(Combined(ReverseSplitNoPrimal), square, Active, Active(2.0)),
            thunk(ReverseSplitNoPrimal, Const[typeof(square)], Active, Active[float]),
        ],
    ),
    "a combined mode with a thunk": (
        thunk(Reverse, Const[typeof(square)], Active, Active[float]),
        r"Split\(mode\), or autodiff",
        [
            thunk(Split(Reverse), Const[typeof(square)], Active, Active[float]),
            lambda: autodiff(Reverse, square, Active, Active(2.0)),
        ],
    ),
    "a split mode with gradient": (
        lambda: gradient(ReverseSplitNoPrimal, total, X),
        "use Reverse or ReverseWithPrimal",
        [lambda: gradient(Reverse, total, X)],
    ),
    "no floats in the result": (
        lambda: gradient(Forward, lambda x: int(x), 2.5),
        "return a float",
        [lambda: gradient(Forward, lambda x: float(int(x)), 2.5)],
    ),
}
X2 = X.copy()
zeros2 = zeros()


@njit
def doubled_and_added(x, y):
    x *= 2.0
    return (x * y).sum()


@pytest.mark.parametrize("name", CASES)
def test_the_remedy_works(name):
    refused, says, remedies = CASES[name]
    with pytest.raises(EnzymeError, match=says):
        refused()
    for remedy in remedies:
        remedy()
