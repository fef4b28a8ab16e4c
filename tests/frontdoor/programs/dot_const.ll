; the second array is marked enzyme_const
; arguments: [1.0 -2.0 0.5] const[3.0 0.25 -1.0] i64:3
; returns: double

define double @f(ptr %x, ptr %y, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi double [ 0.000000e+00, %entry ], [ %t, %loop ]
  %p = getelementptr inbounds double, ptr %x, i64 %i
  %q = getelementptr inbounds double, ptr %y, i64 %i
  %v = load double, ptr %p, align 8
  %w = load double, ptr %q, align 8
  %vw = fmul double %v, %w
  %t = fadd double %s, %vw
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
