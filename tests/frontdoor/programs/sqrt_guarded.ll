; arguments: -1.0 2.0
; returns: double

declare double @llvm.sqrt.f64(double)
define double @f(double %x, double %y) {
entry:
  %c = fcmp ogt double %x, 0.000000e+00
  br i1 %c, label %a, label %b
a:
  %s = call double @llvm.sqrt.f64(double %x)
  br label %b
b:
  %r = phi double [ 0.000000e+00, %entry ], [ %s, %a ]
  %q = fmul double %y, %y
  %t = fadd double %q, %r
  ret double %t
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
