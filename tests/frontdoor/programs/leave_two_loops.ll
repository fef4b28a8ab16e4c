; arguments: [1.1 1.2 1.3] [0.5 0.6 0.7] i64:3
; returns: void

define void @f(ptr %x, ptr %y, i64 %n) {
entry:
  br label %outer
outer:
  %k = phi i64 [ 0, %entry ], [ %k1, %outer.latch ]
  br label %inner
inner:
  %i = phi i64 [ 0, %outer ], [ %i1, %cont ]
  %p = getelementptr inbounds double, ptr %x, i64 %i
  %q = getelementptr inbounds double, ptr %y, i64 %i
  %v = load double, ptr %p, align 8
  %w = load double, ptr %q, align 8
  %m = fmul double %v, %w
  store double %m, ptr %q, align 8
  %big = fcmp ogt double %m, 3.000000e+00
  br i1 %big, label %end, label %cont
cont:
  %s = fmul double %v, %v
  store double %s, ptr %p, align 8
  %i1 = add nuw nsw i64 %i, 1
  %im = icmp slt i64 %i1, %n
  br i1 %im, label %inner, label %outer.latch
outer.latch:
  %k1 = add nuw nsw i64 %k, 1
  %km = icmp slt i64 %k1, 10
  br i1 %km, label %outer, label %end
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
