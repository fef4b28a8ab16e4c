"""Misuse: one clear exception each, of the library's own types, and nothing worse."""

from __future__ import annotations

import os
import subprocess
import sys

import numba
import numpy as np
import pytest
from numba import jit, njit
from numba.core.errors import NumbaError, TypingError

import enzyme
from enzyme import (
    Active,
    Annotation,
    BatchDuplicated,
    BatchDuplicatedNoNeed,
    Combined,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    Forward,
    ForwardMode,
    MixedDuplicated,
    Reverse,
    ReverseHolomorphic,
    ReverseSplitWithPrimal,
    autodiff,
)
from enzyme.errors import (
    ActivityError,
    BatchSizeError,
    CompilationException,
    EnzymeError,
    EnzymeNoDerivativeError,
    ModeError,
    NonInferredActiveReturn,
    ShadowLayoutError,
    ShadowTypeError,
)


@njit
def square(x):
    return x * x


@njit
def total(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * x[i]
    return s


@njit
def copy_into(out, x):
    for i in range(len(x)):
        out[i] = x[i]


@njit
def take(x, y):
    return 1.0


def ones(*shape, **options):
    return np.ones(shape, **options)


def read_only(x):
    x.flags.writeable = False
    return x


def unchecked(x, dx):
    return Duplicated(x, dx, check=False)


def pair(x):
    return (x, 2.0 * x)


BUFFER = ones(8)
COMPLEX = np.array([1j])

CASES = {
    # shadows that do not fit
    "shape": (lambda: Duplicated(ones(3), ones(2)), ShadowLayoutError, "shape"),
    "dtype": (lambda: Duplicated(ones(3), ones(3, dtype="f4")), ShadowTypeError, "dtype"),
    "strides": (lambda: Duplicated(ones(3), ones(6)[::2]), ShadowLayoutError, "strides"),
    "order": (
        lambda: Duplicated(ones(2, 3), np.asfortranarray(ones(2, 3))),
        ShadowLayoutError,
        "strides",
    ),
    "int tangent": (lambda: Duplicated(1.0, 1), ShadowTypeError, "write the derivative as a float"),
    "nested tuples": (
        lambda: Duplicated(((1.0, 2.0), 3.0), ((1.0,), 3.0)),
        ShadowTypeError,
        "length",
    ),
    "nested arrays": (lambda: Duplicated((ones(2),), (ones(3),)), ShadowLayoutError, r"\[0\]"),
    "list for a batch": (lambda: BatchDuplicated(1.0, [1.0]), ActivityError, "tuple of shadows"),
    "unchecked shape": (
        lambda: autodiff(Reverse, total, Active, unchecked(ones(3), ones(2))),
        ShadowLayoutError,
        "shape",
    ),
    "unchecked shape at a second call": (
        lambda: [
            autodiff(Reverse, total, Active, Duplicated(ones(3), ones(3))),
            autodiff(Reverse, total, Active, unchecked(ones(3), ones(2))),
        ],
        ShadowLayoutError,
        "shape",
    ),
    "unchecked strides": (
        lambda: autodiff(Forward, total, unchecked(ones(6)[::2], ones(9)[::3])),
        ShadowLayoutError,
        "strides",
    ),
    "unchecked dtype": (
        lambda: autodiff(Reverse, total, Active, unchecked(ones(3), ones(3, dtype="f4"))),
        ShadowTypeError,
        "dtype",
    ),
    "unchecked class": (
        lambda: autodiff(Reverse, total, Active, unchecked(ones(3), 1.0)),
        ShadowTypeError,
        "type",
    ),
    "read-only shadow": (
        lambda: autodiff(Reverse, total, Active, Duplicated(ones(3), read_only(ones(3)))),
        ShadowLayoutError,
        "read-only",
    ),
    "read-only shadow of an output": (
        lambda: autodiff(
            Forward,
            copy_into,
            Const,
            Duplicated(ones(3), read_only(ones(3))),
            Duplicated(ones(3), ones(3)),
        ),
        ShadowLayoutError,
        "read-only",
    ),
    # shadows that share memory
    "own shadow": (
        lambda: autodiff(Reverse, total, Active, Duplicated(BUFFER, BUFFER)),
        ActivityError,
        "runtime activity",
    ),
    "own shadow by a view": (
        lambda: autodiff(Reverse, total, Active, Duplicated(BUFFER[:], BUFFER[:])),
        ActivityError,
        "its own shadow",
    ),
    "shadow over its primal": (
        lambda: autodiff(Reverse, total, Active, Duplicated(BUFFER[:4], BUFFER[2:6])),
        ShadowLayoutError,
        "its primal",
    ),
    "shadow over another primal": (
        lambda: autodiff(
            Reverse, take, Active, Duplicated(ones(8), BUFFER), Duplicated(BUFFER, ones(8))
        ),
        ShadowLayoutError,
        "argument 1",
    ),
    "shadow over a constant": (
        lambda: autodiff(Reverse, take, Active, Duplicated(ones(8), BUFFER), Const(BUFFER[3:])),
        ShadowLayoutError,
        "argument 1",
    ),
    "written alias with another shadow": (
        lambda: autodiff(
            Reverse,
            copy_into,
            Const,
            Duplicated(BUFFER[1:], ones(7)),
            Duplicated(BUFFER[:-1], ones(7)),
        ),
        ShadowLayoutError,
        "do not share theirs",
    ),
    "written alias that is constant": (
        lambda: autodiff(
            Reverse, copy_into, Const, Duplicated(BUFFER[1:], ones(7)), Const(BUFFER[:-1])
        ),
        ShadowLayoutError,
        "do not share theirs",
    ),
    # annotations
    "no annotation": (lambda: autodiff(Reverse, square, Active, 1.0), ActivityError, "wrap it"),
    "no annotation, second": (
        lambda: autodiff(Reverse, take, Active(1.0), 2.0),
        ActivityError,
        "argument 1",
    ),
    "annotation class as argument": (
        lambda: autodiff(Reverse, take, Active, Active(1.0), Const),
        ActivityError,
        "argument 1 is the class Const",
    ),
    "mode as argument": (lambda: autodiff(Reverse, square, Reverse), ModeError, "is a mode"),
    "Active array": (lambda: Active(ones(3)), ActivityError, "use Duplicated"),
    "Active list": (lambda: Active([1.0]), ActivityError, "use Duplicated"),
    "Active tuple of arrays": (
        lambda: autodiff(Reverse, lambda t: t[0][0], Active, Active((ones(2),))),
        ActivityError,
        "holds memory",
    ),
    "Active mixed": (
        lambda: autodiff(Reverse, lambda t: t[0] * t[1][0], Active, Active((1.0, ones(2)))),
        ActivityError,
        "mixed activity",
    ),
    "Duplicated mixed in reverse": (
        lambda: autodiff(
            Reverse, lambda t: t[0] * t[1][0], Active, Duplicated((1.0, ones(2)), (0.0, ones(2)))
        ),
        ActivityError,
        "MixedDuplicated",
    ),
    "Active in forward mode": (
        lambda: autodiff(Forward, square, Duplicated, Active(1.0)),
        ActivityError,
        r"use Duplicated\(x, dx\)",
    ),
    "Duplicated number in reverse": (
        lambda: autodiff(Reverse, square, Active, Duplicated(1.0, 0.0)),
        ActivityError,
        "use Active",
    ),
    "Duplicated tuple in reverse": (
        lambda: autodiff(Reverse, lambda t: t[0], Duplicated((1.0, 2.0), (0.0, 0.0))),
        ActivityError,
        "use Active",
    ),
    "nothing to differentiate: None": (
        lambda: autodiff(Reverse, lambda n, y: y, Active, Active(None), Active(1.0)),
        ActivityError,
        "argument 0 is Active.*nothing to differentiate",
    ),
    "nothing to differentiate: dtype": (
        lambda: autodiff(
            Forward,
            lambda x, t: x,
            Duplicated(1.0, 1.0),
            Duplicated(np.dtype("f4"), np.dtype("f4")),
        ),
        ActivityError,
        "argument 1.*nothing to differentiate",
    ),
    "nothing to differentiate: class": (
        lambda: autodiff(Forward, take, Duplicated(np.float32, np.float32), Const(1.0)),
        ActivityError,
        "nothing to differentiate",
    ),
    "nothing to differentiate: function": (
        lambda: autodiff(Forward, take, Duplicated(square, square), Const(1.0)),
        ActivityError,
        "nothing to differentiate",
    ),
    "nothing to differentiate: empty tuple": (
        lambda: autodiff(Forward, take, Duplicated((), ()), Const(1.0)),
        ActivityError,
        "nothing to differentiate",
    ),
    "value numba does not know": (
        lambda: autodiff(Reverse, take, Active, Const(object()), Active(1.0)),
        ActivityError,
        "argument 0: numba cannot compile",
    ),
    "object array": (
        lambda: autodiff(Reverse, take, Active, Const(np.array([None])), Active(1.0)),
        ActivityError,
        "argument 0",
    ),
    "Ref that is none": (lambda: MixedDuplicated(1.0, 0.0), ActivityError, "in a Ref"),
    # batches
    "zero shadows": (
        lambda: autodiff(Forward, square, BatchDuplicated(1.0, ())),
        BatchSizeError,
        "zero shadows",
    ),
    "different numbers of shadows": (
        lambda: autodiff(
            Forward, take, BatchDuplicated(1.0, (1.0,)), BatchDuplicatedNoNeed(1.0, (1.0, 2.0))
        ),
        BatchSizeError,
        "1 in argument 0, 2 in argument 1",
    ),
    # modes and order
    "no mode": (lambda: autodiff(square, Active, Active(1.0)), ModeError, "mode comes first"),
    "mode second": (lambda: autodiff(square, Reverse, Active(1.0)), ModeError, "swapped"),
    "mode class": (lambda: autodiff(ForwardMode, square, Active(1.0)), ModeError, "the class"),
    "text for a mode": (lambda: autodiff("reverse", square, Active(1.0)), ModeError, "'reverse'"),
    "split mode": (
        lambda: autodiff(ReverseSplitWithPrimal, square, Active, Active(1.0)),
        ModeError,
        "autodiff_thunk",
    ),
    "return activity before the function": (
        lambda: autodiff(Reverse, Active, square, Active(1.0)),
        ActivityError,
        r"autodiff\(mode, square, Active",
    ),
    "holomorphic batch": (
        lambda: autodiff(ReverseHolomorphic, total, BatchDuplicated(COMPLEX, (COMPLEX, COMPLEX))),
        BatchSizeError,
        "three lanes",
    ),
    # return activities
    "Active return in forward mode": (
        lambda: autodiff(Forward, square, Active, Duplicated(1.0, 1.0)),
        ActivityError,
        "DuplicatedNoNeed",
    ),
    "Duplicated return in reverse": (
        lambda: autodiff(Reverse, square, Duplicated, Active(1.0)),
        ActivityError,
        "Duplicated returns are not handled",
    ),
    "NoNeed return in reverse": (
        lambda: autodiff(Reverse, square, DuplicatedNoNeed, Active(1.0)),
        ActivityError,
        "output argument",
    ),
    "batch return in reverse": (
        lambda: autodiff(Reverse, square, BatchDuplicated, Active(1.0)),
        ActivityError,
        "Duplicated returns are not handled",
    ),
    "mixed return": (
        lambda: autodiff(Forward, square, MixedDuplicated, Duplicated(1.0, 1.0)),
        ActivityError,
        "split reverse mode",
    ),
    "abstract return": (
        lambda: autodiff(Reverse, square, Annotation, Active(1.0)),
        ActivityError,
        "abstract",
    ),
    "wrong return type": (
        lambda: autodiff(Reverse, square, Active[np.float32], Active(1.0)),
        NonInferredActiveReturn,
        "float64",
    ),
    "array return": (
        lambda: autodiff(Reverse, lambda x: x * 2.0, Duplicated(ones(2), ones(2))),
        ActivityError,
        "output argument",
    ),
    "array return marked Active": (
        lambda: autodiff(Reverse, lambda x: x * 2.0, Active, Duplicated(ones(2), ones(2))),
        ActivityError,
        "no default seed",
    ),
    "tuple return": (
        lambda: autodiff(Reverse, pair, Active, Active(1.0)),
        ActivityError,
        "no default seed",
    ),
    "tuple return, activity left out": (
        lambda: autodiff(Reverse, pair, Active(1.0)),
        ActivityError,
        "no default seed",
    ),
    "complex return": (
        lambda: autodiff(Reverse, square, Active, Active(1j)),
        ActivityError,
        "ambiguous",
    ),
    "complex return, activity left out": (
        lambda: autodiff(Reverse, square, Active(1j)),
        ActivityError,
        "real",
    ),
    "constant return marked Duplicated": (
        lambda: autodiff(Forward, square, Duplicated, Duplicated(2, 1)),
        ActivityError,
        "int64.*\n.*\n.*Const",
    ),
    "constant return marked Active": (
        lambda: autodiff(Reverse, lambda x: None, Active, Active(1.0)),
        ActivityError,
        "constant type none",
    ),
    # functions
    "Active function": (
        lambda: autodiff(Reverse, Active(1.0), Active(1.0)),
        ActivityError,
        "cannot be Active",
    ),
    "Duplicated function": (
        lambda: autodiff(Reverse, Duplicated(square, square), Active(1.0)),
        ActivityError,
        "holds no data",
    ),
    "no function": (
        lambda: autodiff(Reverse, 3.0, Active(1.0)),
        ActivityError,
        "must be a function",
    ),
    "text for a function": (
        lambda: autodiff(Reverse, "square", Active(1.0)),
        ActivityError,
        "must be a function",
    ),
    "callable object with items": (
        lambda: autodiff(Reverse, Items(), Active(1.0)),
        ActivityError,
        "which defines __getitem__",
    ),
    "method of an object with items": (
        lambda: autodiff(Reverse, Items().method, Active(1.0)),
        ActivityError,
        "which defines __getitem__",
    ),
    "object mode": (
        lambda: autodiff(Reverse, jit(forceobj=True)(lambda x: x), Active(1.0)),
        CompilationException,
        "object mode",
    ),
}


class Items:
    def __call__(self, x):
        return x

    def method(self, x):
        return x

    def __getitem__(self, place):
        return place


@pytest.mark.parametrize("name", CASES)
def test_misuse(name):
    call, cls, text = CASES[name]
    with pytest.raises(EnzymeError, match=text) as caught:
        call()
    assert type(caught.value) is cls
    # Python's own kinds of errors, so that general handlers work.
    assert isinstance(caught.value, (TypeError, ValueError, CompilationException))


def test_enough_cases():
    assert len(CASES) >= 40


def test_message_has_all_parts():
    with pytest.raises(ActivityError) as caught:
        autodiff(Forward, square, Duplicated, Active(1.0))
    error = caught.value
    assert error.where.file == __file__ and "autodiff(Forward, square" in str(error)
    assert error.what and error.why and error.todo
    assert "what to do: use Duplicated(x, dx)" in str(error)


def test_line_of_a_call_that_overlaps():
    x = ones(6)
    autodiff(Reverse, total, Duplicated(ones(4), ones(4)))
    with pytest.raises(ShadowLayoutError) as caught:
        autodiff(Reverse, total, Duplicated(x[:4], x[2:]))
    assert caught.value.where.file == __file__ and "Duplicated(x[:4], x[2:])" in str(caught.value)


def test_shadows_are_untouched_after_refusal():
    x = ones(6)
    with pytest.raises(ShadowLayoutError):
        autodiff(Reverse, total, Duplicated(x[:4], x[2:]))
    assert x.tolist() == [1.0] * 6


# --- errors that are not ours ---------------------------------------------------------------------


@pytest.mark.parametrize("args", [(), (Active(1.0), Active(2.0))])
def test_wrong_number_of_arguments(args):
    with pytest.raises(TypeError) as caught:
        autodiff(Reverse, square, Active, *args)
    assert not isinstance(caught.value, EnzymeError)


def test_numbas_errors_come_unwrapped():
    with pytest.raises(TypingError):
        autodiff(Reverse, lambda x: x.nothing, Active, Active(1.0))
    with pytest.raises(NumbaError):
        autodiff(Reverse, lambda x: [*{}.items(), x][0], Active, Active(1.0))
    with pytest.raises(TypingError):
        autodiff(Reverse, square, Active, Const("text"))


def test_primals_exceptions_come_unwrapped():
    @njit(boundscheck=True)
    def f(x, y, i):
        if i > 5:
            raise KeyError("user", i)
        return x[i] / y

    def call(i, y=2.0):
        return autodiff(Reverse, f, Active, Duplicated(ones(3), ones(3)), Active(y), Const(i))

    assert call(1)[0][1] == -0.25
    with pytest.raises(IndexError):
        call(4)
    with pytest.raises(ZeroDivisionError):
        call(1, 0.0)
    with pytest.raises(KeyError) as caught:
        call(6)
    assert caught.value.args == ("user", 6)


class Mine(Exception):
    pass


@pytest.mark.parametrize("mode", [Reverse, Forward])
def test_primal_that_always_raises(mode):
    def f(x):
        raise Mine("always")

    x = Active(1.0) if mode is Reverse else Duplicated(1.0, 1.0)
    for given in ((), (Const,), (Active if mode is Reverse else Duplicated,)):
        for _ in range(2):
            with pytest.raises(Mine, match="always"):
                autodiff(mode, f, *given, x)


def test_refusal_of_the_engine_names_the_line():
    import ctypes

    foreign = ctypes.CDLL("libm.so.6").significandf
    foreign.argtypes, foreign.restype = [ctypes.c_float], ctypes.c_float

    @njit
    def f(x):
        y = x * 2
        return foreign(y)

    with pytest.raises(EnzymeNoDerivativeError) as caught:
        autodiff(Reverse, f, Active, Active(np.float32(1)))
    assert caught.value.where.file == __file__


def test_combined_of_a_split_mode_works():
    assert autodiff(Combined(ReverseSplitWithPrimal), square, Active(1.0)) == ((2.0,), 1.0)


def test_unknown_attribute():
    with pytest.raises(AttributeError):
        enzyme.nothing


TRACED = """
import traceback
import numpy as np
from enzyme import Reverse, gradient, grad
def strict(x):
    if x[0] > 0.0:
        raise ValueError("positive")
    return x[0]
for call in (
    lambda: gradient(Reverse, lambda x: x * 2, np.ones(2)),
    lambda: grad(lambda x: unknown(x))(2.0),
    lambda: gradient(Reverse, strict, np.ones(2)),
):
    try:
        call()
    except Exception as error:
        print(len(traceback.extract_tb(error.__traceback__)), error.__suppress_context__)
"""


@pytest.mark.parametrize("full", ["0", "1"])
def test_tracebacks_show_the_frames_of_users(full):
    """Two of the program and what of ours stands between: the rest is for those who ask."""
    environment = dict(os.environ, ENZYME_FULL_TRACEBACK=full)
    done = subprocess.run(
        [sys.executable, "-c", TRACED], env=environment, capture_output=True, text=True, check=True
    )
    counts = [int(line.split()[0]) for line in done.stdout.splitlines()]
    assert len(counts) == 3
    assert max(counts) <= 4 if full == "0" else min(counts) > 4


def test_with_the_compiler_switched_off(monkeypatch):
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 1)
    with pytest.raises(EnzymeError, match="unset NUMBA_DISABLE_JIT"):
        enzyme.grad(lambda x: x * x)(2.0)
