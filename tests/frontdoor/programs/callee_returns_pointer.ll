; arguments: [1.5 2.0] i64:1
; returns: double

define ptr @at(ptr %x, i64 %k) noinline {
  %p = getelementptr inbounds double, ptr %x, i64 %k
  ret ptr %p
}
define double @f(ptr %x, i64 %k) {
  %p = call ptr @at(ptr %x, i64 %k)
  %v = load double, ptr %p, align 8
  %r = fmul double %v, %v
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
