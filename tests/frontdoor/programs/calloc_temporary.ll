; arguments: [0.5 1.5 -1.0] i64:3
; returns: double

declare noalias ptr @calloc(i64, i64)
declare void @free(ptr)
define double @f(ptr %x, i64 %n) {
entry:
  %t = call noalias ptr @calloc(i64 %n, i64 8)
  br label %fill
fill:
  %i = phi i64 [ 0, %entry ], [ %i1, %fill ]
  %p = getelementptr inbounds double, ptr %x, i64 %i
  %v = load double, ptr %p, align 8
  %v2 = fmul double %v, %v
  %q = getelementptr inbounds double, ptr %t, i64 %i
  store double %v2, ptr %q, align 8
  %i1 = add nuw nsw i64 %i, 1
  %im = icmp slt i64 %i1, %n
  br i1 %im, label %fill, label %sum
sum:
  %j = phi i64 [ 0, %fill ], [ %j1, %sum ]
  %s = phi double [ 1.000000e+00, %fill ], [ %u, %sum ]
  %r = getelementptr inbounds double, ptr %t, i64 %j
  %w = load double, ptr %r, align 8
  %u = fmul double %s, %w
  %j1 = add nuw nsw i64 %j, 1
  %jm = icmp slt i64 %j1, %n
  br i1 %jm, label %sum, label %end
end:
  call void @free(ptr %t)
  ret double %u
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
