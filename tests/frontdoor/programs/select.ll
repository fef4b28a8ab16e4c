; arguments: 1.5 -0.5
; returns: double

define double @f(double %x, double %y) {
  %c = fcmp ogt double %x, %y
  %m = select i1 %c, double %x, double %y
  %d = fcmp olt double %m, 1.000000e+00
  %t = fmul double %m, %y
  %u = fmul double %m, %m
  %s = select i1 %d, double %t, double %u
  %r = fmul double %s, %x
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
