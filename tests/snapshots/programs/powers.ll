; A power and a square.
; arguments: 1.5 0.75
; returns: double
declare double @llvm.pow.f64(double, double)
define double @f(double %x, double %y) {
entry:
  %p = call double @llvm.pow.f64(double %x, double %y)
  %r = call double @llvm.pow.f64(double %p, double 2.0)
  ret double %r
}
