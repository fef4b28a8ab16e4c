; functions of the C library
; arguments: 0.35 0.62
; returns: double
declare double @sinh(double)
declare double @cosh(double)
declare double @tanh(double)
declare double @asin(double)
declare double @acos(double)
declare double @atan(double)
declare double @cbrt(double)
declare double @expm1(double)
declare double @log1p(double)
declare double @erf(double)
declare double @tgamma(double)
declare double @lgamma(double)
declare double @exp10(double)
declare double @asinh(double)
declare double @atan2(double, double)
declare double @hypot(double, double)
define double @f(double %x, double %y) {
  %v0 = call double @sinh(double %x)
  %t0 = fmul double %v0, 0x3FF0000000000000
  %s0 = fadd double %x, %t0
  %v1 = call double @cosh(double %y)
  %t1 = fmul double %v1, 0x3FF1000000000000
  %s1 = fadd double %s0, %t1
  %v2 = call double @tanh(double %x)
  %t2 = fmul double %v2, 0x3FF2000000000000
  %s2 = fadd double %s1, %t2
  %v3 = call double @asin(double %y)
  %t3 = fmul double %v3, 0x3FF3000000000000
  %s3 = fadd double %s2, %t3
  %v4 = call double @acos(double %x)
  %t4 = fmul double %v4, 0x3FF4000000000000
  %s4 = fadd double %s3, %t4
  %v5 = call double @atan(double %y)
  %t5 = fmul double %v5, 0x3FF5000000000000
  %s5 = fadd double %s4, %t5
  %v6 = call double @cbrt(double %x)
  %t6 = fmul double %v6, 0x3FF6000000000000
  %s6 = fadd double %s5, %t6
  %v7 = call double @expm1(double %y)
  %t7 = fmul double %v7, 0x3FF7000000000000
  %s7 = fadd double %s6, %t7
  %v8 = call double @log1p(double %x)
  %t8 = fmul double %v8, 0x3FF8000000000000
  %s8 = fadd double %s7, %t8
  %v9 = call double @erf(double %y)
  %t9 = fmul double %v9, 0x3FF9000000000000
  %s9 = fadd double %s8, %t9
  %v10 = call double @tgamma(double %x)
  %t10 = fmul double %v10, 0x3FFA000000000000
  %s10 = fadd double %s9, %t10
  %v11 = call double @lgamma(double %y)
  %t11 = fmul double %v11, 0x3FFB000000000000
  %s11 = fadd double %s10, %t11
  %v12 = call double @exp10(double %x)
  %t12 = fmul double %v12, 0x3FFC000000000000
  %s12 = fadd double %s11, %t12
  %v13 = call double @asinh(double %y)
  %t13 = fmul double %v13, 0x3FFD000000000000
  %s13 = fadd double %s12, %t13
  %at = call double @atan2(double %x, double %y)
  %hy = call double @hypot(double %x, double %y)
  %m = fmul double %at, %hy
  %r = fadd double %m, %s13
  ret double %r
}

declare { double, double } @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)

define void @reverse(double %a0, double %a1, ptr %result) {
  %r = call { double, double } (ptr, ...) @__enzyme_autodiff(ptr @f, double %a0, double %a1)
  store { double, double } %r, ptr %result, align 4
  ret void
}

define void @forward(double %a0, double %d0, double %a1, double %d1, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @f, double %a0, double %d0, double %a1, double %d1)
  store double %r, ptr %result, align 4
  ret void
}
