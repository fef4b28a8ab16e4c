; A product and a sum in one.
; arguments: 1.5 -0.5 2.0
; returns: double
declare double @llvm.fma.f64(double, double, double)
declare double @llvm.fmuladd.f64(double, double, double)
define double @f(double %x, double %y, double %z) {
entry:
  %a = call double @llvm.fma.f64(double %x, double %y, double %z)
  %r = call double @llvm.fmuladd.f64(double %a, double %x, double 1.0)
  ret double %r
}
