; arguments: 5.75 1.5
; returns: double

declare double @fmod(double, double)
declare double @ldexp(double, i32)
define double @f(double %x, double %y) {
  %m = frem double %x, %y
  %n = call double @fmod(double %x, double 2.000000e+00)
  %l = call double @ldexp(double %y, i32 3)
  %a = fmul double %m, %n
  %b = fmul double %a, %l
  ret double %b
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
