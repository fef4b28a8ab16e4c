; output is not differentiated
; arguments: 1.5
; returns: double

@fmt = private unnamed_addr constant [1 x i8] zeroinitializer
declare i32 @printf(ptr, ...)
define double @f(double %x) {
  %a = fmul double %x, %x
  %p = call i32 (ptr, ...) @printf(ptr @fmt, double %a)
  %b = fmul double %a, %x
  ret double %b
}

declare double @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)

define void @reverse(double %a0, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %a0)
  store double %r, ptr %result, align 4
  ret void
}

define void @forward(double %a0, double %d0, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @f, double %a0, double %d0)
  store double %r, ptr %result, align 4
  ret void
}
