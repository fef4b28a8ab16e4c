"""Calls by pointers in modules where derivatives are functions of the same type, whose addresses are taken, too."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

from enzyme.backend.jit import JittedModule

from .frontdoor_harness import opt

pytestmark = pytest.mark.rotating(3)

DOUBLE = ctypes.c_double
X = 1.5
MODULE = """
declare double @__enzyme_autodiff(...)
declare double @__enzyme_fwddiff(...)
@chosen = global ptr @twice
@inner = global ptr @square
@taken = global [COUNT x ptr] [TAKEN]
define void @choose(i64 %k) {
  %a = getelementptr ptr, ptr @taken, i64 %k
  %p = load ptr, ptr %a
  store ptr %p, ptr @chosen
  ret void
}
define internal double @square(double %x) {
  %r = fmul double %x, %x
  ret double %r
}
define double @f(double %x) {
  %p = load ptr, ptr @chosen
  %v = call double %p(double %x)
  %r = fmul double %v, %x
  ret double %r
}
define double @g(double %x) {
  %p = load ptr, ptr @chosen
  %v = call double %p(double %x)
  %r = fadd double %v, %x
  ret double %r
}
define internal double @hop(double %x) {
  %p = load ptr, ptr @inner
  %v = call double %p(double %x)
  %r = fmul double %v, 3.0
  ret double %r
}
define double @df(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @f, double %x)
  ret double %r
}
define double @tf(double %x) {
  %r = call double (...) @__enzyme_fwddiff(ptr @f, double %x, double 1.0)
  ret double %r
}
define double @dg(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @g, double %x)
  ret double %r
}
define internal double @slope(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @square, double %x)
  ret double %r
}
define internal double @twice(double %x) {
  %v = call double @df(double %x)
  %r = fmul double %v, 2.0
  ret double %r
}
"""
# What may be called, and the derivatives of f and g then.
RIGHT = {
    "square": (3 * X**2, 2 * X + 1),
    "hop": (9 * X**2, 6 * X + 1),
    "slope": (4 * X, 3.0),
}
# What asks for derivatives of f or g itself.
ASKING = ("df", "tf", "dg", "twice")


def module_of(*asking):
    taken = [*RIGHT, *asking]
    text = MODULE.replace("COUNT", str(len(taken)))
    return text.replace("TAKEN", ", ".join(f"ptr @{name}" for name in taken))


@pytest.mark.parametrize("asking", [("df",), ("dg", "tf"), (*ASKING, "f", "g")], ids=" ".join)
def test_derivatives_among_the_candidates(asking):
    made = JittedModule(opt(module_of(*asking)), optimise=False)
    for number, (chosen, (of_f, of_g)) in enumerate(RIGHT.items()):
        made.function("choose", None, ctypes.c_int64)(number)
        found = [made.function(name, DOUBLE, DOUBLE)(X) for name in ("df", "tf", "dg")]
        assert found == pytest.approx([of_f, of_f, of_g], rel=1e-14), chosen


def test_a_derivative_that_needs_itself_ends_the_process(tmp_path):
    """Where the pointer is the derivative that is computed, there is no number to give."""
    (tmp_path / "made.ll").write_text(opt(module_of(*ASKING)))
    program = (
        "import ctypes, sys; from enzyme.backend.jit import JittedModule\n"
        "made = JittedModule(open(sys.argv[1]).read(), optimise=False)\n"
        "made.function('df', ctypes.c_double, ctypes.c_double)(1.5)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "made.ll")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "asks for that derivative" in done.stdout + done.stderr
