; Absolute value and sign.
; arguments: -1.5 0.75
; returns: double
declare double @llvm.fabs.f64(double)
declare double @llvm.copysign.f64(double, double)
define double @f(double %x, double %y) {
entry:
  %a = call double @llvm.fabs.f64(double %x)
  %c = call double @llvm.copysign.f64(double %y, double %x)
  %r = fmul double %a, %c
  ret double %r
}
