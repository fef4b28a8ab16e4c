; arguments: 1.5
; returns: double

@state = internal global double 0.000000e+00
define internal void @g(double %x) noinline {
  store double %x, ptr @state, align 8
  ret void
}
define internal double @h() noinline {
  %v = load double, ptr @state, align 8
  ret double %v
}
define double @f(double %x) {
  %y = fmul double %x, %x
  call void @g(double %y)
  %v = call double @h()
  %r = fmul double %v, %x
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
