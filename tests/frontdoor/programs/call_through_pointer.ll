; arguments: 1.5 i64:1
; returns: double

define internal double @sq(double %x) noinline {
  %r = fmul double %x, %x
  ret double %r
}
define internal double @cu(double %x) noinline {
  %a = fmul double %x, %x
  %r = fmul double %a, %x
  ret double %r
}
define double @f(double %x, i64 %k) {
  %c = icmp eq i64 %k, 0
  %p = select i1 %c, ptr @sq, ptr @cu
  %r = call double %p(double %x)
  %s = fmul double %r, %x
  ret double %s
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
