; arguments: [1.5 2.0]
; returns: double

declare noalias ptr @malloc(i64)
declare void @free(ptr)
define ptr @dup(ptr %x) noinline {
  %t = call noalias ptr @malloc(i64 16)
  %v = load double, ptr %x, align 8
  %v2 = fmul double %v, %v
  store double %v2, ptr %t, align 8
  ret ptr %t
}
define double @f(ptr %x) {
  %p = call ptr @dup(ptr %x)
  %v = load double, ptr %p, align 8
  %r = fmul double %v, %v
  call void @free(ptr %p)
  ret double %r
}

declare void @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)

define void @reverse(ptr %a0, ptr %d0, ptr %result) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %a0, ptr %d0)
  ret void
}

define void @forward(ptr %a0, ptr %d0, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @f, ptr %a0, ptr %d0)
  store double %r, ptr %result, align 4
  ret void
}
