"""More of `bodies`: memory, calls, control flow, exceptions, debug records."""

# ruff: noqa: E501

from __future__ import annotations

from tests.opcodes.bodies import (
    ATOMIC,
    CALLEE,
    CONST_STORAGE,
    NOWHERE,
    PACKED,
    PERSONALITY,
    RIGHT,
    SQUARE,
    UNPACKED,
    G,
    case,
    refused,
)

# Memory ------------------------------------------------------------------------------------------------------

_MEMORY = """
  %n = fptosi double %x to i64
  %m = alloca double, i64 4
  %p = getelementptr double, ptr %m, i64 %n
  store double %x, ptr %p
  %l = load double, ptr %p
  %t = fmul double %l, %l
"""
for _name in ("alloca", "getelementptr", "load", "store"):
    case(_name, RIGHT, _MEMORY)
case(
    "load",
    RIGHT,
    "%m = alloca double\nstore double %x, ptr %m\n%b = load i64, ptr %m\n%d = bitcast i64 %b to double\n%t = fmul double %d, %d",
)
case(
    "store",
    RIGHT,
    "%m = alloca double\nstore atomic double %x, ptr %m seq_cst, align 8\n%l = load atomic volatile double, ptr %m seq_cst, align 8\n%t = fmul double %l, %l",
)
case(
    "store",
    CONST_STORAGE,
    G + "-----\nstore double %x, ptr @g\n%l = load double, ptr @g\n%t = fmul double %l, %l",
)
case(
    "store",
    NOWHERE,
    G
    + "-----\n%p = inttoptr i64 ptrtoint (ptr @g to i64) to ptr\nstore double %x, ptr %p\n%l = load double, ptr @g\n%t = fmul double %l, %l",
)
case(
    "store",
    RIGHT,
    "%m = alloca [2 x float]\n%f = fptrunc double %x to float\n%b = bitcast float %f to i32\n%v = insertelement <2 x i32> zeroinitializer, i32 %b, i64 1\nstore <2 x i32> %v, ptr %m\n%p = getelementptr float, ptr %m, i64 1\n%l = load float, ptr %p\n%e = fpext float %l to double\n%t = fmul double %e, %e",
)
case(
    "alloca",
    refused("'inalloca'"),
    "%m = alloca inalloca double\nstore double %x, ptr %m\n%l = load double, ptr %m\n%t = fmul double %l, %l",
)
_ATOMIC = {
    "atomicrmw": "%o = atomicrmw fadd ptr %m, double %x seq_cst",
    "cmpxchg": "%b = bitcast double %x to i64\n%o = cmpxchg ptr %m, i64 0, i64 %b seq_cst seq_cst",
}
_COUNTED = {
    "atomicrmw": "%o = atomicrmw add ptr %m, i64 2 seq_cst",
    "cmpxchg": "%o = cmpxchg ptr %m, i64 0, i64 7 seq_cst seq_cst",
}
for _name in _ATOMIC:
    case(
        _name,
        ATOMIC,
        f"%m = alloca double\nstore double 0.0, ptr %m\n{_ATOMIC[_name]}\n%l = load double, ptr %m\n%t = fmul double %l, %x",
    )
    case(
        _name,
        ATOMIC,
        f"define void @h(ptr %m, double %x) noinline {{\n{_ATOMIC[_name]}\nret void\n}}\n-----\n%m = alloca double\nstore double 0.0, ptr %m\ncall void @h(ptr %m, double %x)\n%l = load double, ptr %m\n%t = fmul double %l, %x",
    )
    case(
        _name,
        CONST_STORAGE,
        f"{G}-----\n{_ATOMIC[_name].replace('%m', '@g')}\n%l = load double, ptr @g\n%t = fmul double %l, %x",
    )
    case(
        _name,
        RIGHT,
        f"%m = alloca i64\nstore i64 0, ptr %m\n{_COUNTED[_name]}\n%l = load i64, ptr %m\n%d = sitofp i64 %l to double\n%t = fmul double %d, %x",
    )
    case(
        _name,
        RIGHT,
        f"%s = alloca {{ i64, double }}\nstore {{ i64, double }} zeroinitializer, ptr %s\n%m = getelementptr {{ i64, double }}, ptr %s, i64 0, i32 0\n%y = getelementptr {{ i64, double }}, ptr %s, i64 0, i32 1\nstore double %x, ptr %y\n{_COUNTED[_name]}\n%l = load i64, ptr %m\n%d = sitofp i64 %l to double\n%e = load double, ptr %y\n%t = fmul double %d, %e",
    )
case(
    "atomicrmw",
    ATOMIC,
    "%m = alloca double\nstore double %x, ptr %m\n%o = atomicrmw xchg ptr %m, double 1.0 seq_cst\n%t = fmul double %o, %x",
)
case(
    "cmpxchg",
    ATOMIC,
    "%m = alloca double\n%n = alloca double\n%h = alloca ptr\nstore double %x, ptr %m\nstore double 2.0, ptr %n\nstore ptr %n, ptr %h\n%o = cmpxchg ptr %h, ptr %n, ptr %m seq_cst seq_cst\n%p = load ptr, ptr %h\n%l = load double, ptr %p\n%t = fmul double %l, %x",
)
case("fence", RIGHT, 'fence seq_cst\nfence syncscope("singlethread") acquire\n' + SQUARE)
_VA = """
declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_end.p0(ptr)
define double @h(i32 %n, ...) noinline {
  %l = alloca [24 x i8]
  call void @llvm.va_start.p0(ptr %l)
  %r = va_arg ptr %l, double
  call void @llvm.va_end.p0(ptr %l)
  ret double %r
}
-----
"""
case(
    "va_arg",
    refused("with a variable number of arguments"),
    _VA + "%d = call double (i32, ...) @h(i32 1, double %x)\n%t = fmul double %d, %x",
)
case(
    "va_arg",
    refused("with a variable number of arguments ('va_arg')"),
    "%l = alloca [24 x i8]\n%r = va_arg ptr %l, double\n%t = fmul double %r, %x",
)
case(
    "va_arg",
    RIGHT,
    _VA + "%d = call double (i32, ...) @h(i32 1, double 2.0)\n%t = fmul double %d, %x",
)

# Calls -------------------------------------------------------------------------------------------------------

case("call", RIGHT, CALLEE + "-----\n%d = call double @h(double %x)\n%t = fmul double %d, %x")
case(
    "call",
    RIGHT,
    "declare double @llvm.sin.f64(double)\n-----\n%d = call double @llvm.sin.f64(double %x)\n%t = fmul double %d, %x",
)
case(
    "call",
    refused("external function"),
    "declare double @h(double)\n-----\n%d = call double @h(double %x)\n%t = fmul double %d, %x",
)
case(
    "call",
    refused("a call that may return twice"),
    "declare i32 @setjmp(ptr) returns_twice\n-----\n%m = alloca [200 x i8]\n%r = call i32 @setjmp(ptr %m)\n"
    + SQUARE,
)
case(
    "call",
    refused("inline assembly"),
    '%d = call double asm "", "=x,0"(double %x)\n%t = fmul double %d, %x',
)
for _name in ("fshl", "bswap"):
    _more = ", i64 %b, i64 64" if _name == "fshl" else ""
    _back = "" if _name == "fshl" else "%r = call i64 @llvm.bswap.i64(i64 %k)\n"
    case(
        "call",
        UNPACKED,
        f"declare i64 @llvm.{_name}.i64(i64{', i64, i64' if _more else ''})\n-----\n%b = bitcast double %x to i64\n%k = call i64 @llvm.{_name}.i64(i64 %b{_more})\n{_back}%d = bitcast i64 {'%r' if _back else '%k'} to double\n%t = fmul double %d, %x",
    )
_LANES = """
define double @h(<2 x i64> %v) noinline {
  %b = bitcast <2 x i64> %v to <2 x double>
  %c = extractelement <2 x double> %b, i64 0
  ret double %c
}
-----
  %v = insertelement <2 x double> zeroinitializer, double %x, i64 0
  %b = bitcast <2 x double> %v to <2 x i64>
  %d = call double @h(<2 x i64> %b)
  %t = fmul double %d, %x
"""
case("call", PACKED, _LANES)
case(
    "call",
    UNPACKED,
    """
define { <2 x i64>, double } @h(<2 x i64> %v) noinline {
  %a = insertvalue { <2 x i64>, double } zeroinitializer, <2 x i64> %v, 0
  ret { <2 x i64>, double } %a
}
-----
  %v = insertelement <2 x double> zeroinitializer, double %x, i64 0
  %b = bitcast <2 x double> %v to <2 x i64>
  %r = call { <2 x i64>, double } @h(<2 x i64> %b)
  %p = extractvalue { <2 x i64>, double } %r, 0
  %u = bitcast <2 x i64> %p to <2 x double>
  %d = extractelement <2 x double> %u, i64 0
  %t = fmul double %d, %x
""",
)
COPY = "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n"
case(
    "call",
    NOWHERE,
    COPY
    + G
    + "-----\n%m = alloca double\nstore double %x, ptr %m\n%p = inttoptr i64 ptrtoint (ptr @g to i64) to ptr\ncall void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %m, i64 8, i1 false)\n%l = load double, ptr @g\n%t = fmul double %l, %l",
)
_INVOKE = (
    CALLEE
    + "define double @k(double %v) noinline personality ptr @__gxx_personality_v0 {\n  %r = invoke double @h(double %v) to label %a unwind label %b\na:\n  ret double %r\nb:\n"
)
_LANDING = "  %l = landingpad { ptr, i32 } cleanup\n  resume { ptr, i32 } %l\n}\n"
CALL_K = "-----\n%d = call double @k(double ARG)\n%t = fmul double %d, %x"
_CAUGHT = PERSONALITY + _INVOKE + _LANDING + CALL_K
case("invoke", refused("('invoke')"), _CAUGHT.replace("ARG", "%x"))
_UNWINDS = (
    "define double @k(double %v) noinline personality ptr @__gxx_personality_v0 {\n  %c = fcmp ogt double %v, 0.5\n"
    "  br i1 %c, label %a, label %b\na:\n  %w = fmul double %v, %v\n  ret double %w\nb:\n"
)
case(
    "callbr",
    refused("('callbr')"),
    '  callbr void asm sideeffect "", "!i"() to label %a [label %b]\na:\n  br label %b\nb:\n'
    + SQUARE,
)

# Control flow ------------------------------------------------------------------------------------------------------

for _name in ("br", "ret"):
    case(
        _name,
        RIGHT,
        CALLEE
        + "-----\n%c = fcmp ogt double %x, 0.5\nbr i1 %c, label %a, label %b\na:\n%y = call double @h(double %x)\nret double %y\nb:\n%t = fmul double %x, 3.0",
    )
case(
    "switch",
    RIGHT,
    """
  %n = fptosi double %x to i64
  switch i64 %n, label %d [ i64 1, label %a i64 2, label %d ]
a:
  %y = fmul double %x, %x
  br label %e
d:
  br label %e
e:
  %p = phi double [ %y, %a ], [ %x, %d ]
  %t = fmul double %p, %x
""",
)
case(
    "indirectbr",
    refused("a jump to a computed address ('indirectbr')"),
    "@s = external global ptr\n-----\n%p = load ptr, ptr @s\nindirectbr ptr %p, [label %a, label %b]\na:\nbr label %b\nb:\n"
    + SQUARE,
)
case(
    "unreachable",
    RIGHT,
    "%c = fcmp ogt double %x, 0.5\nbr i1 %c, label %a, label %b\nb:\nunreachable\na:\n" + SQUARE,
)

# Exceptions --------------------------------------------------------------------------------------------------------

for _name in ("resume", "landingpad"):
    case(_name, refused("('invoke')"), _CAUGHT.replace("ARG", "%x"))
FUNCLET = """
declare i32 @__CxxFrameHandler3(...)
define double @k(double %v) noinline personality ptr @__CxxFrameHandler3 {
  %r = invoke double @h(double %v) to label %a unwind label %b
a:
  ret double %r
b:
"""
_CATCH = "  %s = catchswitch within none [label %c] unwind to caller\nc:\n  %p = catchpad within %s [ptr null, i32 64, ptr null]\n  catchret from %p to label %d\nd:\n  ret double 1.0\n}\n"
CLEAN = "  %p = cleanuppad within none []\n  cleanupret from %p unwind to caller\n}\n"
for _name in ("catchswitch", "catchpad", "catchret"):
    case(_name, refused("('invoke')"), CALLEE + FUNCLET + _CATCH + CALL_K.replace("ARG", "%x"))
for _name in ("cleanuppad", "cleanupret"):
    case(_name, refused("('invoke')"), CALLEE + FUNCLET + CLEAN + CALL_K.replace("ARG", "%x"))

# Debug records -----------------------------------------------------------------------------------------------------

DEBUG = """
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!9}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.c", directory: "/")
!2 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !10, scopeLine: 1, unit: !0, spFlags: DISPFlagDefinition)
!3 = !DILocalVariable(name: "v", scope: !2, file: !1, line: 1, type: !4)
!4 = !DIBasicType(name: "double", size: 64, encoding: DW_ATE_float)
!5 = !DILocation(line: 1, scope: !2)
!6 = !DILabel(scope: !2, name: "l", file: !1, line: 1)
!7 = distinct !DIAssignID()
!9 = !{i32 2, !"Debug Info Version", i32 3}
!10 = !DISubroutineType(types: !11)
!11 = !{null}
-----
attributes: !dbg !2
"""
for _name, _record in {
    "#dbg_value": "#dbg_value(double %x, !3, !DIExpression(), !5)",
    "#dbg_declare": "#dbg_declare(ptr %m, !3, !DIExpression(), !5)",
    "#dbg_declare_value": "#dbg_declare_value(double %x, !3, !DIExpression(), !5)",
    "#dbg_assign": "#dbg_assign(double %x, !3, !DIExpression(), !7, ptr %m, !DIExpression(), !5)",
    "#dbg_label": "#dbg_label(!6, !5)",
}.items():
    case(_name, RIGHT, f"{DEBUG}  %m = alloca double, !DIAssignID !7\n  {_record}\n  {SQUARE}")
