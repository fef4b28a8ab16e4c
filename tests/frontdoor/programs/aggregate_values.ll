; a struct of floats returned by a callee
; arguments: 1.5 2.0
; returns: double

define { double, double } @polar(double %x, double %y) noinline {
  %x2 = fmul double %x, %x
  %y2 = fmul double %y, %y
  %s = fadd double %x2, %y2
  %q = fdiv double %y, %x
  %a = insertvalue { double, double } undef, double %s, 0
  %b = insertvalue { double, double } %a, double %q, 1
  ret { double, double } %b
}
define double @f(double %x, double %y) {
  %p = call { double, double } @polar(double %x, double %y)
  %s = extractvalue { double, double } %p, 0
  %q = extractvalue { double, double } %p, 1
  %r = fmul double %s, %q
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
