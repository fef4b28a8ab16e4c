"""Derivatives of derivatives that pass through globals of the program, in all modes."""

from __future__ import annotations

import ctypes
import itertools

import pytest

from enzyme.backend.jit import JittedModule

from .frontdoor_harness import opt

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
