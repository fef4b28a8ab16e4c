; arguments: [1.5 -2.0 0.5 3.0]
; returns: void

define void @f(ptr %x) {
  %q = getelementptr inbounds i8, ptr %x, i64 16
  %a = load <2 x double>, ptr %x, align 8
  %b = load <2 x double>, ptr %q, align 8
  %m = fmul <2 x double> %a, %b
  %s = fadd <2 x double> %m, %a
  store <2 x double> %s, ptr %q, align 8
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
