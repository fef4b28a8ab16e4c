; Functions whose derivative is computed from the operand, and from the result.
; arguments: 0.5
; returns: double
declare double @llvm.sin.f64(double)
declare double @llvm.exp.f64(double)
define double @f(double %x) {
entry:
  %e = call double @llvm.exp.f64(double %x)
  %r = call double @llvm.sin.f64(double %e)
  ret double %r
}
