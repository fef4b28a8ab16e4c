; clang copies doubles through integer registers
; arguments: [1.5 -2.0]
; returns: void

define void @f(ptr %x) {
  %q = getelementptr inbounds double, ptr %x, i64 1
  %d = load double, ptr %x, align 8
  %e = load double, ptr %q, align 8
  %p = fmul double %d, %e
  store double %p, ptr %x, align 8
  %i = load i64, ptr %x, align 8
  store i64 %i, ptr %q, align 8
  ret void
}

declare void @__enzyme_autodiff(ptr, ...)
declare void @__enzyme_fwddiff(ptr, ...)

define void @reverse(ptr %a0, ptr %d0, ptr %result) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %a0, ptr %d0)
  ret void
}

define void @forward(ptr %a0, ptr %d0, ptr %result) {
  call void (ptr, ...) @__enzyme_fwddiff(ptr @f, ptr %a0, ptr %d0)
  ret void
}
