; arguments: 0.7 i64:4 i64:3
; returns: double

declare double @sin(double)
define double @f(double %x, i64 %n, i64 %m) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i1, %outer.latch ]
  %s = phi double [ %x, %entry ], [ %t, %outer.latch ]
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j1, %inner ]
  %u = phi double [ %s, %outer ], [ %w, %inner ]
  %v = call double @sin(double %u)
  %k = fmul double %v, %x
  %w = fadd double %k, %u
  %j1 = add nuw nsw i64 %j, 1
  %jm = icmp slt i64 %j1, %m
  br i1 %jm, label %inner, label %outer.latch
outer.latch:
  %t = fmul double %w, %s
  %i1 = add nuw nsw i64 %i, 1
  %im = icmp slt i64 %i1, %n
  br i1 %im, label %outer, label %end
end:
  ret double %t
}

declare double @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)

define void @reverse(double %a0, i64 %a1, i64 %a2, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %a0, i64 %a1, i64 %a2)
  store double %r, ptr %result, align 4
  ret void
}

define void @forward(double %a0, double %d0, i64 %a1, i64 %a2, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @f, double %a0, double %d0, i64 %a1, i64 %a2)
  store double %r, ptr %result, align 4
  ret void
}
