; the inner count is the outer counter
; arguments: 0.4 i64:4
; returns: double

define double @f(double %x, i64 %n) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i1, %outer.latch ]
  %s = phi double [ 1.000000e+00, %entry ], [ %u, %outer.latch ]
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j1, %body ]
  %u = phi double [ %s, %outer ], [ %w, %body ]
  %jm = icmp ult i64 %j, %i
  br i1 %jm, label %body, label %outer.latch
body:
  %v = fmul double %u, %x
  %v2 = fmul double %v, %u
  %w = fadd double %v2, %x
  %j1 = add nuw nsw i64 %j, 1
  br label %inner
outer.latch:
  %i1 = add nuw nsw i64 %i, 1
  %im = icmp slt i64 %i1, %n
  br i1 %im, label %outer, label %end
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
