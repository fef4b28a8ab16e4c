; arguments: [1.0 -2.0 0.5 4.0]
; returns: void

declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
define void @f(ptr %x) {
  %a = load double, ptr %x, align 8
  %b = fmul double %a, %a
  store double %b, ptr %x, align 8
  %q = getelementptr inbounds double, ptr %x, i64 1
  call void @llvm.memmove.p0.p0.i64(ptr align 8 %q, ptr align 8 %x, i64 24, i1 false)
  %c = load double, ptr %q, align 8
  %d = fmul double %c, %a
  store double %d, ptr %x, align 8
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
