"""Globals that change between the two halves of a split derivative which is differentiated again."""

from __future__ import annotations

import ctypes
import re

import pytest

from enzyme.backend.jit import JittedModule

from .frontdoor_harness import command, opt

pytestmark = pytest.mark.rotating(27)

DOUBLE = ctypes.c_double
X = 1.5
# f(x) = x * x * c, where c is x.
PROGRAM = """
declare double @__enzyme_autodiff(...)
declare double @__enzyme_fwddiff(...)
declare ptr @__enzyme_augmentfwd(...)
declare double @__enzyme_reverse(...)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
@c = internal global double 3.0
define internal void @set(double %v) noinline {
  store double %v, ptr @c
  ret void
}
define internal double @get() noinline {
  %v = load double, ptr @c
  ret double %v
}
define internal double @f(double %x) ATTRIBUTES {
  call void @set(double %x)
  %c = load double, ptr @c
  %s = fmul double %x, %x
  %r = fmul double %s, %c
  ret double %r
}
define internal double @g(double %x) ATTRIBUTES {
  call void @set(double %x)
  ret double %x
}
define double @whole(double %x) ATTRIBUTES {
entry:
  %from = alloca double
  store double %x, ptr %from
  FIRST
  %t = call ptr (...) @__enzyme_augmentfwd(ptr @f, double %x)
  br label %next
next:
  BETWEEN
  %v = call double (...) @__enzyme_reverse(ptr @f, double %x, double 1.0, ptr %t)
  LAST
  ret double %v
}
define double @asked(double %x) {
  call void @set(double 3.0)
  %r = call double (...) @__enzyme_MODE(ptr @whole, double %xTANGENT)
  ret double %r
}
"""
# Pieces of the program, and whether they may write to what `f` uses.
PIECES = {
    "nothing": ("", False),
    "a read": ("%read = call double @get()", False),
    "memory of its own": ("store double %x, ptr %from", False),
    "a store": ("store double %x, ptr @c", True),
    "a function": ("call void @set(double %x)", True),
    "a copy": ("call void @llvm.memcpy.p0.p0.i64(ptr @c, ptr %from, i64 8, i1 false)", True),
    "a choice": (
        "%more = fcmp ogt double %x, 100.0\n"
        "  %place = select i1 %more, ptr %from, ptr @c\n  store double %x, ptr %place",
        True,
    ),
    "another derivative": (
        "%o = call double (...) @__enzyme_autodiff(ptr @g, double %x)",
        True,
    ),
    "a first half": (
        "%o = call ptr (...) @__enzyme_augmentfwd(ptr @g, double %x)\n"
        "  %w = call double (...) @__enzyme_reverse(ptr @g, double %x, double 1.0, ptr %o)",
        True,
    ),
}
PLACES = ("FIRST", "BETWEEN", "LAST")
MODES = {"autodiff": "", "fwddiff": ", double 1.0"}


def _program(piece, place, mode, attributes):
    text = PROGRAM.replace("ATTRIBUTES", attributes).replace("MODE", mode)
    text = text.replace("TANGENT", MODES[mode])
    for other in PLACES:
        text = re.sub(rf"\b{other}\b", piece if other == place else "", text)
    return text


@pytest.mark.parametrize("attributes", ["optnone noinline", ""], ids=["-O0", "-O2"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("piece", PIECES)
def test_right_or_refused(piece, place, mode, attributes):
    code, writes = PIECES[piece]
    text = _program(code, place, mode, attributes)
    if writes and place == "BETWEEN":
        code, _, said = command(["opt", "-"], text)
        assert code
        assert "@c may change between the two calls of the split derivative of @f" in said
        return
    made = JittedModule(opt(text), optimise=not attributes)
    assert made.function("whole", DOUBLE, DOUBLE)(X) == pytest.approx(3 * X**2, rel=1e-14)
    assert made.function("asked", DOUBLE, DOUBLE)(X) == pytest.approx(6 * X, rel=1e-14)
