
declare double @llvm.sin.f64(double)

declare double @llvm.exp.f64(double)

define double @f(double %x) {
entry:
  %e = call double @llvm.exp.f64(double %x)
  %r = call double @llvm.sin.f64(double %e)
  ret double %r
}

define { double } @fwd.f(double %x, double %x.d) nounwind "reciprocal-estimates"="none" {
entry:
  %e = call double @llvm.exp.f64(double %x)
  %0 = fmul double %x.d, %e
  %1 = fcmp oeq double %x.d, 0x0000000000000000
  %2 = select i1 %1, double 0.000000e+00, double %0
  %r = call double @llvm.sin.f64(double %e)
  %3 = call double @llvm.cos.f64(double %e)
  %4 = fmul double %2, %3
  %5 = call double @llvm.cos.f64(double %e)
  %6 = call double @enzyme.either_zero.f64(double %2, double %5, double %4)
  %7 = insertvalue { double } undef, double %6, 0
  ret { double } %7
}

declare double @llvm.cos.f64(double)

define internal double @enzyme.either_zero.f64(double %0, double %1, double %2) nounwind willreturn memory(none) alwaysinline {
entry:
  %3 = fcmp oeq double %1, 0x0000000000000000
  %4 = select i1 %3, double 0x0000000000000000, double %2
  %5 = fcmp uno double %2, %2
  %6 = select i1 %5, double %4, double %2
  %7 = fcmp oeq double %0, 0x0000000000000000
  %8 = select i1 %7, double 0.000000e+00, double %6
  ret double %8
}


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
