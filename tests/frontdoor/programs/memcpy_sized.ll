; copy of a size known at run time only
; arguments: [1.0 -2.0 0.5 4.0] [9.0 9.0 9.0 9.0] i64:3
; returns: void

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @f(ptr %x, ptr %y, i64 %n) {
entry:
  %v = load double, ptr %x, align 8
  %v2 = fmul double %v, %v
  store double %v2, ptr %x, align 8
  %size = shl i64 %n, 3
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %y, ptr align 8 %x, i64 %size, i1 false)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %q = getelementptr inbounds double, ptr %y, i64 %i
  %w = load double, ptr %q, align 8
  %w2 = fmul double %w, %v
  store double %w2, ptr %q, align 8
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
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
