; arguments: 0.3 0.8 1.7 i64:5
; returns: double

define double @f(double %x, double %y, double %z, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = phi double [ %x, %entry ], [ %b, %loop ]
  %b = phi double [ %y, %entry ], [ %c, %loop ]
  %c = phi double [ %z, %entry ], [ %a, %loop ]
  %acc = phi double [ 0.000000e+00, %entry ], [ %acc2, %loop ]
  %m = fmul double %a, %b
  %m2 = fmul double %m, %c
  %next = add nuw nsw i64 %i, 1
  %w = sitofp i64 %next to double
  %m3 = fmul double %a, %w
  %m4 = fadd double %m2, %m3
  %acc2 = fadd double %acc, %m4
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  %r = fmul double %acc2, %a
  ret double %r
}

declare { double, double, double } @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)

define void @reverse(double %a0, double %a1, double %a2, i64 %a3, ptr %result) {
  %r = call { double, double, double } (ptr, ...) @__enzyme_autodiff(ptr @f, double %a0, double %a1, double %a2, i64 %a3)
  store { double, double, double } %r, ptr %result, align 4
  ret void
}

define void @forward(double %a0, double %d0, double %a1, double %d1, double %a2, double %d2, i64 %a3, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @f, double %a0, double %d0, double %a1, double %d1, double %a2, double %d2, i64 %a3)
  store double %r, ptr %result, align 4
  ret void
}
