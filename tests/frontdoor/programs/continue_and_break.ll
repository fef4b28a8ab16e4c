; arguments: [0.5 -0.7 0.9 -0.3 0.8 5.0 2.0] i64:7
; returns: double

define double @f(ptr %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %s = phi double [ 1.000000e+00, %entry ], [ %t, %latch ]
  %go = icmp slt i64 %i, %n
  br i1 %go, label %body, label %end
body:
  %p = getelementptr inbounds double, ptr %x, i64 %i
  %v = load double, ptr %p, align 8
  %neg = fcmp olt double %v, 0.000000e+00
  br i1 %neg, label %latch, label %check
check:
  %big = fcmp ogt double %v, 4.000000e+00
  br i1 %big, label %end, label %use
use:
  %sv = fmul double %s, %v
  %sv2 = fmul double %sv, %s
  br label %latch
latch:
  %t = phi double [ %s, %body ], [ %sv2, %use ]
  %next = add nuw nsw i64 %i, 1
  br label %loop
end:
  %r = phi double [ %s, %loop ], [ %s, %check ]
  ret double %r
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
