; the result does not depend on the arguments; memory is overwritten by a constant
; arguments: 1.5 [2.0 3.0]
; returns: double

define double @f(double %x, ptr %y) {
  %a = load double, ptr %y, align 8
  store double 4.000000e+00, ptr %y, align 8
  ret double 2.500000e+00
}

declare double @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)

define void @reverse(double %a0, ptr %a1, ptr %d1, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %a0, ptr %a1, ptr %d1)
  store double %r, ptr %result, align 4
  ret void
}

define void @forward(double %a0, double %d0, ptr %a1, ptr %d1, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @f, double %a0, double %d0, ptr %a1, ptr %d1)
  store double %r, ptr %result, align 4
  ret void
}
