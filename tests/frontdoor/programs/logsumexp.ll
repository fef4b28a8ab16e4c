; arguments: [1.5 -2.0 0.5 3.0] i64:4
; returns: double

declare double @llvm.exp.f64(double)
declare double @llvm.log.f64(double)
declare double @llvm.maxnum.f64(double, double)
define double @f(ptr %x, i64 %n) {
entry:
  %x0 = load double, ptr %x, align 8
  br label %max
max:
  %i = phi i64 [ 0, %entry ], [ %i1, %max ]
  %m = phi double [ %x0, %entry ], [ %m1, %max ]
  %p = getelementptr inbounds double, ptr %x, i64 %i
  %v = load double, ptr %p, align 8
  %m1 = call double @llvm.maxnum.f64(double %m, double %v)
  %i1 = add nuw nsw i64 %i, 1
  %im = icmp slt i64 %i1, %n
  br i1 %im, label %max, label %sum
sum:
  %j = phi i64 [ 0, %max ], [ %j1, %sum ]
  %s = phi double [ 0.000000e+00, %max ], [ %s1, %sum ]
  %q = getelementptr inbounds double, ptr %x, i64 %j
  %w = load double, ptr %q, align 8
  %d = fsub double %w, %m1
  %e = call double @llvm.exp.f64(double %d)
  %s1 = fadd double %s, %e
  %j1 = add nuw nsw i64 %j, 1
  %jm = icmp slt i64 %j1, %n
  br i1 %jm, label %sum, label %end
end:
  %l = call double @llvm.log.f64(double %s1)
  %r = fadd double %l, %m1
  ret double %r
}

declare void @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)

define void @reverse(ptr %a0, ptr %d0, i64 %a1, ptr %result) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %a0, ptr %d0, i64 %a1)
  ret void
}

define void @forward(ptr %a0, ptr %d0, i64 %a1, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @f, ptr %a0, ptr %d0, i64 %a1)
  store double %r, ptr %result, align 4
  ret void
}
