; A select that keeps a logarithm from what has none: in reverse mode it becomes a branch.
; arguments: 1.5
; returns: double
declare double @llvm.log.f64(double)
define double @f(double %x) {
entry:
  %c = fcmp ogt double %x, 0.0
  %l = call double @llvm.log.f64(double %x)
  %r = select i1 %c, double %l, double 0.0
  ret double %r
}
