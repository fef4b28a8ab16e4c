; arguments: 0.6 [1.0 -2.0 0.5 3.0] i64:4
; returns: double

declare double @llvm.fmuladd.f64(double, double, double)
define double @f(double %x, ptr %c, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi double [ 0.000000e+00, %entry ], [ %t, %loop ]
  %p = getelementptr inbounds double, ptr %c, i64 %i
  %v = load double, ptr %p, align 8
  %t = call double @llvm.fmuladd.f64(double %s, double %x, double %v)
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret double %t
}

declare double @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)

define void @reverse(double %a0, ptr %a1, ptr %d1, i64 %a2, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %a0, ptr %a1, ptr %d1, i64 %a2)
  store double %r, ptr %result, align 4
  ret void
}

define void @forward(double %a0, double %d0, ptr %a1, ptr %d1, i64 %a2, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @f, double %a0, double %d0, ptr %a1, ptr %d1, i64 %a2)
  store double %r, ptr %result, align 4
  ret void
}
