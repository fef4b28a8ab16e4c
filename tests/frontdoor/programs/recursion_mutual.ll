; arguments: 0.9 i32:5
; returns: double

define double @odd(double %x, i32 %n) {
  %m = add i32 %n, -1
  %r = call double @even(double %x, i32 %m)
  %s = fmul double %r, %x
  ret double %s
}
define double @even(double %x, i32 %n) {
  %z = icmp slt i32 %n, 1
  br i1 %z, label %done, label %more
done:
  ret double %x
more:
  %m = add i32 %n, -1
  %r = call double @odd(double %x, i32 %m)
  %s = fadd double %r, %x
  %t = fmul double %s, %r
  ret double %t
}
define double @f(double %x, i32 %n) {
  %r = call double @even(double %x, i32 %n)
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
