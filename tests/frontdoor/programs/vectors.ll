; arguments: 1.5 -2.0
; returns: double

define double @f(double %x, double %y) {
  %a = insertelement <2 x double> poison, double %x, i32 0
  %b = insertelement <2 x double> %a, double %y, i32 1
  %c = fmul <2 x double> %b, %b
  %d = shufflevector <2 x double> %b, <2 x double> poison, <2 x i32> <i32 1, i32 0>
  %e = fmul <2 x double> %c, %d
  %g = fadd <2 x double> %e, <double 1.000000e+00, double 3.000000e+00>
  %l = extractelement <2 x double> %g, i32 0
  %m = extractelement <2 x double> %g, i32 1
  %r = fmul double %l, %m
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
