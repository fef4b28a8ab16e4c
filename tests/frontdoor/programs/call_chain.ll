; arguments: 0.7
; returns: double

declare double @exp(double)
define double @h(double %x) noinline {
  %e = call double @exp(double %x)
  %r = fmul double %e, %x
  ret double %r
}
define double @g(double %x) noinline {
  %a = call double @h(double %x)
  %b = call double @h(double %a)
  %r = fmul double %a, %b
  ret double %r
}
define double @f(double %x) {
  %a = call double @g(double %x)
  %r = fdiv double %a, %x
  ret double %r
}

declare double @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)

define void @reverse(double %a0, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %a0)
  store double %r, ptr %result, align 4
  ret void
}

define void @forward(double %a0, double %d0, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @f, double %a0, double %d0)
  store double %r, ptr %result, align 4
  ret void
}
