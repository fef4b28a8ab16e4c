
declare double @llvm.log.f64(double)

define double @f(double %x) {
entry:
  %c = fcmp ogt double %x, 0.0
  %l = call double @llvm.log.f64(double %x)
  %r = select i1 %c, double %l, double 0.0
  ret double %r
}

define { double } @fwd.f(double %x, double %x.d) nounwind "reciprocal-estimates"="none" {
entry:
  %c = fcmp ogt double %x, 0.0
  %l = call double @llvm.log.f64(double %x)
  %0 = fdiv double %x.d, %x
  %1 = fcmp oeq double %x.d, 0x0000000000000000
  %2 = select i1 %1, double 0.000000e+00, double %0
  %r = select i1 %c, double %l, double 0.0
  %r.t = select i1 %c, double %2, double 0.000000e+00
  %3 = insertvalue { double } undef, double %r.t, 0
  ret { double } %3
}


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
