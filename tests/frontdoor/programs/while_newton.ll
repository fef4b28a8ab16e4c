; square root by Newton; the count depends on the data
; arguments: 7.5
; returns: double

declare double @llvm.fabs.f64(double)
define double @f(double %a) {
entry:
  br label %loop
loop:
  %x = phi double [ %a, %entry ], [ %y, %loop ]
  %q = fdiv double %a, %x
  %t = fadd double %x, %q
  %y = fmul double %t, 5.000000e-01
  %d = fsub double %y, %x
  %e = call double @llvm.fabs.f64(double %d)
  %more = fcmp ogt double %e, 1.000000e-12
  br i1 %more, label %loop, label %end
end:
  ret double %y
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
