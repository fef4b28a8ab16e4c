"""Eight bytes that hold numbers of single precision and are moved as one integer, in functions of their own.

A function that only moves bytes does not say what they are; whoever calls it does.
"""

from __future__ import annotations

import ctypes
import itertools

import numpy as np
import pytest

from enzyme.backend.jit import JittedModule

from .frontdoor_harness import opt

pytestmark = pytest.mark.rotating(14)

# What the bytes are, how the second half is written, and how often x * x comes out of both.
KINDS = {
    "two floats": ("float", "store float %s, ptr %q", "%v = load float, ptr %o", 1.0),
    "a float, an integer": (
        "i32",
        "store i32 2, ptr %q",
        "%k = load i32, ptr %o\n  %h = sitofp i32 %k to float\n  %v = fmul float %h, %a",
        2.0,
    ),
}
MOVES = {
    "one": "  %i = load i64, ptr %from, align 4\n  store i64 %i, ptr %to, align 4\n",
    "through two": "  %i = load i64, ptr %from, align 4\n  store i64 %i, ptr %spare, align 4\n"
    "  %j = load i64, ptr %spare, align 4\n  store i64 %j, ptr %to, align 4\n",
    "to two": "  %i = load i64, ptr %from, align 4\n  store i64 %i, ptr %to, align 4\n"
    "  store i64 %i, ptr %spare, align 4\n",
}
MODULE = """
declare double @__enzyme_autodiff(...)
declare double @__enzyme_fwddiff(...)
define internal void @move(ptr %to, ptr %from, ptr %spare) noinline {
MOVE  ret void
}
define double @f(double %x) {
  %from = alloca { float, SECOND }
  %to = alloca { float, SECOND }
  %spare = alloca { float, SECOND }
  %s = fptrunc double %x to float
  store float %s, ptr %from
  %q = getelementptr i8, ptr %from, i64 4
  WRITE
  call void @move(ptr %to, ptr %from, ptr %spare)
  %a = load float, ptr %to
  %o = getelementptr i8, ptr %to, i64 4
  READ
  %p = fmul float %a, %v
  %r = fpext float %p to double
  ret double %r
}
"""
CALLS = {
    "autodiff": "@__enzyme_autodiff(ptr @INNER, double %x)",
    "fwddiff": "@__enzyme_fwddiff(ptr @INNER, double %x, double 1.0)",
}


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("kind", KINDS)
def test_pairs_that_are_moved_elsewhere(kind, move):
    second, write, read, often = KINDS[kind]
    text = MODULE.replace("MOVE", MOVES[move]).replace("SECOND", second)
    text = text.replace("WRITE", write).replace("READ", read)
    for outer, inner in [("", mode) for mode in CALLS] + list(itertools.product(CALLS, repeat=2)):
        call = CALLS[outer or inner].replace("INNER", inner if outer else "f")
        text += f"define double @{f'{outer}_of_' if outer else ''}{inner}(double %x) {{\n"
        text += f"  %r = call double (...) {call}\n  ret double %r\n}}\n"
    made = JittedModule(opt(text), optimise=False)
    x = 1.3
    single = float(np.float32(x))
    for inner in CALLS:
        run = made.function(inner, ctypes.c_double, ctypes.c_double)
        assert run(x) == pytest.approx(2 * often * single, rel=1e-6)
        for outer in CALLS:
            run = made.function(f"{outer}_of_{inner}", ctypes.c_double, ctypes.c_double)
            assert run(x) == pytest.approx(2 * often, rel=1e-6)
