; Minimum and maximum: the derivative goes to the one that is chosen.
; arguments: 1.5 0.75
; returns: double
declare double @llvm.minnum.f64(double, double)
declare double @llvm.maximum.f64(double, double)
define double @f(double %x, double %y) {
entry:
  %s = call double @llvm.minnum.f64(double %x, double %y)
  %l = call double @llvm.maximum.f64(double %x, double %y)
  %q = fmul double %l, %l
  %r = fmul double %q, %s
  ret double %r
}
