; both arrays are read and written; they might overlap as far as the function knows
; arguments: [1.0 2.0 0.5] [3.0 -1.0 0.25] i64:3
; returns: void

define void @f(ptr %x, ptr %y, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds double, ptr %x, i64 %i
  %q = getelementptr inbounds double, ptr %y, i64 %i
  %v = load double, ptr %p, align 8
  %w = load double, ptr %q, align 8
  %m = fmul double %v, %w
  store double %m, ptr %q, align 8
  %a = fadd double %v, %m
  store double %a, ptr %p, align 8
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
