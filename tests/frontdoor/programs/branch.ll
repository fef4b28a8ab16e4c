; arguments: -0.75 2.0
; returns: double

define double @f(double %x, double %y) {
entry:
  %neg = fcmp olt double %x, 0.000000e+00
  br i1 %neg, label %low, label %high
low:
  %a = fmul double %x, %x
  %b = fmul double %a, %y
  br label %join
high:
  %c = fadd double %x, %y
  br label %join
join:
  %r = phi double [ %b, %low ], [ %c, %high ]
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
