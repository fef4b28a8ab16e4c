; two buffers change places in every step
; arguments: [0.1 1.0 0.5 -0.25] [0.0 0.0 0.0 0.0] i64:5
; returns: void

define void @f(ptr %u, ptr %w, i64 %steps) {
entry:
  br label %time
time:
  %k = phi i64 [ 0, %entry ], [ %k1, %time.latch ]
  %a = phi ptr [ %u, %entry ], [ %b, %time.latch ]
  %b = phi ptr [ %w, %entry ], [ %a, %time.latch ]
  br label %space
space:
  %i = phi i64 [ 0, %time ], [ %i1, %space ]
  %p = getelementptr inbounds double, ptr %a, i64 %i
  %i1 = add nuw nsw i64 %i, 1
  %m = and i64 %i1, 3
  %pr = getelementptr inbounds double, ptr %a, i64 %m
  %c = load double, ptr %p, align 8
  %r = load double, ptr %pr, align 8
  %cr = fmul double %c, %r
  %v = fadd double %cr, %c
  %q = getelementptr inbounds double, ptr %b, i64 %i
  store double %v, ptr %q, align 8
  %more = icmp ult i64 %i1, 4
  br i1 %more, label %space, label %time.latch
time.latch:
  %k1 = add nuw nsw i64 %k, 1
  %km = icmp slt i64 %k1, %steps
  br i1 %km, label %time, label %end
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
