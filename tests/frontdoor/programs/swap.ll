; arguments: [1.0 2.0]
; returns: void

define void @f(ptr %x) {
  %q = getelementptr inbounds double, ptr %x, i64 1
  %a = load double, ptr %x, align 8
  %b = load double, ptr %q, align 8
  store double %b, ptr %x, align 8
  %a2 = fmul double %a, %b
  store double %a2, ptr %q, align 8
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
