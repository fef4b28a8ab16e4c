"""Odd but valid IR: what it is, and what the compiler makes of it.

`RIGHT` are functions whose derivatives must be right; `REFUSED` those that must be refused, with words that the one
line of the error must hold. The text before the line of dashes, if there is one, stands outside of the function;
``attributes:`` begins a line with the function's own.
"""

# ruff: noqa: E501

from __future__ import annotations

RIGHT = {
    "masked gather": """
declare <2 x double> @llvm.masked.gather.v2f64.v2p0(<2 x ptr>, i32, <2 x i1>, <2 x double>)
-----
  %p = alloca <2 x double>
  %v = insertelement <2 x double> zeroinitializer, double %x, i32 0
  store volatile <2 x double> %v, ptr %p
  %g = getelementptr double, ptr %p, <2 x i64> <i64 0, i64 1>
  %l = call <2 x double> @llvm.masked.gather.v2f64.v2p0(<2 x ptr> %g, i32 8, <2 x i1> splat (i1 1), <2 x double> zeroinitializer)
  %m = fmul <2 x double> %l, %l
  %t = extractelement <2 x double> %m, i32 0
  ret double %t
""",
    "a copy of a record with a gap": """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
-----
  %p = alloca { double, i32, [3 x double] }
  %q = alloca { double, i32, [3 x double] }
  %whole = fptosi double %x to i64
  %k = srem i64 %whole, 3
  %small = trunc i64 %k to i32
  store volatile double %x, ptr %p
  %p8 = getelementptr i8, ptr %p, i64 8
  store volatile i32 %small, ptr %p8
  %p16 = getelementptr i8, ptr %p, i64 16
  store double %x, ptr %p16
  %p24 = getelementptr i8, ptr %p, i64 24
  store double %x, ptr %p24
  %p32 = getelementptr i8, ptr %p, i64 32
  store double 0.25, ptr %p32
  call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %p, i64 40, i1 false)
  %q16 = getelementptr i8, ptr %q, i64 16
  %pk = getelementptr double, ptr %p16, i64 %k
  %qk = getelementptr double, ptr %q16, i64 %k
  %a = load volatile double, ptr %pk
  %b = load volatile double, ptr %qk
  %ab = fmul double %a, %b
  %t = fmul double %ab, %b
  ret double %t
""",
    "volatile store to a global": """
@k = global double 0.0
-----
  store volatile double %x, ptr @k
  %t = fmul double %x, %x
  ret double %t
""",
    "ptrtoint arithmetic": """
  %p = alloca [2 x double]
  %i = ptrtoint ptr %p to i64
  %j = add i64 %i, 8
  %q = inttoptr i64 %j to ptr
  store volatile double %x, ptr %q
  %l = load volatile double, ptr %q
  %t = fmul double %l, %l
  ret double %t
""",
    "invoke sin": """
define i32 @__gxx_personality_v0(...) {
  ret i32 0
}
declare double @sin(double)
-----
attributes: personality ptr @__gxx_personality_v0
entry:
  %v = invoke double @sin(double %x) to label %ok unwind label %bad
ok:
  %t = fmul double %v, %x
  ret double %t
bad:
  %lp = landingpad { ptr, i32 } catch ptr null
  ret double 0.0
""",
    "invoke external inactive": """
define i32 @__gxx_personality_v0(...) {
  ret i32 0
}
define void @other() noinline {
  ret void
}
-----
attributes: personality ptr @__gxx_personality_v0
entry:
  invoke void @other() to label %ok unwind label %bad
ok:
  %t = fmul double %x, %x
  ret double %t
bad:
  %lp = landingpad { ptr, i32 } catch ptr null
  ret double 0.0
""",
    "invoke may throw": """
define i32 @__gxx_personality_v0(...) {
  ret i32 0
}
define void @other() noinline {
  ret void
}
define double @g(double %x) noinline {
  call void @other()
  %s = fmul double %x, %x
  ret double %s
}
-----
attributes: personality ptr @__gxx_personality_v0
entry:
  %v = invoke double @g(double %x) to label %ok unwind label %bad
ok:
  %t = fmul double %v, %x
  ret double %t
bad:
  %lp = landingpad { ptr, i32 } catch ptr null
  ret double 0.0
""",
    "function pointer table": """
define double @g0(double %x) {
  %s = fmul double %x, %x
  ret double %s
}
define double @g1(double %x) {
  %s = fmul double %x, 3.0
  ret double %s
}
@tab = constant [2 x ptr] [ptr @g0, ptr @g1]
-----
  %i = fptosi double %x to i64
  %g = getelementptr [2 x ptr], ptr @tab, i64 0, i64 %i
  %a = load ptr, ptr %g
  %t = call double %a(double %x)
  ret double %t
""",
    "i128 arithmetic": """
  %b = bitcast double %x to i64
  %w = zext i64 %b to i128
  %s = shl i128 %w, 64
  %u = lshr i128 %s, 64
  %v = trunc i128 %u to i64
  %y = bitcast i64 %v to double
  %t = fmul double %y, %y
  ret double %t
""",
    "odd int i7": """
  %i = fptosi double %x to i7
  %y = sitofp i7 %i to double
  %t = fmul double %y, %x
  ret double %t
""",
    "float scalar": """
  %h = fptrunc double %x to float
  %g = fmul float %h, %h
  %t = fpext float %g to double
  ret double %t
""",
    "float memory": """
  %p = alloca float
  %h = fptrunc double %x to float
  store volatile float %h, ptr %p
  %l = load volatile float, ptr %p
  %g = fmul float %l, %l
  %t = fpext float %g to double
  ret double %t
""",
    "x86_fp80 scalar": """
  %h = fpext double %x to x86_fp80
  %g = fmul x86_fp80 %h, %h
  %t = fptrunc x86_fp80 %g to double
  ret double %t
""",
    "x86_fp80 memory": """
  %p = alloca x86_fp80
  %h = fpext double %x to x86_fp80
  store volatile x86_fp80 %h, ptr %p
  %l = load volatile x86_fp80, ptr %p
  %g = fmul x86_fp80 %l, %l
  %t = fptrunc x86_fp80 %g to double
  ret double %t
""",
    "x86_fp80 sqrt": """
declare x86_fp80 @llvm.sqrt.f80(x86_fp80)
-----
  %h = fpext double %x to x86_fp80
  %g = call x86_fp80 @llvm.sqrt.f80(x86_fp80 %h)
  %t = fptrunc x86_fp80 %g to double
  ret double %t
""",
    "x86_fp80 constant": """
  %h = fpext double %x to x86_fp80
  %g = fmul x86_fp80 %h, 0xK4000C000000000000000
  %k = fmul x86_fp80 %g, %h
  %t = fptrunc x86_fp80 %k to double
  ret double %t
""",
    "fp80 loop": """
entry:
  %h = fpext double %x to x86_fp80
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%j, %loop]
  %a = phi x86_fp80 [%h, %entry], [%b, %loop]
  %b = fmul x86_fp80 %a, %h
  %j = add i64 %i, 1
  %c = icmp ult i64 %j, 5
  br i1 %c, label %loop, label %end
end:
  %t = fptrunc x86_fp80 %b to double
  ret double %t
""",
    "vector double": """
declare double @llvm.vector.reduce.fadd.v4f64(double, <4 x double>)
-----
  %v = insertelement <4 x double> zeroinitializer, double %x, i32 0
  %w = shufflevector <4 x double> %v, <4 x double> poison, <4 x i32> zeroinitializer
  %u = fmul <4 x double> %w, %w
  %t = call double @llvm.vector.reduce.fadd.v4f64(double 0.0, <4 x double> %u)
  ret double %t
""",
    "vector extract var": """
  %i = fptoui double %x to i32
  %v = insertelement <4 x double> splat (double 2.0), double %x, i32 %i
  %w = fmul <4 x double> %v, %v
  %t = extractelement <4 x double> %w, i32 %i
  ret double %t
""",
    "vector of pointers": """
  %p = alloca double
  %v = insertelement <2 x ptr> zeroinitializer, ptr %p, i32 0
  %q = extractelement <2 x ptr> %v, i32 0
  store double %x, ptr %p
  %l = load double, ptr %q
  %t = fmul double %l, %l
  ret double %t
""",
    "vector of pointers opaque": """
  %p = alloca [2 x double]
  %i = fptosi double %x to i32
  %v = insertelement <2 x ptr> poison, ptr %p, i32 0
  %s = shufflevector <2 x ptr> %v, <2 x ptr> poison, <2 x i32> zeroinitializer
  %q = extractelement <2 x ptr> %s, i32 %i
  store volatile double %x, ptr %p
  %l = load volatile double, ptr %q
  %t = fmul double %l, %l
  ret double %t
""",
    "vector gep": """
  %p = alloca [2 x double]
  %g = getelementptr double, ptr %p, <2 x i64> <i64 0, i64 1>
  %i = fptosi double %x to i32
  %q = extractelement <2 x ptr> %g, i32 %i
  store volatile double %x, ptr %q
  %l = load volatile double, ptr %q
  %t = fmul double %l, %l
  ret double %t
""",
    "masked load": """
declare <2 x double> @llvm.masked.load.v2f64.p0(ptr, i32, <2 x i1>, <2 x double>)
-----
  %p = alloca <2 x double>
  %v = insertelement <2 x double> zeroinitializer, double %x, i32 0
  store volatile <2 x double> %v, ptr %p
  %l = call <2 x double> @llvm.masked.load.v2f64.p0(ptr %p, i32 8, <2 x i1> <i1 1, i1 0>, <2 x double> zeroinitializer)
  %m = fmul <2 x double> %l, %l
  %t = extractelement <2 x double> %m, i32 0
  ret double %t
""",
    "zero-sized array": """
  %p = alloca [0 x double]
  %q = alloca { [0 x double], double }
  %g = getelementptr { [0 x double], double }, ptr %q, i32 0, i32 1
  store volatile double %x, ptr %g
  %l = load volatile double, ptr %g
  %t = fmul double %l, %l
  ret double %t
""",
    "empty struct": """
  %s = insertvalue { {}, double } poison, double %x, 1
  %e = extractvalue { {}, double } %s, 0
  %d = extractvalue { {}, double } %s, 1
  %t = fmul double %d, %d
  ret double %t
""",
    "empty struct memory": """
  %p = alloca {}
  store volatile {} zeroinitializer, ptr %p
  %e = load volatile {}, ptr %p
  %t = fmul double %x, %x
  ret double %t
""",
    "opaque struct arg": """
%o = type opaque
@o = global i32 0
define void @take(ptr %p, double %y) noinline {
  ret void
}
-----
  call void @take(ptr @o, double %x)
  %t = fmul double %x, %x
  ret double %t
""",
    "packed struct": """
  %p = alloca <{ i8, double }>
  %g = getelementptr <{ i8, double }>, ptr %p, i32 0, i32 1
  store volatile double %x, ptr %g, align 1
  %l = load volatile double, ptr %g, align 1
  %t = fmul double %l, %l
  ret double %t
""",
    "nested struct value": """
  %s = insertvalue { i32, { double, [2 x double] } } zeroinitializer, double %x, 1, 1, 1
  %d = extractvalue { i32, { double, [2 x double] } } %s, 1
  %e = extractvalue { double, [2 x double] } %d, 1, 1
  %t = fmul double %e, %e
  ret double %t
""",
    "struct with fp80": """
  %p = alloca { x86_fp80, double }
  %h = fpext double %x to x86_fp80
  %g = getelementptr { x86_fp80, double }, ptr %p, i32 0, i32 0
  store volatile x86_fp80 %h, ptr %g
  %l = load volatile x86_fp80, ptr %g
  %d = fptrunc x86_fp80 %l to double
  %t = fmul double %d, %d
  ret double %t
""",
    "addrspacecast": """
  %p = alloca double
  %q = addrspacecast ptr %p to ptr addrspace(1)
  store volatile double %x, ptr addrspace(1) %q
  %l = load volatile double, ptr addrspace(1) %q
  %t = fmul double %l, %l
  ret double %t
""",
    "addrspace const read": """
@g = addrspace(4) constant double 3.0
-----
  %l = load double, ptr addrspace(4) @g
  %t = fmul double %x, %l
  ret double %t
""",
    "inline asm inactive": """
  call void asm sideeffect "nop", ""()
  %t = fmul double %x, %x
  ret double %t
""",
    "inline asm int": """
  %i = call i64 asm "mov $1, $0", "=r,r"(i64 5)
  %d = sitofp i64 %i to double
  %t = fmul double %x, %d
  ret double %t
""",
    "thread_local": """
@g = internal thread_local global double 0.0
-----
  store double %x, ptr @g
  %l = load double, ptr @g
  %t = fmul double %l, %l
  ret double %t
""",
    "alias function": """
define double @g(double %x) noinline {
  %s = fmul double %x, %x
  ret double %s
}
@ga = alias double (double), ptr @g
-----
  %t = call double @ga(double %x)
  ret double %t
""",
    "alias variable": """
@v = global double 3.0
@va = alias double, ptr @v
-----
  %l = load double, ptr @va
  %t = fmul double %x, %l
  ret double %t
""",
    "alias gep": """
@v = constant [2 x double] [double 1.0, double 3.0]
@va = alias double, getelementptr ([2 x double], ptr @v, i64 0, i64 1)
-----
  %l = load double, ptr @va
  %t = fmul double %x, %l
  ret double %t
""",
    "ifunc": """
define double @g(double %x) {
  ret double %x
}
define ptr @res() {
  ret ptr @g
}
@ga = ifunc double (double), ptr @res
-----
  %t = call double @ga(double %x)
  ret double %t
""",
    "weak function": """
define weak double @g(double %x) noinline {
  %s = fmul double %x, %x
  ret double %s
}
-----
  %t = call double @g(double %x)
  ret double %t
""",
    "linkonce function": """
define linkonce double @g(double %x) noinline {
  %s = fmul double %x, %x
  ret double %s
}
-----
  %t = call double @g(double %x)
  ret double %t
""",
    "weak_odr function": """
define weak_odr double @g(double %x) noinline {
  %s = fmul double %x, %x
  ret double %s
}
-----
  %t = call double @g(double %x)
  ret double %t
""",
    "linkonce_odr function": """
define linkonce_odr double @g(double %x) noinline {
  %s = fmul double %x, %x
  ret double %s
}
-----
  %t = call double @g(double %x)
  ret double %t
""",
    "internal function": """
define internal double @g(double %x) noinline {
  %s = fmul double %x, %x
  ret double %s
}
-----
  %t = call double @g(double %x)
  ret double %t
""",
    "private function": """
define private double @g(double %x) noinline {
  %s = fmul double %x, %x
  ret double %s
}
-----
  %t = call double @g(double %x)
  ret double %t
""",
    "hidden function": """
define hidden double @g(double %x) noinline {
  %s = fmul double %x, %x
  ret double %s
}
-----
  %t = call double @g(double %x)
  ret double %t
""",
    "protected function": """
define protected double @g(double %x) noinline {
  %s = fmul double %x, %x
  ret double %s
}
-----
  %t = call double @g(double %x)
  ret double %t
""",
    "comdat": """
$g = comdat any
define linkonce_odr double @g(double %x) noinline comdat {
  %s = fmul double %x, %x
  ret double %s
}
-----
  %t = call double @g(double %x)
  ret double %t
""",
    "global ctors": """
@k = global double 3.0
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @init, ptr null }]
define internal void @init() {
  store double 4.0, ptr @k
  ret void
}
-----
  %l = load double, ptr @k
  %t = fmul double %x, %l
  ret double %t
""",
    "module asm": """
module asm ".globl zz"
module asm "zz: nop"
-----
  %t = fmul double %x, %x
  ret double %t
""",
    "varargs inactive": """
define double @sum(i32 %n, ...) noinline {
  %l = alloca [24 x i8]
  call void @llvm.va_start.p0(ptr %l)
  %r = va_arg ptr %l, double
  call void @llvm.va_end.p0(ptr %l)
  %s = fmul double %r, %r
  ret double %s
}
declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_end.p0(ptr)
-----
  %d = call double (i32, ...) @sum(i32 1, double 2.0)
  %t = fmul double %d, %x
  ret double %t
""",
    "varargs too much in plain": """
define double @g(double %y) noinline {
  %s = fmul double %y, %y
  ret double %s
}
-----
  %t = call double (double, i32) @g(double %x, i32 3)
  ret double %t
""",
    "called with fewer": """
define double @g(double %y, i32 %k) noinline {
  %s = fmul double %y, %y
  ret double %s
}
-----
  %t = call double @g(double %x)
  ret double %t
""",
    "called with other type": """
define double @g(double %y) noinline {
  %s = fmul double %y, %y
  ret double %s
}
-----
  %b = bitcast double %x to i64
  %r = call i64 @g(i64 %b)
  %t = bitcast i64 %r to double
  ret double %t
""",
    "printf varargs": """
@fmt = constant [1 x i8] zeroinitializer
declare i32 @printf(ptr, ...)
-----
  %n = call i32 (ptr, ...) @printf(ptr @fmt, double %x)
  %t = fmul double %x, %x
  ret double %t
""",
    "musttail": """
define double @g(double %x) noinline {
  %s = fmul double %x, %x
  ret double %s
}
-----
  %r = musttail call double @g(double %x)
  ret double %r
""",
    "magnitudes of what was loaded as integers": """
  %p = alloca [2 x double]
  store double %x, ptr %p
  %n = fneg double %x
  %q = getelementptr double, ptr %p, i64 1
  store double %n, ptr %q
  %b = load <2 x i64>, ptr %p, align 8
  %m = and <2 x i64> %b, splat (i64 9223372036854775807)
  %a = bitcast <2 x i64> %m to <2 x double>
  %f = extractelement <2 x double> %a, i32 0
  %g = extractelement <2 x double> %a, i32 1
  %h = fmul double %f, %g
  %t = fmul double %h, %x
  ret double %t
""",
    "larger and smaller of packed numbers": """
declare <2 x double> @llvm.x86.sse2.max.pd(<2 x double>, <2 x double>)
declare <4 x float> @llvm.x86.sse.min.ps(<4 x float>, <4 x float>)
-----
  %a = insertelement <2 x double> <double 0.0, double 2.0>, double %x, i32 0
  %b = insertelement <2 x double> <double 1.0, double 0.0>, double %x, i32 1
  %m = call <2 x double> @llvm.x86.sse2.max.pd(<2 x double> %a, <2 x double> %b)
  %f = fptrunc double %x to float
  %c = insertelement <4 x float> <float 0.0, float 1.0, float 2.0, float 3.0>, float %f, i32 0
  %n = call <4 x float> @llvm.x86.sse.min.ps(<4 x float> %c, <4 x float> <float 2.0, float 2.0, float 2.0, float 2.0>)
  %n0 = extractelement <4 x float> %n, i32 0
  %w = fpext float %n0 to double
  %m0 = extractelement <2 x double> %m, i32 0
  %m1 = extractelement <2 x double> %m, i32 1
  %p = fmul double %m0, %m1
  %t = fmul double %p, %w
  ret double %t
""",
    "musttail of a constant": """
define double @g(double %x) noinline {
  %s = fmul double %x, %x
  ret double %s
}
-----
  %r = musttail call double @g(double 3.0)
  ret double %r
""",
    "loop counted in 128 bits": """
  %p = alloca [4 x double]
  br label %loop
loop:
  %i = phi i128 [ 0, %0 ], [ %next, %loop ]
  %v = phi double [ %x, %0 ], [ %m, %loop ]
  %q = getelementptr inbounds double, ptr %p, i128 %i
  %m = fmul double %v, %x
  store volatile double %m, ptr %q
  %next = add nuw nsw i128 %i, 1
  %more = icmp slt i128 %next, 4
  br i1 %more, label %loop, label %end
end:
  %last = getelementptr inbounds double, ptr %p, i128 3
  %l = load volatile double, ptr %last
  %t = fmul double %l, %x
  ret double %t
""",
    "musttail recursion": """
define double @g(double %x) noinline {
  %c = fcmp ogt double %x, 100.0
  br i1 %c, label %a, label %b
  a:
  ret double %x
  b:
  %s = fmul double %x, %x
  %r = musttail call double @g(double %s)
  ret double %r
}
-----
  %r = musttail call double @g(double %x)
  ret double %r
""",
    "tail fastcc": """
define internal fastcc double @g(double %x) noinline {
  %s = fmul double %x, %x
  ret double %s
}
-----
  %r = tail call fastcc double @g(double %x)
  ret double %r
""",
    "ghccc": """
define internal cc 10 double @g(double %x) noinline {
  %s = fmul double %x, %x
  ret double %s
}
-----
  %r = tail call cc 10 double @g(double %x)
  ret double %r
""",
    "freeze": """
  %y = freeze double %x
  %t = fmul double %y, %y
  ret double %t
""",
    "poison operand": """
  %y = fadd double %x, undef
  %t = fmul double %x, %x
  ret double %t
""",
    "switch on i128": """
entry:
  %k = fptosi double %x to i64
  %i = sext i64 %k to i65
  switch i65 %i, label %d [ i65 1, label %a
  i65 2, label %b ]
a:
  %p = fmul double %x, %x
  ret double %p
b:
  %q = fmul double %x, 3.0
  ret double %q
d:
  ret double %x
""",
    "switch no cases": """
entry:
  switch i32 0, label %d []
d:
  %p = fmul double %x, %x
  ret double %p
""",
    "infinite loop other side": """
entry:
  %c = fcmp ogt double %x, -1.0e9
  br i1 %c, label %a, label %l
a:
  %p = fmul double %x, %x
  ret double %p
l:
  br label %l
""",
    "irreducible": """
entry:
  %c = fcmp ogt double %x, 1.0
  br i1 %c, label %a, label %b
a:
  %pa = phi double [ %x, %entry ], [ %vb, %b ]
  %va = fmul double %pa, %x
  %ca = fcmp ogt double %va, 10.0
  br i1 %ca, label %end, label %b
b:
  %pb = phi double [ 2.0, %entry ], [ %va, %a ]
  %vb = fadd double %pb, %x
  br label %a
end:
  ret double %va
""",
    "unreachable": """
entry:
  %c = fcmp ogt double %x, -1.0e9
  br i1 %c, label %a, label %b
a:
  %p = fmul double %x, %x
  ret double %p
b:
  unreachable
""",
    "select vectors": """
  %c = fcmp ogt double %x, 1.0
  %v = insertelement <2 x i1> zeroinitializer, i1 %c, i32 0
  %w = insertelement <2 x double> zeroinitializer, double %x, i32 0
  %s = select <2 x i1> %v, <2 x double> %w, <2 x double> splat (double 4.0)
  %q = fmul <2 x double> %s, %s
  %t = extractelement <2 x double> %q, i32 0
  ret double %t
""",
    "frem": """
  %r = frem double %x, 0.7
  %t = fmul double %r, %x
  ret double %t
""",
    "fneg": """
  %r = fneg double %x
  %t = fmul double %r, %x
  ret double %t
""",
    "ptrtoint inttoptr": """
  %p = alloca double
  %i = ptrtoint ptr %p to i64
  %q = inttoptr i64 %i to ptr
  store volatile double %x, ptr %q
  %l = load volatile double, ptr %p
  %t = fmul double %l, %l
  ret double %t
""",
    "ptrtoaddr": """
  %p = alloca double
  %i = ptrtoaddr ptr %p to i64
  %j = and i64 %i, 0
  %d = sitofp i64 %j to double
  %k = fadd double %d, %x
  %t = fmul double %k, %x
  ret double %t
""",
    "extract constant expr": """
  %t = fmul double %x, 3.0
  ret double %t
""",
    "global in const expr": """
@v = constant [2 x double] [double 1.0, double 3.0]
-----
  %l = load double, ptr getelementptr ([2 x double], ptr @v, i64 0, i64 1)
  %t = fmul double %x, %l
  ret double %t
""",
    "const expr sub": """
@v = constant double 1.0
-----
  %i = fptosi double %x to i64
  %j = add i64 %i, sub (i64 ptrtoint (ptr @v to i64), i64 ptrtoint (ptr @v to i64))
  %d = sitofp i64 %j to double
  %t = fmul double %x, %d
  ret double %t
""",
    "atomic load store": """
  %p = alloca double
  store atomic double %x, ptr %p seq_cst, align 8
  %l = load atomic double, ptr %p seq_cst, align 8
  %t = fmul double %l, %l
  ret double %t
""",
    "fence": """
  fence seq_cst
  fence syncscope("singlethread") acquire
  %t = fmul double %x, %x
  ret double %t
""",
    "atomicrmw counter": """
@n = internal global i32 0
-----
  %o = atomicrmw add ptr @n, i32 1 seq_cst
  %t = fmul double %x, %x
  ret double %t
""",
    "cmpxchg counter": """
@n = internal global i32 0
-----
  %o = cmpxchg ptr @n, i32 0, i32 1 seq_cst seq_cst
  %b = extractvalue { i32, i1 } %o, 1
  %d = uitofp i1 %b to double
  %e = fadd double %x, 0.0
  %t = fmul double %x, %e
  ret double %t
""",
    "volatile memcpy": """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
-----
  %p = alloca double
  %q = alloca double
  store double %x, ptr %p
  call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %p, i64 8, i1 true)
  %l = load double, ptr %q
  %t = fmul double %l, %l
  ret double %t
""",
    "memcpy inline": """
declare void @llvm.memcpy.inline.p0.p0.i64(ptr, ptr, i64, i1)
-----
  %p = alloca double
  %q = alloca double
  store double %x, ptr %p
  call void @llvm.memcpy.inline.p0.p0.i64(ptr %q, ptr %p, i64 8, i1 true)
  %l = load volatile double, ptr %q
  %t = fmul double %l, %l
  ret double %t
""",
    "memcpy element atomic": """
declare void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr, ptr, i64, i32)
-----
  %p = alloca double
  %q = alloca double
  store volatile double %x, ptr %p
  call void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr align 8 %q, ptr align 8 %p, i64 8, i32 8)
  %l = load volatile double, ptr %q
  %t = fmul double %l, %l
  ret double %t
""",
    "memset pattern": """
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
-----
  %p = alloca [4 x double]
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 32, i1 false)
  %i = fptosi double %x to i64
  %g = getelementptr double, ptr %p, i64 %i
  store double %x, ptr %g
  %l = load double, ptr %g
  %t = fmul double %l, %l
  ret double %t
""",
    "token": """
declare token @llvm.experimental.convergence.entry() convergent
define void @sub() convergent noinline {
  ret void
}
-----
attributes: convergent
  %t0 = call token @llvm.experimental.convergence.entry()
  call void @sub() [ "convergencectrl"(token %t0) ]
  %t = fmul double %x, %x
  ret double %t
""",
    "operand bundle": """
@v = global double 1.0, align 8
declare void @llvm.assume(i1)
-----
  call void @llvm.assume(i1 true) [ "align"(ptr @v, i64 8) ]
  %t = fmul double %x, %x
  ret double %t
""",
    "deopt bundle": """
define void @sub() noinline {
  ret void
}
-----
  call void @sub() [ "deopt"(i32 1, double %x) ]
  %t = fmul double %x, %x
  ret double %t
""",
    "gc": """
attributes: gc "shadow-stack"
  %t = fmul double %x, %x
  ret double %t
""",
    "prefix data": """
define double @g(double %x) noinline prefix i32 123 {
  %s = fmul double %x, %x
  ret double %s
}
-----
  %t = call double @g(double %x)
  ret double %t
""",
    "prologue data": """
define double @g(double %x) noinline prologue i8 144 {
  %s = fmul double %x, %x
  ret double %s
}
-----
  %t = call double @g(double %x)
  ret double %t
""",
    "byval": """
define double @g(ptr byval({ double, double }) %p) noinline {
  %l = load double, ptr %p
  %m = fmul double %l, %l
  store double 0.0, ptr %p
  ret double %m
}
-----
  %p = alloca { double, double }
  store double %x, ptr %p
  %t = call double @g(ptr byval({ double, double }) %p)
  ret double %t
""",
    "sret": """
define void @g(ptr sret({ double, double }) %p, double %y) noinline {
  %m = fmul double %y, %y
  store double %m, ptr %p
  ret void
}
-----
  %p = alloca { double, double }
  call void @g(ptr sret({ double, double }) %p, double %x)
  %l = load double, ptr %p
  %t = fmul double %l, %x
  ret double %t
""",
    "alloca variable": """
  %i = fptosi double %x to i64
  %k = add i64 %i, 1
  %p = alloca double, i64 %k
  store volatile double %x, ptr %p
  %l = load volatile double, ptr %p
  %t = fmul double %l, %l
  ret double %t
""",
    "alloca huge": """
  %p = alloca [10000 x double]
  %i = fptosi double %x to i64
  %g = getelementptr double, ptr %p, i64 %i
  store volatile double %x, ptr %g
  %l = load volatile double, ptr %g
  %t = fmul double %l, %l
  ret double %t
""",
    "stacksave": """
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)
-----
  %s = call ptr @llvm.stacksave.p0()
  %p = alloca double, i64 3
  store volatile double %x, ptr %p
  %l = load volatile double, ptr %p
  call void @llvm.stackrestore.p0(ptr %s)
  %t = fmul double %l, %l
  ret double %t
""",
    "metadata kinds": """
!0 = !{float 2.5}
!2 = distinct !{!2, !5}
!3 = !{!"auto-init"}
!4 = !{i32 1}
!5 = !{}
-----
  %y = fmul double %x, %x, !fpmath !0, !custom !2
  %p = alloca double, !annotation !3
  store volatile double %y, ptr %p, !nontemporal !4
  %l = load volatile double, ptr %p, !noundef !5
  %t = fadd double %l, 0.0
  ret double %t
""",
    "metadata as value": """
declare void @llvm.dbg.value(metadata, metadata, metadata)
!0 = !{}
-----
  call void @llvm.dbg.value(metadata double %x, metadata !0, metadata !DIExpression())
  %t = fmul double %x, %x
  ret double %t
""",
    "returnaddress": """
declare ptr @llvm.returnaddress(i32)
-----
  %p = call ptr @llvm.returnaddress(i32 0)
  %c = icmp eq ptr %p, null
  %d = select i1 %c, double 1.0, double 2.0
  %t = fmul double %d, %x
  ret double %t
""",
    "frameaddress localescape": """
declare ptr @llvm.frameaddress.p0(i32)
-----
  %p = call ptr @llvm.frameaddress.p0(i32 0)
  %c = icmp eq ptr %p, null
  %d = select i1 %c, double 1.0, double 2.0
  %t = fmul double %d, %x
  ret double %t
""",
    "overflow intrinsic": """
declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32)
-----
  %i = fptosi double %x to i32
  %o = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %i, i32 1)
  %v = extractvalue { i32, i1 } %o, 0
  %d = sitofp i32 %v to double
  %t = fmul double %x, %d
  ret double %t
""",
    "fixed point": """
declare i32 @llvm.smul.fix.i32(i32, i32, i32)
-----
  %i = fptosi double %x to i32
  %o = call i32 @llvm.smul.fix.i32(i32 %i, i32 2, i32 1)
  %d = sitofp i32 %o to double
  %t = fmul double %x, %d
  ret double %t
""",
    "dso_local_equivalent": """
define double @g0(double %x) {
  ret double %x
}
@tab = constant i32 trunc (i64 sub (i64 ptrtoint (ptr dso_local_equivalent @g0 to i64), i64 ptrtoint (ptr @tab to i64)) to i32)
-----
  %i = fptosi double %x to i64
  %t = fmul double %x, %x
  ret double %t
""",
    "no_cfi": """
define double @g0(double %x) {
  ret double %x
}
-----
  %c = icmp eq ptr no_cfi @g0, null
  %d = select i1 %c, double 1.0, double 2.0
  %t = fmul double %d, %x
  ret double %t
""",
    "externally_initialized": """
@k = externally_initialized global double 3.0, section "foo", align 16
-----
  %l = load double, ptr @k
  %t = fmul double %x, %l
  ret double %t
""",
    "common": """
@k = common global double 0.0
-----
  %l = load double, ptr @k
  %s = fadd double %l, %x
  %t = fmul double %x, %s
  ret double %t
""",
    "quoted names": r"""
define double @"we ird\22q"(double %"x y") noinline {
  %"r\5C" = fmul double %"x y", %"x y"
  ret double %"r\5C"
}
-----
  %"a b" = fmul double %x, %x
  %t = call double @"we ird\22q"(double %"a b")
  ret double %t
""",
    "i64 trip of double": """
  %p = alloca i64
  %b = bitcast double %x to i64
  store volatile i64 %b, ptr %p
  %l = load volatile double, ptr %p
  %t = fmul double %l, %l
  ret double %t
""",
    "bitcast vector": """
  %b = bitcast double %x to <2 x i32>
  %e = extractelement <2 x i32> %b, i32 1
  %f = insertelement <2 x i32> %b, i32 %e, i32 1
  %d = bitcast <2 x i32> %f to double
  %t = fmul double %d, %d
  ret double %t
""",
    "large struct phi": """
entry:
  %s = insertvalue { double, i32 } zeroinitializer, double %x, 0
  br label %l
l:
  %p = phi { double, i32 } [ %s, %entry ], [ %n2, %l ]
  %d = extractvalue { double, i32 } %p, 0
  %i = extractvalue { double, i32 } %p, 1
  %m = fmul double %d, %x
  %j = add i32 %i, 1
  %n1 = insertvalue { double, i32 } %p, double %m, 0
  %n2 = insertvalue { double, i32 } %n1, i32 %j, 1
  %c = icmp slt i32 %j, 3
  br i1 %c, label %l, label %e
e:
  %r = extractvalue { double, i32 } %n2, 0
  ret double %r
""",
    "ret undef sometimes": """
entry:
  %c = fcmp ogt double %x, -1.0e9
  br i1 %c, label %a, label %b
a:
  %p = fmul double %x, %x
  ret double %p
b:
  ret double undef
""",
    "llvm.used": """
define internal double @g(double %x) noinline {
  %s = fmul double %x, %x
  ret double %s
}
@llvm.used = appending global [1 x ptr] [ptr @g], section "llvm.metadata"
-----
  %t = call double @g(double %x)
  ret double %t
""",
    "addrspace function": """
define void @h() addrspace(0) {
  ret void
}
-----
  %t = fmul double %x, %x
  ret double %t
""",
    "statepoint-like intrinsic": """
declare double @llvm.ssa.copy.f64(double returned)
-----
  %a = call double @llvm.ssa.copy.f64(double %x)
  %t = fmul double %a, %x
  ret double %t
""",
    "fcmp vector reduce or": """
declare i1 @llvm.vector.reduce.or.v2i1(<2 x i1>)
-----
  %v = insertelement <2 x double> zeroinitializer, double %x, i32 0
  %c = fcmp ogt <2 x double> %v, zeroinitializer
  %o = call i1 @llvm.vector.reduce.or.v2i1(<2 x i1> %c)
  %d = select i1 %o, double 2.0, double 1.0
  %t = fmul double %x, %d
  ret double %t
""",
    "i128 counter": """
  %p = alloca i128
  store volatile i128 3, ptr %p
  %l = load volatile i128, ptr %p
  %m = mul i128 %l, %l
  %n = trunc i128 %m to i64
  %d = sitofp i64 %n to double
  %t = fmul double %x, %d
  ret double %t
""",
    "posix_memalign": """
declare i32 @posix_memalign(ptr, i64, i64)
declare void @free(ptr)
-----
  %p = alloca ptr
  %i = call i32 @posix_memalign(ptr %p, i64 64, i64 64)
  %q = load ptr, ptr %p
  store double %x, ptr %q
  %l = load double, ptr %q
  %t = fmul double %l, %l
  call void @free(ptr %q)
  ret double %t
""",
    "posix_memalign in a struct": """
declare i32 @posix_memalign(ptr, i64, i64)
declare void @free(ptr)
define void @fill(ptr %s, double %x) noinline {
  %p = getelementptr { i64, ptr }, ptr %s, i32 0, i32 1
  %q = load ptr, ptr %p
  %g = getelementptr double, ptr %q, i64 7
  store double %x, ptr %g
  ret void
}
-----
entry:
  %s = alloca { i64, ptr }
  %p = getelementptr { i64, ptr }, ptr %s, i32 0, i32 1
  %i = call i32 @posix_memalign(ptr %p, i64 16, i64 800)
  %bad = icmp ne i32 %i, 0
  br i1 %bad, label %fail, label %ok
fail:
  ret double 0.0
ok:
  call void @fill(ptr %s, double %x)
  %q = load ptr, ptr %p
  %g = getelementptr double, ptr %q, i64 7
  %l = load double, ptr %g
  %t = fmul double %l, %x
  call void @free(ptr %q)
  ret double %t
""",
    "counter beside data": """
  %s = alloca { i64, double }
  store { i64, double } { i64 1, double 0.0 }, ptr %s
  %o = atomicrmw add ptr %s, i64 2 seq_cst
  %g = getelementptr { i64, double }, ptr %s, i32 0, i32 1
  store volatile double %x, ptr %g
  %l = load volatile double, ptr %g
  %n = load volatile i64, ptr %s
  %d = sitofp i64 %n to double
  %t = fmul double %l, %d
  ret double %t
""",
}

REFUSED = {
    "scalable vector memory": (
        "a vector of scalable length",
        """
  %p = alloca <vscale x 2 x double>
  %v = insertelement <vscale x 2 x double> zeroinitializer, double %x, i32 0
  store volatile <vscale x 2 x double> %v, ptr %p
  %w = load volatile <vscale x 2 x double>, ptr %p
  %t = extractelement <vscale x 2 x double> %w, i32 0
  ret double %t
""",
    ),
    "a global changed by a call of another type": (
        "another type than it is defined with",
        """
@state = internal global double 0.0
define void @set(double %v) noinline {
  store volatile double %v, ptr @state
  ret void
}
-----
  call void @set(double %x)
  %l = load volatile double, ptr @state
  %r = call double @set()
  %t = fmul double %r, %l
  ret double %t
""",
    ),
    "a copy of more bytes than there are": (
        "a copy of memory of unknown type",
        """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
-----
  %p = alloca { double, i32, [3 x double] }
  %q = alloca { double, i32, [3 x double] }
  %whole = fptosi double %x to i64
  %k = srem i64 %whole, 3
  %small = trunc i64 %k to i32
  store volatile double %x, ptr %p
  %p8 = getelementptr i8, ptr %p, i64 8
  store volatile i32 %small, ptr %p8
  %p16 = getelementptr i8, ptr %p, i64 16
  store double %x, ptr %p16
  call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %p, i64 9223372036854775807, i1 false)
  %q16 = getelementptr i8, ptr %q, i64 16
  %pk = getelementptr double, ptr %p16, i64 %k
  %qk = getelementptr double, ptr %q16, i64 %k
  %a = load volatile double, ptr %pk
  %b = load volatile double, ptr %qk
  %t = fmul double %a, %b
  ret double %t
""",
    ),
    "steps of two thousand million numbers": (
        "a copy of memory of unknown type",
        """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare ptr @malloc(i64)
-----
entry:
  %n = fptosi double %x to i64
  %p = call ptr @malloc(i64 %n)
  %q = call ptr @malloc(i64 %n)
  store double %x, ptr %p
  call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %p, i64 %n, i1 false)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi double [ 0.0, %entry ], [ %more, %loop ]
  %at = getelementptr double, ptr %q, i64 %i
  %v = load double, ptr %at
  %more = fadd double %sum, %v
  %next = add nuw nsw i64 %i, 2147483647
  %c = icmp slt i64 %next, %n
  br i1 %c, label %loop, label %end
end:
  ret double %more
""",
    ),
    "a variable by the name of a function": (
        "@free is a variable; the derivative needs the function of that name",
        """
@free = global ptr null
define internal double @g(double %v) noinline {
  %s = fmul double %v, %v
  ret double %s
}
-----
  %t = call double @g(double %x)
  ret double %t
""",
    ),
    "a value of a million numbers": (
        "a single value of more than",
        """
  %p = alloca [1000 x [1000 x double]]
  store volatile double %x, ptr %p
  %w = load volatile [1000 x [1000 x double]], ptr %p
  %t = extractvalue [1000 x [1000 x double]] %w, 0, 0
  ret double %t
""",
    ),
    "a copy of half a number": (
        "a copy of a part of a number",
        """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
-----
  %p = alloca { double, i32, i32 }
  %q = alloca { double, i32, i32 }
  %p4 = getelementptr i8, ptr %p, i64 4
  %q4 = getelementptr i8, ptr %q, i64 4
  %p8 = getelementptr i8, ptr %p, i64 8
  store volatile double %x, ptr %p
  store volatile double 0.0, ptr %q
  store volatile i32 7, ptr %p8
  call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %p, i64 4, i1 true)
  call void @llvm.memcpy.p0.p0.i64(ptr %q4, ptr %p4, i64 8, i1 true)
  %l = load volatile double, ptr %q
  %t = fmul double %l, %l
  ret double %t
""",
    ),
    "addrspace": (
        "active data is stored in the global variable 'g' and read back",
        """
@g = addrspace(1) global double 0.0
-----
  store double %x, ptr addrspace(1) @g
  %l = load double, ptr addrspace(1) @g
  %t = fmul double %l, %l
  ret double %t
""",
    ),
    "indirectbr": (
        "it jumps to computed addresses of its own blocks ('indirectbr')",
        """
entry:
  %c = fcmp ogt double %x, 1.0
  %a = select i1 %c, ptr blockaddress(@f, %one), ptr blockaddress(@f, %two)
  indirectbr ptr %a, [label %one, label %two]
one:
  %p = fmul double %x, %x
  ret double %p
two:
  ret double %x
""",
    ),
    "blockaddress in table": (
        "it jumps to computed addresses of its own blocks ('indirectbr')",
        """
@tab = constant [2 x ptr] [ptr blockaddress(@f, %one), ptr blockaddress(@f, %two)]
-----
entry:
  %i = fptosi double %x to i64
  %g = getelementptr [2 x ptr], ptr @tab, i64 0, i64 %i
  %a = load ptr, ptr %g
  indirectbr ptr %a, [label %one, label %two]
one:
  %p = fmul double %x, %x
  ret double %p
two:
  %q = fmul double %x, 3.0
  ret double %q
""",
    ),
    "blockaddress unused": (
        "the address of a block ('blockaddress')",
        """
@place = global ptr null
-----
entry:
  store volatile ptr blockaddress(@f, %one), ptr @place
  br label %one
one:
  %p = fmul double %x, %x
  ret double %p
""",
    ),
    "callbr": (
        "assembly that may jump ('callbr')",
        """
entry:
  callbr void asm sideeffect "", "!i"() to label %one [label %two]
one:
  %p = fmul double %x, %x
  ret double %p
two:
  ret double %x
""",
    ),
    "callbr value": (
        "assembly that may jump ('callbr')",
        """
entry:
  %v = callbr double asm sideeffect "", "=x,x,!i"(double %x) to label %one [label %two]
one:
  %p = fmul double %x, %v
  ret double %p
two:
  ret double %x
""",
    ),
    "resume of nothing": (
        "an exception goes on ('resume') that nothing caught",
        """
declare i32 @__gxx_personality_v0(...)
-----
attributes: personality ptr @__gxx_personality_v0
  %p = fmul double %x, %x
  %c = fcmp olt double %x, 3.0
  br i1 %c, label %one, label %two
one:
  ret double %p
two:
  resume double %p
""",
    ),
    "inline asm active": (
        "inline assembly",
        """
  %y = call double asm "addsd $1, $0", "=x,x"(double %x)
  %t = fmul double %y, %x
  ret double %t
""",
    ),
    "inline asm memory": (
        "inline assembly",
        """
  %p = alloca double
  store volatile double %x, ptr %p
  call void asm sideeffect "", "r,~{memory}"(ptr %p)
  %l = load volatile double, ptr %p
  %t = fmul double %l, %l
  ret double %t
""",
    ),
    "funclets": (
        "a call that may end in an exception ('invoke')",
        """
declare i32 @__CxxFrameHandler3(...)
declare void @other()
define double @g(double %x) noinline {
  call void @other()
  ret double %x
}
-----
attributes: personality ptr @__CxxFrameHandler3
entry:
  %v = invoke double @g(double %x) to label %ok unwind label %bad
ok:
  %t = fmul double %v, %x
  ret double %t
bad:
  %cs = catchswitch within none [label %h] unwind to caller
h:
  %cp = catchpad within %cs [ptr null, i32 64, ptr null]
  catchret from %cp to label %out
out:
  ret double 0.0
""",
    ),
    "cleanup funclet": (
        "a call that may end in an exception ('invoke')",
        """
declare i32 @__CxxFrameHandler3(...)
declare void @other()
define double @g(double %x) noinline {
  call void @other()
  ret double %x
}
-----
attributes: personality ptr @__CxxFrameHandler3
entry:
  %v = invoke double @g(double %x) to label %ok unwind label %bad
ok:
  ret double %v
bad:
  %cp = cleanuppad within none []
  call void @other() [ "funclet"(token %cp) ]
  cleanupret from %cp unwind to caller
""",
    ),
    "varargs call defined": (
        "the call of 'sum' with a variable number of arguments",
        """
define double @sum(i32 %n, ...) noinline {
  %l = alloca [24 x i8]
  call void @llvm.va_start.p0(ptr %l)
  %r = va_arg ptr %l, double
  call void @llvm.va_end.p0(ptr %l)
  %s = fmul double %r, %r
  ret double %s
}
declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_end.p0(ptr)
-----
  %t = call double (i32, ...) @sum(i32 1, double %x)
  ret double %t
""",
    ),
    "varargs fixed only used": (
        "the call of 'g' with a variable number of arguments",
        """
define double @g(double %y, ...) noinline {
  %s = fmul double %y, %y
  ret double %s
}
-----
  %t = call double (double, ...) @g(double %x, i32 3)
  ret double %t
""",
    ),
    "constrained": (
        "the call of external function 'llvm.experimental.constrained.fmul.f64'",
        """
declare double @llvm.experimental.constrained.fmul.f64(double, double, metadata, metadata)
-----
attributes: strictfp
  %t = call double @llvm.experimental.constrained.fmul.f64(double %x, double %x, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  ret double %t
""",
    ),
    "constrained fcmp": (
        "the call of external function 'llvm.experimental.constrained.fmul.f64'",
        """
declare double @llvm.experimental.constrained.fmul.f64(double, double, metadata, metadata)
declare i1 @llvm.experimental.constrained.fcmp.f64(double, double, metadata, metadata)
-----
attributes: strictfp
  %c = call i1 @llvm.experimental.constrained.fcmp.f64(double %x, double 1.0, metadata !"ogt", metadata !"fpexcept.strict") strictfp
  %d = select i1 %c, double 2.0, double 3.0
  %t = call double @llvm.experimental.constrained.fmul.f64(double %x, double %d, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  ret double %t
""",
    ),
    "matrix intrinsic": (
        "the call of external function 'llvm.matrix.multiply.v4f64.v4f64.v4f64'",
        """
declare <4 x double> @llvm.matrix.multiply.v4f64.v4f64.v4f64(<4 x double>, <4 x double>, i32, i32, i32)
-----
  %v = insertelement <4 x double> splat (double 1.0), double %x, i32 0
  %m = call <4 x double> @llvm.matrix.multiply.v4f64.v4f64.v4f64(<4 x double> %v, <4 x double> %v, i32 2, i32 2, i32 2)
  %t = extractelement <4 x double> %m, i32 0
  ret double %t
""",
    ),
    "vp intrinsic": (
        "the call of external function 'llvm.vp.fmul.v2f64'",
        """
declare <2 x double> @llvm.vp.fmul.v2f64(<2 x double>, <2 x double>, <2 x i1>, i32)
-----
  %v = insertelement <2 x double> splat (double 1.0), double %x, i32 0
  %m = call <2 x double> @llvm.vp.fmul.v2f64(<2 x double> %v, <2 x double> %v, <2 x i1> splat (i1 1), i32 2)
  %t = extractelement <2 x double> %m, i32 0
  ret double %t
""",
    ),
    "reverse intrinsic": (
        "the call of external function 'llvm.vector.reverse.v2f64'",
        """
declare <2 x double> @llvm.vector.reverse.v2f64(<2 x double>)
-----
  %v = insertelement <2 x double> splat (double 1.0), double %x, i32 0
  %m = call <2 x double> @llvm.vector.reverse.v2f64(<2 x double> %v)
  %k = fmul <2 x double> %m, %m
  %t = extractelement <2 x double> %k, i32 1
  ret double %t
""",
    ),
    "coroutine": (
        "a coroutine",
        """
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
-----
attributes: presplitcoroutine
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %h = call ptr @llvm.coro.begin(token %id, ptr null)
  %t = fmul double %x, %x
  ret double %t
""",
    ),
    "setjmp": (
        "a call that may return twice ('setjmp')",
        """
declare i32 @setjmp(ptr) returns_twice
-----
  %b = alloca [200 x i8]
  %i = call i32 @setjmp(ptr %b) returns_twice
  %d = sitofp i32 %i to double
  %e = fadd double %d, %x
  %t = fmul double %x, %e
  ret double %t
""",
    ),
    "inalloca": (
        "a parameter that is passed as 'inalloca'",
        """
define double @g(ptr inalloca({ double }) %p) noinline {
  %l = load double, ptr %p
  %m = fmul double %l, %l
  ret double %m
}
-----
  %p = alloca inalloca { double }
  store double %x, ptr %p
  %t = call double @g(ptr inalloca({ double }) %p)
  ret double %t
""",
    ),
    "swifterror": (
        "a parameter that is passed as 'swifterror'",
        """
define double @g(double %x, ptr swifterror %e) noinline {
  %m = fmul double %x, %x
  ret double %m
}
-----
  %e = alloca swifterror ptr
  store ptr null, ptr %e
  %t = call double @g(double %x, ptr swifterror %e)
  ret double %t
""",
    ),
    "convert fp16": (
        "the call of external function 'llvm.convert.to.fp16.f64'",
        """
declare i16 @llvm.convert.to.fp16.f64(double)
declare double @llvm.convert.from.fp16.f64(i16)
-----
  %i = call i16 @llvm.convert.to.fp16.f64(double %x)
  %d = call double @llvm.convert.from.fp16.f64(i16 %i)
  %t = fmul double %d, %d
  ret double %t
""",
    ),
    "target intrinsic": (
        "the call of external function 'llvm.x86.sse2.max.sd'",
        """
declare <2 x double> @llvm.x86.sse2.max.sd(<2 x double>, <2 x double>)
-----
  %v = insertelement <2 x double> splat (double 1.0), double %x, i32 0
  %m = call <2 x double> @llvm.x86.sse2.max.sd(<2 x double> %v, <2 x double> splat (double 0.5))
  %k = fmul <2 x double> %m, %m
  %t = extractelement <2 x double> %k, i32 0
  ret double %t
""",
    ),
    "union bits": (
        "floats packed into an integer",
        """
  %p = alloca [16 x i8]
  store volatile double %x, ptr %p
  %i = load volatile i32, ptr %p
  %q = getelementptr i8, ptr %p, i64 4
  %j = load volatile i32, ptr %q
  %z = alloca [16 x i8]
  store volatile i32 %i, ptr %z
  %w = getelementptr i8, ptr %z, i64 4
  store volatile i32 %j, ptr %w
  %l = load volatile double, ptr %z
  %t = fmul double %l, %l
  ret double %t
""",
    ),
    "bitcast double to v2f32": (
        "a float looked at as another type",
        """
  %b = bitcast double %x to <2 x float>
  %e = extractelement <2 x float> %b, i32 1
  %d = fpext float %e to double
  %t = fmul double %d, %x
  ret double %t
""",
    ),
    "naked attr": (
        "a function whose body is assembly alone ('naked')",
        """
define double @g(double %x) naked noinline {
  call void asm sideeffect "ret", ""()
  unreachable
}
-----
  %t = call double @g(double %x)
  ret double %t
""",
    ),
    "memory in vector of floats as i64": (
        "a float unpacked from an integer",
        """
  %p = alloca <2 x float>
  %f = fptrunc double %x to float
  %v = insertelement <2 x float> zeroinitializer, float %f, i32 0
  store volatile <2 x float> %v, ptr %p
  %i = load volatile i64, ptr %p
  %q = alloca i64
  store volatile i64 %i, ptr %q
  %w = load volatile <2 x float>, ptr %q
  %e = extractelement <2 x float> %w, i32 0
  %d = fpext float %e to double
  %t = fmul double %d, %d
  ret double %t
""",
    ),
    "i128 memory": (
        "floats packed into an integer",
        """
  %b = bitcast double %x to i64
  %w = zext i64 %b to i128
  %p = alloca i128
  store volatile i128 %w, ptr %p
  %l = load volatile double, ptr %p
  %t = fmul double %l, %l
  ret double %t
""",
    ),
    "bits of a bfloat in memory": (
        "a float unpacked from an integer",
        """
  %s = fptrunc double %x to float
  %h = fptrunc float %s to bfloat
  %i = bitcast bfloat %h to i16
  %p = alloca i16
  store volatile i16 %i, ptr %p
  %l = load volatile bfloat, ptr %p
  %w = fpext bfloat %l to float
  %t = fpext float %w to double
  ret double %t
""",
    ),
    "bits of a long double": (
        "a float unpacked from an integer",
        """
  %h = fpext double %x to x86_fp80
  %i = bitcast x86_fp80 %h to i80
  %p = alloca i80
  store volatile i80 %i, ptr %p
  %l = load volatile x86_fp80, ptr %p
  %t = fptrunc x86_fp80 %l to double
  ret double %t
""",
    ),
    "vectors of bits": (
        "a float unpacked from an integer",
        """
  %b = bitcast double %x to <2 x i32>
  %p = alloca <2 x i32>
  store volatile <2 x i32> %b, ptr %p
  %l = load volatile double, ptr %p
  %t = fmul double %l, %l
  ret double %t
""",
    ),
    "call of another type": (
        "the call of 'g' with another type than it is defined with",
        """
define double @g(double %y, i64 %k) noinline {
  %s = fmul double %y, %y
  ret double %s
}
-----
  %p = alloca ptr
  store volatile ptr @g, ptr %p
  %t = call double @g(double %x, i32 3)
  ret double %t
""",
    ),
    "external with out parameter": (
        "the call of external function 'make'",
        """
declare void @make(ptr)
-----
  %p = alloca ptr
  call void @make(ptr %p)
  %q = load ptr, ptr %p
  store double %x, ptr %q
  %l = load double, ptr %q
  %t = fmul double %l, %l
  ret double %t
""",
    ),
    "memory of an unknown allocator": (
        "call of 'make', which returns a pointer to memory with derivatives",
        """
declare noalias ptr @make(i64)
-----
  %q = call ptr @make(i64 8)
  store volatile double %x, ptr %q
  %l = load volatile double, ptr %q
  %t = fmul double %l, %l
  ret double %t
""",
    ),
    "atomicrmw xchg double": (
        "an atomic operation ('atomicrmw') on memory with derivatives",
        """
  %p = alloca double
  store double 2.0, ptr %p
  %r = atomicrmw xchg ptr %p, double %x seq_cst
  %s = load double, ptr %p
  %t = fmul double %s, %s
  ret double %t
""",
    ),
    "atomicrmw fmax": (
        "an atomic operation ('atomicrmw') on memory with derivatives",
        """
  %p = alloca double
  store double %x, ptr %p
  %r = atomicrmw fmax ptr %p, double 3.0 seq_cst
  %s = load double, ptr %p
  %t = fmul double %s, %s
  ret double %t
""",
    ),
    "atomicrmw fadd": (
        "an atomic operation ('atomicrmw') on memory with derivatives",
        """
  %p = alloca double
  store double 1.0, ptr %p
  %r = atomicrmw fadd ptr %p, double %x monotonic
  %s = load double, ptr %p
  %t = fmul double %s, %s
  ret double %t
""",
    ),
    "atomicrmw xchg i64": (
        "an atomic operation ('atomicrmw') on memory with derivatives",
        """
  %p = alloca i64
  store i64 0, ptr %p
  %b = bitcast double %x to i64
  %r = atomicrmw xchg ptr %p, i64 %b seq_cst
  %s = load double, ptr %p
  %t = fmul double %s, %s
  ret double %t
""",
    ),
    "atomicrmw or i64": (
        "an atomic operation ('atomicrmw') on memory with derivatives",
        """
  %p = alloca i64
  store i64 0, ptr %p
  %b = bitcast double %x to i64
  %r = atomicrmw or ptr %p, i64 %b seq_cst
  %s = load double, ptr %p
  %t = fmul double %s, %s
  ret double %t
""",
    ),
    "cmpxchg of bits": (
        "an atomic operation ('cmpxchg') on memory with derivatives",
        """
  %p = alloca i64
  store i64 0, ptr %p
  %b = bitcast double %x to i64
  %r = cmpxchg ptr %p, i64 0, i64 %b seq_cst seq_cst
  %s = load double, ptr %p
  %t = fmul double %s, %s
  ret double %t
""",
    ),
    "atomicrmw result alone": (
        "an atomic operation ('atomicrmw') on memory with derivatives",
        """
  %p = alloca double
  store volatile double %x, ptr %p
  %r = atomicrmw xchg ptr %p, double 3.0 seq_cst
  %t = fmul double %r, %r
  ret double %t
""",
    ),
    "atomic exchange of pointers": (
        "an atomic operation ('atomicrmw') on memory with derivatives",
        """
  %a = alloca double
  %p = alloca ptr
  store volatile ptr null, ptr %p
  store double %x, ptr %a
  %o = atomicrmw xchg ptr %p, ptr %a seq_cst
  %q = load volatile ptr, ptr %p
  %l = load double, ptr %q
  %t = fmul double %l, %l
  ret double %t
""",
    ),
    "atomics on a log": (
        "active data is stored in the global variable 'log' and read back",
        """
@log = global double 0.0
-----
  %o = atomicrmw xchg ptr @log, double %x seq_cst
  %t = fmul double %x, %x
  ret double %t
""",
    ),
    "struct of bits": (
        "floats packed into an integer",
        """
  %p = alloca double
  store volatile double %x, ptr %p
  %l = load volatile { i32, i32 }, ptr %p
  %a = extractvalue { i32, i32 } %l, 0
  %b = extractvalue { i32, i32 } %l, 1
  %q = alloca { i32, i32 }
  store volatile i32 %a, ptr %q
  %g = getelementptr i8, ptr %q, i64 4
  store volatile i32 %b, ptr %g
  %d = load volatile double, ptr %q
  %t = fmul double %d, %d
  ret double %t
""",
    ),
    "array of bits": (
        "floats packed into an integer",
        """
  %p = alloca double
  store volatile double %x, ptr %p
  %l = load volatile [2 x i32], ptr %p
  %q = alloca [2 x i32]
  store volatile [2 x i32] %l, ptr %q
  %d = load volatile double, ptr %q
  %t = fmul double %d, %d
  ret double %t
""",
    ),
}
