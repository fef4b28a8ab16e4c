"""Derivatives of derivatives that pass through globals of the program, in all modes."""

from __future__ import annotations

import ctypes
import itertools
import math

import pytest

from enzyme.backend.jit import JittedModule

from .frontdoor_harness import opt

pytestmark = pytest.mark.rotating(4)

DOUBLE = ctypes.c_double
X = 1.5
# x ** 4, by way of memory that is not the function's own.
PROGRAM = """
declare double @__enzyme_autodiff(...)
declare double @__enzyme_fwddiff(...)
declare ptr @__enzyme_augmentfwd(...)
declare double @__enzyme_reverse(...)
@kept = internal global [2 x double] zeroinitializer
@other = global double 7.0
define internal void @keep(double %x) ATTRIBUTES {
  %s = fmul double %x, %x
  %p = getelementptr [2 x double], ptr @kept, i64 0, i64 1
  store double %s, ptr %p
  store double %x, ptr @other
  ret void
}
define double @d0(double %x) ATTRIBUTES {
  call void @keep(double %x)
  %p = getelementptr [2 x double], ptr @kept, i64 0, i64 1
  %s = load double, ptr %p
  %o = load double, ptr @other
  %t = fmul double %s, %o
  %r = fmul double %t, %x
  ret double %r
}
"""
# What is computed around each derivative: more of the same globals, or nothing.
AROUND = {
    "alone": "  ret double %v\n",
    "with more": "  call void @keep(double %x)\n  %o = load double, ptr @other\n"
    "  %d = fsub double %o, %x\n  %r = fadd double %v, %d\n  ret double %r\n",
}
CALLS = {
    "reverse": "  %v = call double (...) @__enzyme_autodiff(ptr @dN, double %x)\n",
    "forward": "  %v = call double (...) @__enzyme_fwddiff(ptr @dN, double %x, double 1.0)\n",
    "split": "  %t = call ptr (...) @__enzyme_augmentfwd(ptr @dN, double %x)\n"
    "  %v = call double (...) @__enzyme_reverse(ptr @dN, double %x, double 1.0, ptr %t)\n",
}
DERIVATIVES = (X**4, 4 * X**3, 12 * X**2, 24 * X)


@pytest.mark.parametrize(
    ("around", "attributes"),
    [("alone", "optnone noinline"), ("with more", "")],
    ids=["alone, -O0", "with more, -O2"],
)
@pytest.mark.parametrize("modes", [*itertools.product(CALLS, repeat=2)], ids=" in ".join)
def test_through_globals(modes, around, attributes):
    """Each as often as it is asked for: what one leaves in the globals or in shadows does not reach the next."""
    asked = [*modes] if "split" in modes else [*modes, "forward"]
    text = PROGRAM
    for number, mode in enumerate(asked):
        call = CALLS[mode].replace("dN", f"d{number}")
        text += f"define double @d{number + 1}(double %x) ATTRIBUTES {{\n{call}{AROUND[around]}}}\n"
    made = JittedModule(opt(text.replace("ATTRIBUTES", attributes)), optimise=False)
    for _ in range(2):
        for number in range(len(asked) + 1):
            given = made.function(f"d{number}", DOUBLE, DOUBLE)(X)
            assert given == pytest.approx(DERIVATIVES[number], rel=1e-13), number


# Of the global on entry, and of two kinds of memory that the function fills.
BETWEEN = """
declare ptr @__enzyme_augmentfwd(...)
declare double @__enzyme_reverse(...)
declare ptr @malloc(i64)
declare double @sin(double)
@kept = internal global double 0.0
@place = internal global ptr null
define internal void @keep(double %x) noinline {
  %s = fmul double %x, %x
  store double %s, ptr @kept
  %m = call ptr @malloc(i64 8)
  store ptr %m, ptr @place
  store double %s, ptr %m
  ret void
}
define internal void @change() noinline {
  %m = load ptr, ptr @place
  %o = load double, ptr %m
  %a = load double, ptr @kept
  %t = call double @sin(double %o)
  %u = fmul double %t, %a
  store double %u, ptr %m
  ret void
}
define double @f(double %x) ATTRIBUTES {
  %z = load double, ptr @kept
  %zx = fmul double %z, %x
  call void @keep(double %x)
  call void @change()
  %m = load ptr, ptr @place
  %o = load double, ptr %m
  %a = load double, ptr @kept
  %t = fmul double %o, %a
  %r = fadd double %t, %zx
  ret double %r
}
define double @both(double %x, double %y, ptr %out) ATTRIBUTES {
  store double 2.0, ptr @kept
  %t = call ptr (...) @__enzyme_augmentfwd(ptr @f, double %x)
  store double 2.0, ptr @kept
  %u = call ptr (...) @__enzyme_augmentfwd(ptr @f, double %y)
  store double 7.0, ptr @kept
  store ptr null, ptr @place
  %v = call double (...) @__enzyme_reverse(ptr @f, double %x, double 1.0, ptr %t)
  %w = call double (...) @__enzyme_reverse(ptr @f, double %y, double 1.0, ptr %u)
  store double %w, ptr %out
  ret double %v
}
"""


@pytest.mark.parametrize("attributes", ["optnone noinline", ""], ids=["-O0", "-O2"])
def test_between_the_calls_of_split_derivatives(attributes):
    """Another derivative through the same globals, and new values in them, change nothing."""
    made = JittedModule(opt(BETWEEN.replace("ATTRIBUTES", attributes)), optimise=not attributes)
    second = DOUBLE()
    both = made.function("both", DOUBLE, DOUBLE, DOUBLE, ctypes.c_void_p)
    first = both(X, 0.5, ctypes.addressof(second))
    for x, given in ((X, first), (0.5, second.value)):
        s = x * x
        expected = 2 + (2 * s * math.sin(s) + s * s * math.cos(s)) * 2 * x
        assert given == pytest.approx(expected, rel=1e-13)
