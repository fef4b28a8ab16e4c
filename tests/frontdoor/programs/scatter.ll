; arguments: [1.5 -2.0 0.5] [1.0 2.0 3.0] i64[2 0 2] i64:3
; returns: void

define void @f(ptr %x, ptr %y, ptr %k, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %pk = getelementptr inbounds i64, ptr %k, i64 %i
  %ki = load i64, ptr %pk, align 8
  %p = getelementptr inbounds double, ptr %x, i64 %i
  %q = getelementptr inbounds double, ptr %y, i64 %ki
  %v = load double, ptr %p, align 8
  %w = load double, ptr %q, align 8
  %m = fmul double %v, %w
  %s = fadd double %m, %v
  store double %s, ptr %q, align 8
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

@enzyme_const = external global i32
declare void @__enzyme_autodiff(ptr, ...)
declare void @__enzyme_fwddiff(ptr, ...)

define void @reverse(ptr %a0, ptr %d0, ptr %a1, ptr %d1, ptr %a2, i64 %a3, ptr %result) {
  %c2 = load i32, ptr @enzyme_const, align 4
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %a0, ptr %d0, ptr %a1, ptr %d1, i32 %c2, ptr %a2, i64 %a3)
  ret void
}

define void @forward(ptr %a0, ptr %d0, ptr %a1, ptr %d1, ptr %a2, i64 %a3, ptr %result) {
  %c2 = load i32, ptr @enzyme_const, align 4
  call void (ptr, ...) @__enzyme_fwddiff(ptr @f, ptr %a0, ptr %d0, ptr %a1, ptr %d1, i32 %c2, ptr %a2, i64 %a3)
  ret void
}
