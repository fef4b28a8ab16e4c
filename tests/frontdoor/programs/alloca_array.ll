; a local array
; arguments: 0.7 i64:3
; returns: double

declare double @exp(double)
define double @f(double %x, i64 %n) {
entry:
  %t = alloca [8 x double], align 8
  br label %fill
fill:
  %i = phi i64 [ 0, %entry ], [ %i1, %fill ]
  %w = sitofp i64 %i to double
  %xw = fmul double %x, %w
  %e = call double @exp(double %xw)
  %p = getelementptr inbounds [8 x double], ptr %t, i64 0, i64 %i
  store double %e, ptr %p, align 8
  %i1 = add nuw nsw i64 %i, 1
  %im = icmp slt i64 %i1, %n
  br i1 %im, label %fill, label %sum
sum:
  %j = phi i64 [ 0, %fill ], [ %j1, %sum ]
  %s = phi double [ 1.000000e+00, %fill ], [ %u, %sum ]
  %q = getelementptr inbounds [8 x double], ptr %t, i64 0, i64 %j
  %v = load double, ptr %q, align 8
  %vx = fadd double %v, %x
  %u = fmul double %s, %vx
  %j1 = add nuw nsw i64 %j, 1
  %jm = icmp slt i64 %j1, %n
  br i1 %jm, label %sum, label %end
end:
  ret double %u
}

declare double @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)

define void @reverse(double %a0, i64 %a1, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %a0, i64 %a1)
  store double %r, ptr %result, align 4
  ret void
}

define void @forward(double %a0, double %d0, i64 %a1, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @f, double %a0, double %d0, i64 %a1)
  store double %r, ptr %result, align 4
  ret void
}
