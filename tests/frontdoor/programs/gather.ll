; indices come from an integer array
; arguments: [1.5 -2.0 0.5 3.0] i64[2 0 2 3] i64:4
; returns: double

define double @f(ptr %x, ptr %k, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi double [ 1.000000e+00, %entry ], [ %t, %loop ]
  %pk = getelementptr inbounds i64, ptr %k, i64 %i
  %ki = load i64, ptr %pk, align 8
  %p = getelementptr inbounds double, ptr %x, i64 %ki
  %v = load double, ptr %p, align 8
  %sv = fmul double %s, %v
  %t = fadd double %sv, %v
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret double %t
}

@enzyme_const = external global i32
declare void @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)

define void @reverse(ptr %a0, ptr %d0, ptr %a1, i64 %a2, ptr %result) {
  %c1 = load i32, ptr @enzyme_const, align 4
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %a0, ptr %d0, i32 %c1, ptr %a1, i64 %a2)
  ret void
}

define void @forward(ptr %a0, ptr %d0, ptr %a1, i64 %a2, ptr %result) {
  %c1 = load i32, ptr @enzyme_const, align 4
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @f, ptr %a0, ptr %d0, i32 %c1, ptr %a1, i64 %a2)
  store double %r, ptr %result, align 4
  ret void
}
