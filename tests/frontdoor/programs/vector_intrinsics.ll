; arguments: [1.5 -2.0]
; returns: void

declare <2 x double> @llvm.sin.v2f64(<2 x double>)
define void @f(ptr %x) {
  %a = load <2 x double>, ptr %x, align 8
  %s = call <2 x double> @llvm.sin.v2f64(<2 x double> %a)
  %c = fcmp ogt <2 x double> %s, zeroinitializer
  %m = select <2 x i1> %c, <2 x double> %s, <2 x double> %a
  %q = fmul <2 x double> %m, %a
  store <2 x double> %q, ptr %x, align 8
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
