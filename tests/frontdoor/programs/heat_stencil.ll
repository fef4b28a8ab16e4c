; time loop over an explicit stencil, nonlinear
; arguments: [0.0 1.0 0.5 -0.25 2.0 0.0] [0.0 0.0 0.0 0.0 0.0 0.0] i64:6 i64:3
; returns: void

define void @f(ptr %u, ptr %w, i64 %n, i64 %steps) {
entry:
  %last = add nsw i64 %n, -1
  br label %time
time:
  %k = phi i64 [ 0, %entry ], [ %k1, %time.latch ]
  br label %space
space:
  %i = phi i64 [ 1, %time ], [ %i1, %space ]
  %p = getelementptr inbounds double, ptr %u, i64 %i
  %i0 = add nsw i64 %i, -1
  %i1 = add nuw nsw i64 %i, 1
  %pl = getelementptr inbounds double, ptr %u, i64 %i0
  %pr = getelementptr inbounds double, ptr %u, i64 %i1
  %c = load double, ptr %p, align 8
  %l = load double, ptr %pl, align 8
  %r = load double, ptr %pr, align 8
  %lr = fadd double %l, %r
  %c2 = fmul double %c, %c
  %d = fsub double %lr, %c2
  %e = fmul double %d, 2.500000e-01
  %v = fadd double %c, %e
  %q = getelementptr inbounds double, ptr %w, i64 %i
  store double %v, ptr %q, align 8
  %more = icmp slt i64 %i1, %last
  br i1 %more, label %space, label %copy
copy:
  %j = phi i64 [ 1, %space ], [ %j1, %copy ]
  %a = getelementptr inbounds double, ptr %w, i64 %j
  %b = getelementptr inbounds double, ptr %u, i64 %j
  %t = load double, ptr %a, align 8
  store double %t, ptr %b, align 8
  %j1 = add nuw nsw i64 %j, 1
  %jm = icmp slt i64 %j1, %last
  br i1 %jm, label %copy, label %time.latch
time.latch:
  %k1 = add nuw nsw i64 %k, 1
  %km = icmp slt i64 %k1, %steps
  br i1 %km, label %time, label %end
end:
  ret void
}

declare void @__enzyme_autodiff(ptr, ...)
declare void @__enzyme_fwddiff(ptr, ...)

define void @reverse(ptr %a0, ptr %d0, ptr %a1, ptr %d1, i64 %a2, i64 %a3, ptr %result) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %a0, ptr %d0, ptr %a1, ptr %d1, i64 %a2, i64 %a3)
  ret void
}

define void @forward(ptr %a0, ptr %d0, ptr %a1, ptr %d1, i64 %a2, i64 %a3, ptr %result) {
  call void (ptr, ...) @__enzyme_fwddiff(ptr @f, ptr %a0, ptr %d0, ptr %a1, ptr %d1, i64 %a2, i64 %a3)
  ret void
}
