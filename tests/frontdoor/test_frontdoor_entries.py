"""Entry points that few programs use, each asked for in a program, and its number compared."""

from __future__ import annotations

import ctypes
import math

import pytest

from enzyme.backend.jit import JittedModule

from .frontdoor_harness import command, opt
from .test_frontdoor_calls import PRODUCT, SCALED, compiled

DOUBLE = ctypes.c_double
DECLARED = """
@enzyme_byref = external global i32
@enzyme_const = external global i32
@enzyme_out = external global i32
@enzyme_dup = external global i32
@enzyme_tape = external global i32
@enzyme_allocated = external global i32
declare ptr @__enzyme_virtualreverse(ptr)
declare ptr @__enzyme_augmentfwd(...)
declare double @__enzyme_fwdsplit(...)
declare double @__enzyme_reverse(...)
declare double @__enzyme_autodiff(...)
declare double @__enzyme_fwddiff(...)
declare void @__enzyme_autodiff_nothing(...)
"""


# enzyme_byref ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", ["", "ptr @enzyme_out, "], ids=["alone", "behind a marker"])
def test_argument_by_its_address(first):
    go = compiled(
        DECLARED
        + PRODUCT
        + f"""
define double @go(double %x, double %y) {{
  %p = alloca double
  store double %y, ptr %p
  %r = call double (...) @__enzyme_autodiff(ptr @product, {first}ptr @enzyme_byref, i64 8, ptr %p,
      ptr @enzyme_const, double %x)
  ret double %r
}}""".replace(",\n     ", ",")
    )
    # The address holds the first argument of x * y + sin(x).
    assert go(2.0, 3.0) == pytest.approx(2.0 + math.cos(3.0), rel=1e-14)


@pytest.mark.parametrize(
    ("operands", "said"),
    [
        ("ptr @enzyme_byref, i64 4, ptr %p, double %x", "enzyme_byref of 4 bytes"),
        ("ptr @enzyme_byref, i64 8, double %x, double %x", "must be a ptr"),
        ("double %x, double %x, ptr @enzyme_byref, i64 8", "no argument follows enzyme_byref"),
    ],
)
def test_byref_that_does_not_fit(operands, said):
    text = f"""
define double @go(double %x, ptr %p) {{
  %r = call double (...) @__enzyme_autodiff(ptr @product, {operands})
  ret double %r
}}"""
    code, out, err = command(["opt", "-"], DECLARED + PRODUCT + text)
    assert (code, out) == (1, "")
    assert said in err


# A structure that is passed by value in memory: w * h.
AREA = """
%size = type { double, double }
define double @area(ptr byval(%size) %s) {
  %w = load double, ptr %s
  %p = getelementptr %size, ptr %s, i32 0, i32 1
  %h = load double, ptr %p
  %r = fmul double %w, %h
  ret double %r
}
define double @scaled_area(ptr byval(%size) %s, double %x) {
  %a = call double @area(ptr byval(%size) %s)
  %r = fmul double %a, %x
  ret double %r
}
"""


@pytest.mark.parametrize("by", ["", "ptr @enzyme_byref, i64 16, "], ids=["by value", "by address"])
@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ("@__enzyme_fwddiff(ptr @area, ptr @enzyme_dup, BYptr SIZE %s, ptr SIZE %d)", 4.0),
        ("@__enzyme_fwddiff(ptr @area, BYptr SIZE %s, ptr SIZE %d)", 4.0),
        (
            "@__enzyme_autodiff(ptr @scaled_area, ptr @enzyme_const, BYptr SIZE %s, ptr @enzyme_out, double %x)",
            12.0,
        ),
    ],
    ids=["dup", "unmarked", "const"],
)
def test_structure_by_value(call, wanted, by):
    call = call.replace("BY", by).replace("SIZE", "" if by else "byval(%size)")
    go = compiled(
        DECLARED
        + AREA
        + f"""
define double @go(double %x) {{
  %s = alloca %size
  %d = alloca %size
  store %size {{ double 3.0, double 4.0 }}, ptr %s
  store %size {{ double 1.0, double 0.0 }}, ptr %d
  %r = call double (...) {call}
  ret double %r
}}"""
    )
    assert go(2.0) == wanted


def test_structure_of_another_size():
    text = """
define double @go(ptr %s) {
  %r = call double (...) @__enzyme_fwddiff(ptr @area, ptr @enzyme_byref, i64 8, ptr %s, ptr %s)
  ret double %r
}"""
    code, out, err = command(["opt", "-"], DECLARED + AREA + text)
    assert (code, out) == (1, "")
    assert "argument 0 of @area is given as enzyme_byref of 8 bytes: it has 16" in err


# __enzyme_virtualreverse ------------------------------------------------------------------------------


def test_shadow_of_a_function():
    """An object whose shadow is built by hand: a pointer to a function, and a number."""
    text = (
        DECLARED
        + """
%object = type { ptr, double }
define double @square(ptr %o) {
  %p = getelementptr %object, ptr %o, i32 0, i32 1
  %v = load double, ptr %p
  %r = fmul double %v, %v
  ret double %r
}
define double @ask(ptr %o) {
  %f = load ptr, ptr %o
  %r = call double %f(ptr %o)
  ret double %r
}
define double @go(double %x) {
  %o = alloca %object
  %d = alloca %object
  store ptr @square, ptr %o
  %s = call ptr @__enzyme_virtualreverse(ptr @square)
  store ptr %s, ptr %d
  %p = getelementptr %object, ptr %o, i32 0, i32 1
  %q = getelementptr %object, ptr %d, i32 0, i32 1
  store double %x, ptr %p
  store double 0.0, ptr %q
  call void (...) @__enzyme_autodiff_nothing(ptr @ask, ptr @enzyme_dup, ptr %o, ptr %d)
  %r = load double, ptr %q
  ret double %r
}"""
    )
    assert compiled(text)(3.0) == 6.0


# __enzyme_fwdsplit ------------------------------------------------------------------------------------

FORWARD_SPLIT = """
define double @go(double %x, double %y) {
  %t = call ptr (...) @__enzyme_augmentfwd(ptr @product, double %x, double %y)
  %r = call double (...) @__enzyme_fwdsplit(ptr @product, double %x, double 1.0, double %y, double 0.5, ptr %t)
  ret double %r
}"""


def test_forward_mode_behind_the_augmented_run():
    go = compiled(DECLARED + PRODUCT + FORWARD_SPLIT)
    assert go(2.0, 3.0) == pytest.approx(3.0 + math.cos(2.0) + 0.5 * 2.0, rel=1e-14)


@pytest.mark.parametrize(
    ("before", "body", "arguments", "why"),
    [
        ("", "%r = load double, ptr %p", "ptr %p", "leads to memory that may have changed"),
        ("@g = global double 1.0", "%r = load double, ptr @g", "double %p", "@g may have changed"),
        (
            'declare i32 @puts(ptr)\n@t = constant [2 x i8] c"a\\00"',
            "%n = call i32 @puts(ptr @t)\n  %r = fadd double %p, 1.0",
            "double %p",
            "what @puts does would happen twice",
        ),
        (
            "@table = constant [1 x ptr] zeroinitializer",
            "%f = load ptr, ptr @table\n  %r = call double %f(double %p)",
            "double %p",
            "what a call in @f does is not known",
        ),
    ],
    ids=["pointer", "global", "print", "unknown function"],
)
def test_what_cannot_run_again(before, body, arguments, why):
    shadow = "ptr %x" if arguments.startswith("ptr") else "double 1.0"
    text = f"""
{before}
define double @f({arguments}) {{
  {body}
  ret double %r
}}
define double @go({arguments}, ptr %x) {{
  %r = call double (...) @__enzyme_fwdsplit(ptr @f, {arguments}, {shadow}, ptr null)
  ret double %r
}}"""
    code, out, err = command(["opt", "-"], DECLARED + text)
    assert (code, out) == (1, "")
    assert "__enzyme_fwdsplit is not supported for @f" in err
    assert why in err


# Split derivatives ------------------------------------------------------------------------------------

# A cube with a rule that says five times the slope, so that it is seen whether the rule was used.
RULED = """
define double @cube(double %x) noinline {{ metadata }} {
  %s = fmul double %x, %x
  %r = fmul double %s, %x
  ret double %r
}
define { double, double } @augmented(double %x) {
  %s = fmul double %x, %x
  %r = fmul double %s, %x
  %a = insertvalue { double, double } poison, double %s, 0
  %b = insertvalue { double, double } %a, double %r, 1
  ret { double, double } %b
}
define double @forward(double %x, double %dx, double %tape) {
  %t = fmul double %tape, 15.0
  %r = fmul double %t, %dx
  ret double %r
}
define double @f(double %x) {
  %r = call double @cube(double %x)
  %q = fmul double %r, 2.0
  ret double %q
}
define double @go(double %x) {
  %r = call double (...) @__enzyme_fwddiff(ptr @f, double %x, double 1.0)
  %q = call double (...) @__enzyme_fwdsplit(ptr @f, double %x, double 1.0, ptr null)
  %s = fsub double %r, %q
  %z = fmul double %s, 1000.0
  %a = fadd double %r, %z
  ret double %a
}
"""
GLOBAL = "@__enzyme_register_splitderivative_cube = global [3 x ptr] [ptr @cube, ptr @augmented, ptr @forward]\n"


@pytest.mark.parametrize("form", ["global", "metadata"])
def test_rule_with_a_tape(form):
    said, after = (
        ("", GLOBAL)
        if form == "global"
        else (
            "!enzyme_augment !0 !enzyme_splitderivative !1",
            "!0 = !{ptr @augmented}\n!1 = !{ptr @forward}\n",
        )
    )
    text = DECLARED + RULED.replace("{{ metadata }}", said) + after
    assert compiled(text)(2.0) == 2 * 5 * 3 * 4.0
    assert "enzyme.composed" not in opt(text)


def test_two_rules_of_forward_mode():
    other = "@__enzyme_register_derivative_cube = global [2 x ptr] [ptr @cube, ptr @f]\n"
    text = DECLARED + RULED.replace("{{ metadata }}", "") + GLOBAL + other
    code, _, err = command(["opt", "-"], text)
    assert code == 1
    assert "two derivatives of forward mode are declared for @cube" in err


# Shadows of globals -----------------------------------------------------------------------------------

STATE = """
@state = global double 3.0, !enzyme_shadow !0
@change = global double {begin}
define double @f(double %x) {{
  %s = load double, ptr @state
  %r = fmul double %x, %s
  store double %r, ptr @state
  %q = fmul double %r, %r
  ret double %q
}}
define double @reverse(double %x) {{
  %r = call double (...) @__enzyme_autodiff(ptr @f, double %x)
  ret double %r
}}
define double @forward(double %x) {{
  %r = call double (...) @__enzyme_fwddiff(ptr @f, double %x, double 0.0)
  ret double %r
}}
!0 = !{{ptr @change}}
"""


def test_shadow_of_a_global_in_reverse():
    """f = (x s)^2, and the state is x s afterwards, with the adjoint that the shadow held."""
    text = DECLARED + STATE.format(begin="0.5") + READ
    module = JittedModule(opt(text), optimise=False)
    adjoint = module.function("reverse", DOUBLE, DOUBLE)(2.0)
    # d(xs)^2 + 0.5 d(xs): (2 * 6 + 0.5) * s for x, and * x for s.
    assert adjoint == pytest.approx(12.5 * 3.0, rel=1e-14)
    assert module.function("read", DOUBLE)() == pytest.approx(12.5 * 2.0, rel=1e-14)


def test_shadow_of_a_global_in_forward():
    text = DECLARED + STATE.format(begin="1.0") + READ
    module = JittedModule(opt(text), optimise=False)
    assert module.function("forward", DOUBLE, DOUBLE)(2.0) == pytest.approx(24.0, rel=1e-14)
    assert module.function("read", DOUBLE)() == pytest.approx(2.0, rel=1e-14)


READ = """
define double @read() {
  %r = load double, ptr @change
  ret double %r
}
"""


@pytest.mark.parametrize(
    ("state", "node", "said"),
    [
        ("global double 3.0", "null", "does not hold a global"),
        ("global float 3.0", "ptr @change", "does not hold a global of the same type"),
        ("constant double 3.0", "ptr @change", "cannot have the shadow"),
        ("thread_local global double 3.0", "ptr @change", "cannot have the shadow"),
    ],
)
def test_shadow_that_does_not_fit(state, node, said):
    text = f"@state = {state}, !enzyme_shadow !0\n@change = global double 0.0\n!0 = !{{{node}}}\n"
    code, out, err = command(["opt", "-"], text)
    assert (code, out) == (1, "")
    assert said in err, err


def test_types_that_are_stated_change_nothing():
    text = SCALED.replace(
        "(ptr %x", "(" + 'ptr "enzyme_type"="{[-1]:Float@double}" "enzyme_elementwise_read" %x'
    )
    text += """
define double @go(double %a) {
  %x = alloca double
  %o = alloca double
  %d = alloca double
  store double 3.0, ptr %x
  store double 0.0, ptr %o
  store double 1.0, ptr %d
  %r = call double (...) @__enzyme_autodiff(ptr @scaled, ptr @enzyme_const, ptr %x, ptr @enzyme_out, double %a,
      ptr @enzyme_dup, ptr %o, ptr %d)
  ret double %r
}""".replace(",\n     ", ",")
    assert compiled(DECLARED + text)(2.0) == 3.0
