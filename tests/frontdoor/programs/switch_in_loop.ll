; arguments: 1.1 i64:7
; returns: double

declare double @cos(double)
define double @f(double %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %s = phi double [ %x, %entry ], [ %v, %latch ]
  %k = urem i64 %i, 3
  switch i64 %k, label %latch [
    i64 0, label %zero
    i64 1, label %one
  ]
zero:
  %a = fmul double %s, %x
  br label %latch
one:
  %b = call double @cos(double %s)
  br label %latch
latch:
  %v = phi double [ %a, %zero ], [ %b, %one ], [ %s, %loop ]
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret double %v
}

declare double @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)

define void @reverse(double %a0, i64 %a1, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %a0, i64 %a1)
  store double %r, ptr %result, align 4
  ret void
}

define void @forward(double %a0, double %d0, i64 %a1, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @f, double %a0, double %d0, i64 %a1)
  store double %r, ptr %result, align 4
  ret void
}
