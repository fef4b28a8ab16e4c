; arguments: 1.5 i32:2
; returns: double

declare double @sin(double)
define double @f(double %x, i32 %k) {
entry:
  switch i32 %k, label %other [
    i32 0, label %zero
    i32 1, label %one
    i32 2, label %two
    i32 7, label %two
  ]
zero:
  br label %end
one:
  %a = fmul double %x, %x
  br label %end
two:
  %b = call double @sin(double %x)
  br label %end
other:
  %c = fdiv double 1.000000e+00, %x
  br label %end
end:
  %v = phi double [ 3.000000e+00, %zero ], [ %a, %one ], [ %b, %two ], [ %c, %other ]
  %r = fmul double %v, %x
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
