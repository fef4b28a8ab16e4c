"""Functions in LLVM IR from Python: called, and differentiated."""

from __future__ import annotations

import subprocess
import sys

import llvmlite.binding
import numpy as np
import pytest

import enzyme
from enzyme.errors import EnzymeError
from enzyme.llvm import Function, autodiff, compile_c, load
from enzyme.llvm.compilers import find_clang
from enzymecore import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    Forward,
    ForwardWithPrimal,
    Reverse,
    ReverseSplitNoPrimal,
    ReverseWithPrimal,
)

TEXT = """
declare double @llvm.sqrt.f64(double)
define double @square(double %x) {
  %y = fmul double %x, %x
  ret double %y
}
define float @half(float %x) {
  %y = fmul float %x, 5.0e-01
  ret float %y
}
define double @power(double %x, i32 %n) {
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %j, %loop ]
  %p = phi double [ 1.0, %0 ], [ %q, %loop ]
  %q = fmul double %p, %x
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %loop, label %end
end:
  ret double %q
}
define void @scale(double %a, ptr %x, ptr %y) {
  %v = load double, ptr %x
  %r = fmul double %a, %v
  store double %r, ptr %y
  ret void
}
define double @two(double %x, double %y) {
  %a = fmul double %x, %x
  %r = fmul double %a, %y
  ret double %r
}
"""


@pytest.fixture(scope="module")
def module():
    return load(TEXT)


def test_calls(module):
    assert module.functions == ("square", "half", "power", "scale", "two")
    assert isinstance(module.square, Function)
    assert module.square is module["square"]
    assert repr(module.power) == "<function double power(double, i32)>"
    assert module.square(3) == 9.0
    assert module.half(3.0) == 1.5
    assert module.power(2.0, 5) == 32.0
    x, y = np.array([4.0]), np.zeros(1)
    assert module.scale(2.0, x, y) is None
    assert y[0] == 8.0


@pytest.mark.parametrize(
    ("mode", "name", "arguments", "expected"),
    [
        (Reverse, "square", (Active, Active(3.0)), ((6.0,),)),
        (Reverse, "square", (Active(3.0),), ((6.0,),)),
        (ReverseWithPrimal, "square", (Active, Active(3.0)), ((6.0,), 9.0)),
        (Reverse, "two", (Active(3.0), Active(2.0)), ((12.0, 9.0),)),
        (Reverse, "two", (Active, Const(3.0), Active(2.0)), ((None, 9.0),)),
        (Reverse, "square", (Const, Active(3.0)), ((0.0,),)),
        (Reverse, "half", (Active(3.0),), ((0.5,),)),
        (Reverse, "power", (Active(2.0), Const(3)), ((12.0, None),)),
        (Forward, "square", (Duplicated(3.0, 1.0),), (6.0,)),
        (Forward, "square", (Duplicated, Duplicated(3.0, 1.0)), (9.0, 6.0)),
        (Forward, "square", (DuplicatedNoNeed, Duplicated(3.0, 1.0)), (6.0,)),
        (Forward, "square", (Const, Duplicated(3.0, 1.0)), ()),
        (ForwardWithPrimal, "square", (Duplicated(3.0, 1.0),), (6.0, 9.0)),
        (Forward, "square", (BatchDuplicated(3.0, (1.0, 2.0)),), ((6.0, 12.0),)),
        (Forward, "two", (Duplicated(3.0, 1.0), Const(2.0)), (12.0,)),
    ],
)
def test_derivatives(module, mode, name, arguments, expected):
    assert autodiff(mode, module[name], *arguments) == expected
    assert enzyme.autodiff(mode, module[name], *arguments) == expected


def test_arrays(module):
    x, dx, y, dy = np.array([3.0]), np.zeros(1), np.zeros(1), np.ones(1)
    made = autodiff(Reverse, module.scale, Const, Active(2.0), Duplicated(x, dx), Duplicated(y, dy))
    assert made == ((3.0, None, None),)
    assert (dx[0], y[0]) == (2.0, 6.0)
    dy[:] = 0.0
    shadows = Duplicated(x, np.ones(1)), DuplicatedNoNeed(y, dy)
    assert autodiff(Forward, module.scale, Const(2.0), *shadows) == ()
    assert dy[0] == 2.0


@pytest.mark.parametrize(
    ("error", "words", "call"),
    [
        (TypeError, "takes 1 argument", lambda m: m.square()),
        (TypeError, "is an integer", lambda m: m.power(2.0, 1.5)),
        (OverflowError, "32 bits", lambda m: m.power(2.0, 2**40)),
        (TypeError, "takes buffers", lambda m: m.scale(1.0, [1.0], None)),
        (TypeError, "without gaps", lambda m: m.scale(1.0, np.zeros(4)[::2], None)),
        (AttributeError, "no function 'cube'", lambda m: m.cube),
        (TypeError, "takes a function of a module", lambda m: autodiff(Reverse, abs, Active(1.0))),
        (EnzymeError, "has no annotation", lambda m: autodiff(Reverse, m.square, 1.0)),
        (EnzymeError, "cannot be Active", lambda m: autodiff(Forward, m.square, Active(1.0))),
        (
            EnzymeError,
            "cannot be Duplicated",
            lambda m: autodiff(Reverse, m.square, Duplicated(1.0, 1.0)),
        ),
        (
            EnzymeError,
            "is not supported",
            lambda m: autodiff(ReverseSplitNoPrimal, m.square, Active(1.0)),
        ),
        (
            EnzymeError,
            "in this mode",
            lambda m: autodiff(Reverse, m.square, Duplicated, Active(1.0)),
        ),
        (
            EnzymeError,
            "has no derivative",
            lambda m: autodiff(Reverse, m.scale, Active, *[Const(None)] * 3),
        ),
    ],
)
def test_misuse(module, error, words, call):
    with pytest.raises(error, match=words):
        call(module)


def test_load_from_files_and_bitcode(tmp_path, module):
    path = tmp_path / "module.ll"
    path.write_text(TEXT)
    bitcode = llvmlite.binding.parse_assembly(TEXT).as_bitcode()
    for source in (path, str(path), bitcode):
        assert load(source).square(3.0) == 9.0
    with pytest.raises(EnzymeError, match="line 2"):
        load("define\n")
    with pytest.raises(OSError):
        load(tmp_path / "nothing.ll")


@pytest.mark.skipif(find_clang() is None, reason="there is no clang")
def test_compile_c():
    module = compile_c("double cube(double x) { return x * x * x; }")
    assert autodiff(Reverse, module.cube, Active(2.0)) == ((12.0,),)
    with pytest.raises(EnzymeError, match="clang does not accept"):
        compile_c("double cube(")
    with pytest.raises(EnzymeError, match="language"):
        compile_c("", language="fortran")


def test_numba_is_not_imported():
    program = (
        "import sys; from enzyme.llvm import load; from enzymecore import *;"
        f"m = load({TEXT!r}); from enzyme.llvm import autodiff;"
        "print(autodiff(Reverse, m.square, Active(3.0)), 'numba' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "((6.0,),) False\n"
