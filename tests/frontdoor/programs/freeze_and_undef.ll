; arguments: 1.5 i64:3
; returns: double

define double @f(double %x, i64 %n) {
entry:
  %c = icmp sgt i64 %n, 1
  br i1 %c, label %a, label %b
a:
  %y = fmul double %x, %x
  br label %b
b:
  %z = phi double [ undef, %entry ], [ %y, %a ]
  %w = freeze double %z
  %r = fmul double %w, %x
  ret double %r
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
