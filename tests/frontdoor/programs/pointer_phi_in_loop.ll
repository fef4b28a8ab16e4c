; the loop steps a pointer
; arguments: [1.5 -2.0 0.5] i64:3
; returns: double

define double @f(ptr %x, i64 %n) {
entry:
  %end.ptr = getelementptr inbounds double, ptr %x, i64 %n
  br label %loop
loop:
  %p = phi ptr [ %x, %entry ], [ %p1, %loop ]
  %s = phi double [ 1.000000e+00, %entry ], [ %t, %loop ]
  %v = load double, ptr %p, align 8
  %t = fmul double %s, %v
  store double %t, ptr %p, align 8
  %p1 = getelementptr inbounds i8, ptr %p, i64 8
  %done = icmp eq ptr %p1, %end.ptr
  br i1 %done, label %end, label %loop
end:
  ret double %t
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
