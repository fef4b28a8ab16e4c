; + - * / and negation
; arguments: 1.5 0.7 -2.25
; returns: double

define double @f(double %x, double %y, double %z) {
  %a = fmul double %x, %y
  %b = fadd double %a, %z
  %c = fdiv double %b, %x
  %d = fsub double %c, %y
  %e = fneg double %d
  %g = fmul double %e, %e
  %h = fdiv double %g, %z
  ret double %h
}

declare { double, double, double } @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)

define void @reverse(double %a0, double %a1, double %a2, ptr %result) {
  %r = call { double, double, double } (ptr, ...) @__enzyme_autodiff(ptr @f, double %a0, double %a1, double %a2)
  store { double, double, double } %r, ptr %result, align 4
  ret void
}

define void @forward(double %a0, double %d0, double %a1, double %d1, double %a2, double %d2, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @f, double %a0, double %d0, double %a1, double %d1, double %a2, double %d2)
  store double %r, ptr %result, align 4
  ret void
}
