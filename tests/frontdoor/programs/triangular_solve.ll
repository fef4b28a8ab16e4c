; back substitution in place, downwards
; arguments: [2.0 0.5 -1.0 0.0 1.5 0.25 0.0 0.0 3.0] [1.0 2.0 3.0] i64:3
; returns: void

define void @f(ptr %a, ptr %b, i64 %n) {
entry:
  %top = add nsw i64 %n, -1
  br label %rows
rows:
  %i = phi i64 [ %top, %entry ], [ %i0, %rows.latch ]
  %pb = getelementptr inbounds double, ptr %b, i64 %i
  %row = mul nsw i64 %i, %n
  %start = add nsw i64 %i, 1
  br label %cols
cols:
  %j = phi i64 [ %start, %rows ], [ %j1, %body ]
  %more = icmp slt i64 %j, %n
  br i1 %more, label %body, label %rows.latch
body:
  %k = add nsw i64 %row, %j
  %pa = getelementptr inbounds double, ptr %a, i64 %k
  %px = getelementptr inbounds double, ptr %b, i64 %j
  %va = load double, ptr %pa, align 8
  %vx = load double, ptr %px, align 8
  %vb = load double, ptr %pb, align 8
  %m = fmul double %va, %vx
  %d = fsub double %vb, %m
  store double %d, ptr %pb, align 8
  %j1 = add nuw nsw i64 %j, 1
  br label %cols
rows.latch:
  %kd = add nsw i64 %row, %i
  %pd = getelementptr inbounds double, ptr %a, i64 %kd
  %vd = load double, ptr %pd, align 8
  %old = load double, ptr %pb, align 8
  %q = fdiv double %old, %vd
  store double %q, ptr %pb, align 8
  %i0 = add nsw i64 %i, -1
  %im = icmp sgt i64 %i, 0
  br i1 %im, label %rows, label %end
end:
  ret void
}

declare void @__enzyme_autodiff(ptr, ...)
declare void @__enzyme_fwddiff(ptr, ...)

define void @reverse(ptr %a0, ptr %d0, ptr %a1, ptr %d1, i64 %a2, ptr %result) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %a0, ptr %d0, ptr %a1, ptr %d1, i64 %a2)
  ret void
}

define void @forward(ptr %a0, ptr %d0, ptr %a1, ptr %d1, i64 %a2, ptr %result) {
  call void (ptr, ...) @__enzyme_fwddiff(ptr @f, ptr %a0, ptr %d0, ptr %a1, ptr %d1, i64 %a2)
  ret void
}
