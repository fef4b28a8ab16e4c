; the callee stays a call
; arguments: 0.7 1.9
; returns: double

declare double @sin(double)
define double @g(double %x, double %y) noinline {
  %s = call double @sin(double %x)
  %r = fmul double %s, %y
  ret double %r
}
define double @f(double %x, double %y) {
  %a = call double @g(double %x, double %y)
  %b = call double @g(double %y, double %a)
  %r = fadd double %b, %a
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
