; arguments: 0.9 i32:6
; returns: double

declare double @sin(double)
define double @f(double %x, i32 %n) {
entry:
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %loop, label %end
loop:
  %i = phi i32 [ %n, %entry ], [ %less, %loop ]
  %s = phi double [ 0.000000e+00, %entry ], [ %t, %loop ]
  %w = sitofp i32 %i to double
  %xw = fmul double %x, %w
  %v = call double @sin(double %xw)
  %sx = fmul double %s, %x
  %t = fadd double %sx, %v
  %less = add nsw i32 %i, -1
  %more = icmp sgt i32 %i, 1
  br i1 %more, label %loop, label %end
end:
  %r = phi double [ 0.000000e+00, %entry ], [ %t, %loop ]
  ret double %r
}

declare double @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)

define void @reverse(double %a0, i32 %a1, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %a0, i32 %a1)
  store double %r, ptr %result, align 4
  ret void
}

define void @forward(double %a0, double %d0, i32 %a1, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @f, double %a0, double %d0, i32 %a1)
  store double %r, ptr %result, align 4
  ret void
}
