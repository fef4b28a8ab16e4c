; arguments: [1.0 -2.0 0.5] 1.5 i64:3
; returns: void

define void @f(ptr %x, double %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds double, ptr %x, i64 %i
  %v = load double, ptr %p, align 8
  %w = fmul double %v, %a
  %z = fmul double %w, %v
  store double %z, ptr %p, align 8
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
declare void @__enzyme_fwddiff(ptr, ...)

define void @reverse(ptr %a0, ptr %d0, double %a1, i64 %a2, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %a0, ptr %d0, double %a1, i64 %a2)
  store double %r, ptr %result, align 4
  ret void
}

define void @forward(ptr %a0, ptr %d0, double %a1, double %d1, i64 %a2, ptr %result) {
  call void (ptr, ...) @__enzyme_fwddiff(ptr @f, ptr %a0, ptr %d0, double %a1, double %d1, i64 %a2)
  ret void
}
