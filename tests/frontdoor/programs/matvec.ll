; arguments: [1.0 2.0 3.0 -1.0 0.5 0.25] [0.3 -0.6 0.9] [0.0 0.0] i64:2 i64:3
; returns: void

define void @f(ptr %a, ptr %x, ptr %y, i64 %n, i64 %m) {
entry:
  br label %rows
rows:
  %i = phi i64 [ 0, %entry ], [ %i1, %store ]
  %row = mul nsw i64 %i, %m
  br label %cols
cols:
  %j = phi i64 [ 0, %rows ], [ %j1, %cols ]
  %s = phi double [ 0.000000e+00, %rows ], [ %t, %cols ]
  %k = add nsw i64 %row, %j
  %p = getelementptr inbounds double, ptr %a, i64 %k
  %q = getelementptr inbounds double, ptr %x, i64 %j
  %v = load double, ptr %p, align 8
  %w = load double, ptr %q, align 8
  %vw = fmul double %v, %w
  %t = fadd double %s, %vw
  %j1 = add nuw nsw i64 %j, 1
  %jm = icmp slt i64 %j1, %m
  br i1 %jm, label %cols, label %store
store:
  %r = getelementptr inbounds double, ptr %y, i64 %i
  store double %t, ptr %r, align 8
  %i1 = add nuw nsw i64 %i, 1
  %im = icmp slt i64 %i1, %n
  br i1 %im, label %rows, label %end
end:
  ret void
}

declare void @__enzyme_autodiff(ptr, ...)
declare void @__enzyme_fwddiff(ptr, ...)

define void @reverse(ptr %a0, ptr %d0, ptr %a1, ptr %d1, ptr %a2, ptr %d2, i64 %a3, i64 %a4, ptr %result) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %a0, ptr %d0, ptr %a1, ptr %d1, ptr %a2, ptr %d2, i64 %a3, i64 %a4)
  ret void
}

define void @forward(ptr %a0, ptr %d0, ptr %a1, ptr %d1, ptr %a2, ptr %d2, i64 %a3, i64 %a4, ptr %result) {
  call void (ptr, ...) @__enzyme_fwddiff(ptr @f, ptr %a0, ptr %d0, ptr %a1, ptr %d1, ptr %a2, ptr %d2, i64 %a3, i64 %a4)
  ret void
}
