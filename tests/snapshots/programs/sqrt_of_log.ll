; Functions that are not finite everywhere.
; arguments: 2.5
; returns: double
declare double @llvm.log.f64(double)
declare double @llvm.sqrt.f64(double)
define double @f(double %x) {
entry:
  %l = call double @llvm.log.f64(double %x)
  %r = call double @llvm.sqrt.f64(double %l)
  ret double %r
}
