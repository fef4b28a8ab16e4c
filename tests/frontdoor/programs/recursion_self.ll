; the differentiated function calls itself
; arguments: 1.1 i64:6
; returns: double

define double @f(double %x, i64 %n) {
entry:
  %z = icmp eq i64 %n, 0
  br i1 %z, label %done, label %more
done:
  ret double 1.000000e+00
more:
  %m = add i64 %n, -1
  %r = call double @f(double %x, i64 %m)
  %rr = fmul double %r, %r
  %s = fmul double %rr, 1.250000e-01
  %t = fadd double %s, %x
  ret double %t
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
