"""Ways to write a call: markers, declarations, function pointers, results, derivatives of derivatives."""

from __future__ import annotations

import ctypes
import math

import numpy as np
import pytest

from enzyme.backend.jit import JittedModule

from .frontdoor_harness import opt

DOUBLE = ctypes.c_double
MARKERS = """
@enzyme_const = external global i32
@enzyme_dup = external global i32
@enzyme_out = external global i32
@enzyme_dupnoneed = external global i32
"""
# x * y + sin(x)
PRODUCT = """
declare double @sin(double)
define double @product(double %x, double %y) {
  %m = fmul double %x, %y
  %s = call double @sin(double %x)
  %r = fadd double %m, %s
  ret double %r
}
"""
# Adds x[0] * a to out[0].
SCALED = """
define void @scaled(ptr %x, double %a, ptr %out) {
  %v = load double, ptr %x, align 8
  %m = fmul double %v, %a
  %o = load double, ptr %out, align 8
  %s = fadd double %o, %m
  store double %s, ptr %out, align 8
  ret void
}
"""


def compiled(text, name="go"):
    """A function of doubles that returns a double."""
    lowered = opt(text)
    assert "__enzyme" not in lowered
    module = JittedModule(lowered, optimise=False)

    def call(*numbers):
        return module.function(name, DOUBLE, *[DOUBLE] * len(numbers))(*numbers)

    return call


def test_out_and_const_loaded():
    go = compiled(
        MARKERS
        + PRODUCT
        + """
declare double @__enzyme_autodiff(ptr, ...)
define double @go(double %x, double %y) {
  %out = load i32, ptr @enzyme_out, align 4
  %const = load i32, ptr @enzyme_const, align 4
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @product, i32 %out, double %x, i32 %const, double %y)
  ret double %r
}
"""
    )
    assert go(0.7, 3.0) == pytest.approx(3.0 + math.cos(0.7))


def test_markers_as_pointers():
    go = compiled(
        MARKERS
        + PRODUCT
        + """
declare double @__enzyme_autodiff(...)
define double @go(double %x, double %y) {
  %r = call double (...) @__enzyme_autodiff(ptr @product, ptr @enzyme_const, double %x, ptr @enzyme_out, double %y)
  ret double %r
}
"""
    )
    assert go(0.7, 3.0) == pytest.approx(0.7)


def test_markers_as_metadata():
    go = compiled(
        PRODUCT
        + """
declare double @__enzyme_autodiff(...)
define double @go(double %x, double %y) {
  %r = call double (...) @__enzyme_autodiff(ptr @product, metadata !"enzyme_out", double %x,
                                            metadata !"enzyme_const", double %y)
  ret double %r
}
"""
    )
    assert go(0.7, 3.0) == pytest.approx(3.0 + math.cos(0.7))


def test_markers_defined_in_the_module():
    """A static marker is constant zero to an optimiser; its name must be read before."""
    go = compiled(
        "@enzyme_const = internal global i32 0\n"
        + PRODUCT
        + """
declare double @__enzyme_autodiff(ptr, ...)
define double @go(double %x, double %y) {
  %const = load i32, ptr @enzyme_const, align 4
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @product, double %x, i32 %const, double %y)
  ret double %r
}
"""
    )
    assert go(0.7, 3.0) == pytest.approx(3.0 + math.cos(0.7))


def test_declaration_without_ellipsis_and_with_suffix():
    go = compiled(
        PRODUCT
        + """
declare { double, double } @__enzyme_autodiff_product_42(ptr, double, double)
define double @go(double %x, double %y) {
  %r = call { double, double } @__enzyme_autodiff_product_42(ptr @product, double %x, double %y)
  %a = extractvalue { double, double } %r, 0
  %b = extractvalue { double, double } %r, 1
  %s = fmul double %a, %b
  ret double %s
}
"""
    )
    assert go(0.7, 3.0) == pytest.approx((3.0 + math.cos(0.7)) * 0.7)


def test_mangled_name():
    go = compiled(
        PRODUCT
        + """
declare double @_Z16__enzyme_fwddiffIdEdPvz(ptr, ...)
define double @go(double %x, double %y) {
  %r = call double (ptr, ...) @_Z16__enzyme_fwddiffIdEdPvz(ptr @product, double %x, double 1.0, double %y, double 0.0)
  ret double %r
}
"""
    )
    assert go(0.7, 3.0) == pytest.approx(3.0 + math.cos(0.7))


@pytest.mark.parametrize(
    ("declared", "first", "second"),
    [
        (
            "%struct.gradient",
            "extractvalue %struct.gradient %r, 0",
            "extractvalue %struct.gradient %r, 1",
        ),
        ("[2 x double]", "extractvalue [2 x double] %r, 0", "extractvalue [2 x double] %r, 1"),
        (
            "<2 x double>",
            "extractelement <2 x double> %r, i32 0",
            "extractelement <2 x double> %r, i32 1",
        ),
    ],
)
def test_result_types(declared, first, second):
    go = compiled(
        f"""
%struct.gradient = type {{ double, double }}
declare {declared} @__enzyme_autodiff(ptr, ...)
define double @go(double %x, double %y) {{
  %r = call {declared} (ptr, ...) @__enzyme_autodiff(ptr @product, double %x, double %y)
  %a = {first}
  %b = {second}
  %s = fdiv double %a, %b
  ret double %s
}}
"""
        + PRODUCT
    )
    assert go(0.7, 3.0) == pytest.approx((3.0 + math.cos(0.7)) / 0.7)


def test_result_through_memory():
    """A structure of three doubles is returned through a pointer (sret)."""
    go = compiled(
        """
%struct.gradient = type { double, double, double }
declare void @__enzyme_autodiff(ptr sret(%struct.gradient), ptr, ...)
define double @volume(double %x, double %y, double %z) {
  %a = fmul double %x, %y
  %b = fmul double %a, %z
  ret double %b
}
define double @go(double %x, double %y, double %z) {
  %g = alloca %struct.gradient, align 8
  call void (ptr, ptr, ...) @__enzyme_autodiff(ptr sret(%struct.gradient) align 8 %g, ptr @volume,
                                               double %x, double %y, double %z)
  %p = getelementptr inbounds %struct.gradient, ptr %g, i32 0, i32 2
  %r = load double, ptr %p, align 8
  ret double %r
}
"""
    )
    assert go(2.0, 3.0, 5.0) == 6.0


@pytest.mark.parametrize(
    "pointer",
    [
        "  %f = load ptr, ptr @table, align 8",
        "  %f = bitcast ptr @product to ptr",
        "  %m = alloca ptr, align 8\n  store ptr @product, ptr %m, align 8\n  %f = load ptr, ptr %m, align 8",
        "  %f = load ptr, ptr @other, align 8",
        "  %f = bitcast ptr @alias to ptr",
    ],
)
def test_function_pointers(pointer):
    go = compiled(
        PRODUCT
        + f"""
@table = constant ptr @product
@other = internal global ptr @product
@alias = alias double (double, double), ptr @product
declare double @__enzyme_fwddiff(ptr, ...)
define double @go(double %x, double %y) {{
{pointer}
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr %f, double %x, double 0.0, double %y, double 1.0)
  ret double %r
}}
"""
    )
    assert go(0.7, 3.0) == pytest.approx(0.7)


def test_dupnoneed():
    """The result of the primal is not asked for; the shadow is."""
    go = compiled(
        MARKERS
        + SCALED
        + """
declare double @__enzyme_autodiff(ptr, ...)
define double @go(double %v, double %a) {
  %x = alloca double, align 8
  %dx = alloca double, align 8
  %o = alloca double, align 8
  %do = alloca double, align 8
  store double %v, ptr %x, align 8
  store double 0.0, ptr %dx, align 8
  store double 0.0, ptr %o, align 8
  store double 2.0, ptr %do, align 8
  %dup = load i32, ptr @enzyme_dup, align 4
  %nn = load i32, ptr @enzyme_dupnoneed, align 4
  %out = load i32, ptr @enzyme_out, align 4
  %da = call double (ptr, ...) @__enzyme_autodiff(ptr @scaled, i32 %dup, ptr %x, ptr %dx, i32 %out, double %a,
                                                  i32 %nn, ptr %o, ptr %do)
  %g = load double, ptr %dx, align 8
  %s = fmul double %da, %g
  ret double %s
}
"""
    )
    assert go(3.0, 5.0) == (2.0 * 3.0) * (2.0 * 5.0)


def test_default_integer_is_constant():
    go = compiled(
        """
declare double @llvm.powi.f64.i32(double, i32)
declare double @__enzyme_autodiff(ptr, ...)
define double @power(double %x, i32 %n) {
  %r = call double @llvm.powi.f64.i32(double %x, i32 %n)
  ret double %r
}
define double @go(double %x) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @power, double %x, i32 5)
  ret double %r
}
"""
    )
    assert go(1.5) == pytest.approx(5 * 1.5**4)


def test_float_promoted_by_the_ellipsis():
    go = compiled(
        """
declare float @__enzyme_autodiff(ptr, ...)
define float @square(float %x) {
  %r = fmul float %x, %x
  ret float %r
}
define double @go(double %x) {
  %r = call float (ptr, ...) @__enzyme_autodiff(ptr @square, double %x)
  %w = fpext float %r to double
  ret double %w
}
"""
    )
    assert go(1.5) == 3.0


def test_forward_void_call():
    """The tangents are in memory; the call returns nothing."""
    go = compiled(
        SCALED
        + """
declare void @__enzyme_fwddiff(ptr, ...)
define double @go(double %v, double %a) {
  %x = alloca double, align 8
  %dx = alloca double, align 8
  %o = alloca double, align 8
  %do = alloca double, align 8
  store double %v, ptr %x, align 8
  store double 1.0, ptr %dx, align 8
  store double 0.0, ptr %o, align 8
  store double 0.0, ptr %do, align 8
  call void (ptr, ...) @__enzyme_fwddiff(ptr @scaled, ptr %x, ptr %dx, double %a, double 10.0, ptr %o, ptr %do)
  %r = load double, ptr %do, align 8
  ret double %r
}
"""
    )
    assert go(3.0, 5.0) == 5.0 + 30.0


def test_several_calls_of_one_function():
    """The same derivative is made once, others beside it."""
    text = (
        MARKERS
        + PRODUCT
        + """
declare double @__enzyme_fwddiff(ptr, ...)
declare double @__enzyme_autodiff(ptr, ...)
define double @go(double %x, double %y) {
  %c = load i32, ptr @enzyme_const, align 4
  %a = call double (ptr, ...) @__enzyme_autodiff(ptr @product, double %x, i32 %c, double %y)
  %b = call double (ptr, ...) @__enzyme_autodiff(ptr @product, double %y, i32 %c, double %x)
  %d = call double (ptr, ...) @__enzyme_fwddiff(ptr @product, double %x, double 1.0, double %y, double 1.0)
  %ab = fmul double %a, %b
  %r = fadd double %ab, %d
  ret double %r
}
"""
    )
    x, y = 0.7, 3.0
    expected = (y + math.cos(x)) * (x + math.cos(y)) + y + math.cos(x) + x
    assert compiled(text)(x, y) == pytest.approx(expected)


SQUARED_LOG = """
declare double @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)
declare double @llvm.log.f64(double)
define double @squared(double %x) {
  %a = call double @llvm.log.f64(double %x)
  %r = fmul double %a, %a
  ret double %r
}
"""
CUBE = """
declare double @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)
define double @cube(double %x) {
  %a = fmul double %x, %x
  %r = fmul double %a, %x
  ret double %r
}
define double @slope(double %x) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @cube, double %x)
  ret double %r
}
"""


@pytest.mark.parametrize(
    "call",
    [
        "@__enzyme_autodiff(ptr @slope, double %x)",
        "@__enzyme_fwddiff(ptr @slope, double %x, double 1.0)",
    ],
)
def test_second_derivative(call):
    go = compiled(
        CUBE
        + f"define double @go(double %x) {{\n  %r = call double (ptr, ...) {call}\n  ret double %r\n}}\n"
    )
    assert go(1.5) == pytest.approx(9.0)
    # The inner derivative of log(x)^2 passes a zero on at 1, the outer one must not stop there.
    squared = SQUARED_LOG + CUBE[CUBE.index("define double @slope") :].replace("@cube", "@squared")
    go = compiled(
        squared
        + f"define double @go(double %x) {{\n  %r = call double (ptr, ...) {call}\n  ret double %r\n}}\n"
    )
    assert go(1.0) == pytest.approx(2.0)


def test_third_derivative():
    go = compiled(
        CUBE
        + """
define double @curvature(double %x) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @slope, double %x)
  ret double %r
}
define double @go(double %x) {
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @curvature, double %x, double 1.0)
  ret double %r
}
"""
    )
    assert go(1.5) == pytest.approx(6.0)


def test_hessian_times_vector():
    """Forward over reverse: the tangent of the gradient of (sum of x)^3 / 3."""
    text = """
declare void @__enzyme_autodiff(ptr, ...)
declare void @__enzyme_fwddiff(ptr, ...)
define double @f(ptr %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi double [ 0.0, %entry ], [ %t, %loop ]
  %p = getelementptr inbounds double, ptr %x, i64 %i
  %v = load double, ptr %p, align 8
  %t = fadd double %s, %v
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  %t2 = fmul double %t, %t
  %t3 = fmul double %t2, %t
  %r = fdiv double %t3, 3.0
  ret double %r
}
define void @gradient(ptr %x, ptr %g, i64 %n) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %g, i64 %n)
  ret void
}
define void @go(ptr %x, ptr %v, ptr %g, ptr %hv, i64 %n) {
  call void (ptr, ...) @__enzyme_fwddiff(ptr @gradient, ptr %x, ptr %v, ptr %g, ptr %hv, i64 %n)
  ret void
}
"""
    x, v = np.array([0.5, 1.0, -0.25]), np.array([1.0, -2.0, 4.0])
    g, hv = np.zeros(3), np.zeros(3)
    module = JittedModule(opt(text), optimise=False)
    pointers = [ctypes.c_void_p] * 4
    go = module.function("go", None, *pointers, ctypes.c_int64)
    go(*(a.ctypes.data for a in (x, v, g, hv)), 3)
    np.testing.assert_allclose(g, np.full(3, x.sum() ** 2))
    np.testing.assert_allclose(hv, np.full(3, 2 * x.sum() * v.sum()))


def test_struct_with_a_pointer():
    """A shadow has the layout of its primal: the pointer in it points to shadow memory."""
    text = """
%struct.slice = type { ptr, i64 }
declare void @__enzyme_autodiff(ptr, ...)
define double @f(ptr %s) {
entry:
  %data = load ptr, ptr %s, align 8
  %pn = getelementptr inbounds %struct.slice, ptr %s, i32 0, i32 1
  %n = load i64, ptr %pn, align 8
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = phi double [ 1.0, %entry ], [ %t, %loop ]
  %q = getelementptr inbounds double, ptr %data, i64 %i
  %v = load double, ptr %q, align 8
  %t = fmul double %p, %v
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret double %t
}
define void @go(ptr %s, ptr %d) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %s, ptr %d)
  ret void
}
"""

    class Slice(ctypes.Structure):
        _fields_ = [("data", ctypes.c_void_p), ("n", ctypes.c_int64)]

    x, dx = np.array([2.0, 3.0, 5.0]), np.zeros(3)
    s, d = Slice(x.ctypes.data, 3), Slice(dx.ctypes.data, 3)
    module = JittedModule(opt(text), optimise=False)
    module.function("go", None, ctypes.c_void_p, ctypes.c_void_p)(
        ctypes.addressof(s), ctypes.addressof(d)
    )
    np.testing.assert_allclose(dx, [15.0, 10.0, 6.0])


def test_rows_of_a_matrix():
    """An array of pointers, and the array of their shadows."""
    text = """
declare void @__enzyme_autodiff(ptr, ...)
define double @f(ptr %rows) {
  %r0 = load ptr, ptr %rows, align 8
  %p1 = getelementptr inbounds ptr, ptr %rows, i64 1
  %r1 = load ptr, ptr %p1, align 8
  %a = load double, ptr %r0, align 8
  %pb = getelementptr inbounds double, ptr %r0, i64 1
  %b = load double, ptr %pb, align 8
  %c = load double, ptr %r1, align 8
  %pd = getelementptr inbounds double, ptr %r1, i64 1
  %d = load double, ptr %pd, align 8
  %ad = fmul double %a, %d
  %bc = fmul double %b, %c
  %det = fsub double %ad, %bc
  ret double %det
}
define void @go(ptr %s, ptr %d) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %s, ptr %d)
  ret void
}
"""
    rows, shadows = np.array([[1.0, 2.0], [3.0, 4.0]]), np.zeros((2, 2))
    pointers = (ctypes.c_void_p * 2)(*(r.ctypes.data for r in rows))
    shadow_pointers = (ctypes.c_void_p * 2)(*(r.ctypes.data for r in shadows))
    module = JittedModule(opt(text), optimise=False)
    module.function("go", None, ctypes.c_void_p, ctypes.c_void_p)(
        ctypes.addressof(pointers), ctypes.addressof(shadow_pointers)
    )
    np.testing.assert_allclose(shadows, [[4.0, -3.0], [-2.0, 1.0]])


def test_invoke():
    go = compiled(
        PRODUCT
        + """
declare double @__enzyme_fwddiff(ptr, ...)
declare i32 @__gxx_personality_v0(...)
define double @go(double %x, double %y) personality ptr @__gxx_personality_v0 {
entry:
  %r = invoke double (ptr, ...) @__enzyme_fwddiff(ptr @product, double %x, double 0.0, double %y, double 1.0)
          to label %fine unwind label %caught
fine:
  ret double %r
caught:
  %e = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %e
}
""".replace(
            "declare i32 @__gxx_personality_v0(...)",
            "define i32 @__gxx_personality_v0(...) {\n  ret i32 0\n}",
        )
    )
    assert go(0.7, 3.0) == pytest.approx(0.7)


def test_linkage_of_shared_helpers():
    """A helper that other modules see stays, though its copy was inlined."""
    made = opt(
        """
declare double @__enzyme_autodiff(ptr, ...)
define weak_odr double @twice(double %x) comdat {
  %r = fadd double %x, %x
  ret double %r
}
$twice = comdat any
define double @f(double %x) {
  %a = call double @twice(double %x)
  %b = fmul double %a, %x
  ret double %b
}
define double @go(double %x) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %x)
  ret double %r
}
"""
    )
    assert "define weak_odr double @twice" in made
    module = JittedModule(made, optimise=False)
    assert module.function("go", DOUBLE, DOUBLE)(1.5) == 6.0


def test_debug_information_survives():
    made = opt(
        """
declare double @__enzyme_autodiff(ptr, ...)
define internal double @half(double %x) !dbg !10 {
  %r = fmul double %x, 0.5, !dbg !11
  ret double %r, !dbg !11
}
define double @f(double %x) !dbg !5 {
  %a = call double @half(double %x), !dbg !8
  %b = fmul double %a, %a, !dbg !8
  ret double %b, !dbg !8
}
define double @go(double %x) !dbg !6 {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %x), !dbg !9
  ret double %r, !dbg !9
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: "clang", isOptimized: true,
  runtimeVersion: 0, emissionKind: FullDebug)
!1 = !DIFile(filename: "half.c", directory: "/tmp")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !4)
!4 = !{}
!5 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 5, type: !3,
  unit: !0, spFlags: DISPFlagDefinition)
!6 = distinct !DISubprogram(name: "go", scope: !1, file: !1, line: 9, type: !3,
  unit: !0, spFlags: DISPFlagDefinition)
!8 = !DILocation(line: 6, column: 3, scope: !5)
!9 = !DILocation(line: 10, column: 3, scope: !6)
!10 = distinct !DISubprogram(name: "half", scope: !1, file: !1, line: 1, type: !3,
  unit: !0, spFlags: DISPFlagDefinition)
!11 = !DILocation(line: 2, column: 3, scope: !10)
"""
    )
    assert '!DISubprogram(name: "f"' in made
    module = JittedModule(made, optimise=False)
    assert module.function("go", DOUBLE, DOUBLE)(3.0) == 1.5
