"""What newer versions of LLVM print is read, and differentiated where it computes a number.

Each row is a function `@f` of a double; its derivative at 3.5 is compared with a difference. Words that are only hints
stand in functions beside it.
"""

from __future__ import annotations

import ctypes

import pytest

from enzyme.backend.jit import JittedModule

from .frontdoor_harness import command, opt

DOUBLE = ctypes.c_double
HEAD = "declare double @__enzyme_autodiff(...)\ndeclare double @__enzyme_fwddiff(...)\n"
CALLS = """
define double @reverse(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @f, double %x)
  ret double %r
}
define double @forward(double %x) {
  %r = call double (...) @__enzyme_fwddiff(ptr @f, double %x, double 1.0)
  ret double %r
}
"""
DEBUG = """
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{!7, !7}
!7 = !DIBasicType(name: "double", size: 64, encoding: DW_ATE_float)
!8 = !DILocalVariable(name: "x", arg: 1, scope: !4, file: !1, line: 1, type: !7)
!9 = !DILocation(line: 1, scope: !4)
"""
# (what stands in front, the body of @f)
SQUARE = "%r = fmul double %x, %x"
COMPUTED = {
    "captures": (
        """define double @g(ptr captures(none) %p, ptr captures(address, read_provenance) %q) {
  %v = load double, ptr %p
  ret double %v
}""",
        "%p = alloca double\n store double %x, ptr %p\n %v = call double @g(ptr %p, ptr null)\n"
        " %r = fmul double %v, %v",
    ),
    "initializes": (
        """define void @g(ptr writable initializes((0, 8)) dead_on_unwind %p, double nofpclass(nan inf) %v) {
  store double %v, ptr %p
  ret void
}""",
        "%p = alloca double\n call void @g(ptr %p, double %x)\n %v = load double, ptr %p\n %r = fmul double %v, %v",
    ),
    "dead_on_return": (
        """define double @g(ptr dead_on_return noundef %p) {
  %v = load double, ptr %p
  store double 0.0, ptr %p
  ret double %v
}""",
        "%p = alloca double\n store double %x, ptr %p\n %v = call double @g(ptr %p)\n %r = fmul double %v, %v",
    ),
    "samesign": (
        "",
        "%n = fptosi double %x to i64\n %c = icmp samesign ult i64 %n, 4\n"
        " %r = select nnan i1 %c, double %x, double 1.0",
    ),
    "nuw and nusw": (
        "",
        """%n = fptosi double %x to i64
 %m = and i64 %n, 1
 %p = alloca [2 x double]
 %a = getelementptr inbounds nuw double, ptr %p, i64 %m
 store double %x, ptr %a
 %b = getelementptr nusw nuw double, ptr %p, i64 1
 %v = load double, ptr %b
 %r = fmul double %v, %v""",
    ),
    "trunc nuw, uitofp nneg, zext nneg, or disjoint": (
        "",
        """%n = fptosi double %x to i64
 %t = trunc nuw nsw i64 %n to i32
 %o = or disjoint i32 %t, 8
 %z = zext nneg i32 %o to i64
 %w = uitofp nneg i64 %z to double
 %r = fmul double %w, %x""",
    ),
    "range": (
        "define range(i32 0, 5) i32 @g(i32 range(i32 0, 10) %n) {\n ret i32 %n\n}",
        "%n = call range(i32 0, 5) i32 @g(i32 2)\n %w = sitofp i32 %n to double\n %r = fmul double %w, %x",
    ),
    "memory": (
        """define double @g(ptr %p) memory(argmem: read, inaccessiblemem: none, errnomem: none) {
  %v = load double, ptr %p
  ret double %v
}""",
        "%p = alloca double\n store double %x, ptr %p\n %v = call double @g(ptr %p)\n %r = fmul double %v, %v",
    ),
    "splat": (
        "",
        """%a = insertelement <2 x double> splat (double 2.0), double %x, i64 0
 %b = fmul <2 x double> %a, splat (double 3.0)
 %v = extractelement <2 x double> %b, i64 0
 %r = fmul double %v, %v""",
    ),
    "ptrtoaddr": (
        "",
        """%p = alloca double
 %n = ptrtoaddr ptr %p to i64
 %z = icmp eq i64 %n, 0
 %v = select i1 %z, double 0.0, double %x
 %r = fmul double %v, %v""",
    ),
    "records of debug information": (
        DEBUG,
        "#dbg_value(double %x, !8, !DIExpression(), !9)\n " + SQUARE,
    ),
    "lifetimes without a size": (
        "declare void @llvm.lifetime.start.p0(ptr)\ndeclare void @llvm.lifetime.end.p0(ptr)",
        """%p = alloca double
 call void @llvm.lifetime.start.p0(ptr %p)
 store double %x, ptr %p
 %v = load double, ptr %p
 call void @llvm.lifetime.end.p0(ptr %p)
 %r = fmul double %v, %v""",
    ),
    "lifetimes with a size": (
        "declare void @llvm.lifetime.start.p0(i64, ptr)",
        """%p = alloca double
 call void @llvm.lifetime.start.p0(i64 8, ptr %p)
 store double %x, ptr %p
 %v = load double, ptr %p
 %r = fmul double %v, %v""",
    ),
    "masked load without alignment": (
        "declare <2 x double> @llvm.masked.load.v2f64.p0(ptr, <2 x i1>, <2 x double>)",
        """%p = alloca <2 x double>
 %a = insertelement <2 x double> zeroinitializer, double %x, i64 1
 store <2 x double> %a, ptr %p
 %v = call <2 x double> @llvm.masked.load.v2f64.p0(ptr align 8 %p, <2 x i1> <i1 0, i1 1>, <2 x double> zeroinitializer)
 %w = extractelement <2 x double> %v, i64 1
 %r = fmul double %w, %w""",
    ),
    "masked store": (
        "declare void @llvm.masked.store.v2f64.p0(<2 x double>, ptr, i32, <2 x i1>)",
        """%p = alloca <2 x double>
 store <2 x double> splat (double 5.0), ptr %p
 %i = insertelement <2 x double> poison, double %x, i64 0
 %a = shufflevector <2 x double> %i, <2 x double> poison, <2 x i32> zeroinitializer
 call void @llvm.masked.store.v2f64.p0(<2 x double> %a, ptr %p, i32 8, <2 x i1> <i1 0, i1 1>)
 %v = load <2 x double>, ptr %p
 %f = extractelement <2 x double> %v, i64 0
 %w = extractelement <2 x double> %v, i64 1
 %m = fmul double %w, %w
 %r = fadd double %f, %m""",
    ),
    "minimumnum": (
        "declare double @llvm.minimumnum.f64(double, double)",
        "%v = call double @llvm.minimumnum.f64(double %x, double 9.0)\n %r = fmul double %v, %v",
    ),
    "tan, sinh": (
        "declare double @llvm.tan.f64(double)\ndeclare double @llvm.sinh.f64(double)",
        "%v = call double @llvm.tan.f64(double %x)\n %w = call double @llvm.sinh.f64(double %x)\n"
        " %r = fadd double %v, %w",
    ),
    "fmaximum of a vector": (
        "declare double @llvm.vector.reduce.fmaximum.v2f64(<2 x double>)",
        """%a = insertelement <2 x double> splat (double 2.0), double %x, i64 0
 %v = call double @llvm.vector.reduce.fmaximum.v2f64(<2 x double> %a)
 %r = fmul double %v, %v""",
    ),
    "a lane that nobody reads": (
        "",
        """%i = insertelement <2 x double> poison, double %x, i64 0
 %a = insertelement <2 x double> %i, double 4.0, i64 1
 %b = fmul <2 x double> %a, %a
 %s = shufflevector <2 x double> %b, <2 x double> poison, <2 x i32> <i32 1, i32 poison>
 %m = fmul <2 x double> %b, %s
 %v = extractelement <2 x double> %m, i64 0
 %t = shufflevector <2 x double> %a, <2 x double> poison, <2 x i32> <i32 poison, i32 0>
 %c = call <2 x double> @llvm.fmuladd.v2f64(<2 x double> %a, <2 x double> %t, <2 x double> %b)
 %w = extractelement <2 x double> %c, i64 1
 %r = fadd double %v, %w""",
    ),
    "typed pointers": (
        """define double @g(double* %p) {
  %v = load double, double* %p
  ret double %v
}""",
        "%p = alloca double\n store double %x, double* %p\n %v = call double @g(double* %p)\n %r = fmul double %v, %v",
    ),
}
COMPUTED["a lane that nobody reads"] = (
    "declare <2 x double> @llvm.fmuladd.v2f64(<2 x double>, <2 x double>, <2 x double>)",
    COMPUTED["a lane that nobody reads"][1],
)


@pytest.mark.parametrize("name", COMPUTED)
def test_computed(name):
    before, body = COMPUTED[name]
    debug = " !dbg !4" if "#dbg" in body else ""
    text = f"{HEAD}{before}\ndefine double @f(double %x){debug} {{\n {body}\n ret double %r\n}}\n{CALLS}"
    module = JittedModule(opt(text), optimise=False)
    f, forward, reverse = (module.function(n, DOUBLE, DOUBLE) for n in ("f", "forward", "reverse"))
    slope = (f(3.5 + 1e-5) - f(3.5 - 1e-5)) / 2e-5
    assert forward(3.5) == pytest.approx(slope, rel=1e-7)
    assert reverse(3.5) == pytest.approx(slope, rel=1e-7)


@pytest.mark.parametrize(
    "line",
    [
        "declare double @g(double %x, f0x3FF0)",
        "define void @g(ptr dead_on_return(8) %p) {\n ret void\n}",
        "define void @g(ptr made_up_word %p) {\n ret void\n}",
    ],
)
def test_what_is_not_known_is_one_line_with_its_number(line):
    code, out, err = command(["opt", "-"], HEAD + line + "\n")
    assert (code, out) == (1, "")
    assert err.startswith("error: line 3: ") and err.count("\n") == 1
