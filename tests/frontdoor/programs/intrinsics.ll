; sin cos exp log sqrt pow
; arguments: 0.8 1.3
; returns: double

declare double @llvm.sin.f64(double)
declare double @llvm.cos.f64(double)
declare double @llvm.exp.f64(double)
declare double @llvm.log.f64(double)
declare double @llvm.sqrt.f64(double)
declare double @llvm.pow.f64(double, double)
define double @f(double %x, double %y) {
  %s = call double @llvm.sin.f64(double %x)
  %c = call double @llvm.cos.f64(double %y)
  %p = fmul double %s, %c
  %e = call double @llvm.exp.f64(double %p)
  %l = call double @llvm.log.f64(double %y)
  %q = call double @llvm.sqrt.f64(double %l)
  %w = call double @llvm.pow.f64(double %x, double %y)
  %a = fadd double %e, %q
  %b = fmul double %a, %w
  ret double %b
}

declare { double, double } @__enzyme_autodiff(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)

define void @reverse(double %a0, double %a1, ptr %result) {
  %r = call { double, double } (ptr, ...) @__enzyme_autodiff(ptr @f, double %a0, double %a1)
  store { double, double } %r, ptr %result, align 4
  ret void
}

define void @forward(double %a0, double %d0, double %a1, double %d1, ptr %result) {
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @f, double %a0, double %d0, double %a1, double %d1)
  store double %r, ptr %result, align 4
  ret void
}
