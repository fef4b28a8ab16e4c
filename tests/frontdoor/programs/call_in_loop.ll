; arguments: 0.7 i64:4
; returns: double

declare double @sin(double)
define double @g(double %x, double %y) noinline {
  %s = call double @sin(double %x)
  %p = fcmp ogt double %s, 5.000000e-01
  br i1 %p, label %a, label %b
a:
  %r = fmul double %s, %y
  ret double %r
b:
  %q = fadd double %s, %y
  ret double %q
}
define double @f(double %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
  %s = phi double [ %x, %entry ], [ %u, %loop ]
  %u = call double @g(double %s, double %x)
  %i1 = add nuw nsw i64 %i, 1
  %im = icmp slt i64 %i1, %n
  br i1 %im, label %loop, label %end
end:
  ret double %u
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
