; arguments: [1.5 -2.0 0.5 3.0]
; returns: double

declare double @llvm.vector.reduce.fadd.v4f64(double, <4 x double>)
define double @f(ptr %x) {
  %a = load <4 x double>, ptr %x, align 8
  %m = fmul <4 x double> %a, %a
  %s = call reassoc double @llvm.vector.reduce.fadd.v4f64(double 1.000000e+00, <4 x double> %m)
  %r = fmul double %s, %s
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
