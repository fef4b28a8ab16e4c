
declare double @llvm.log.f64(double)

declare double @llvm.sqrt.f64(double)

define double @f(double %x) {
entry:
  %l = call double @llvm.log.f64(double %x)
  %r = call double @llvm.sqrt.f64(double %l)
  ret double %r
}

define { double } @fwd.f(double %x, double %x.d) nounwind "reciprocal-estimates"="none" {
entry:
  %l = call double @llvm.log.f64(double %x)
  %0 = fdiv double %x.d, %x
  %1 = fcmp oeq double %x.d, 0x0000000000000000
  %2 = select i1 %1, double 0.000000e+00, double %0
  %r = call double @llvm.sqrt.f64(double %l)
  %3 = fcmp ueq double %l, 0x0000000000000000
  %4 = fmul double %2, 0x3FE0000000000000
  %5 = fdiv double %4, %r
  %6 = select i1 %3, double 0x0000000000000000, double %5
  %7 = fcmp ueq double %l, 0x0000000000000000
  %8 = fdiv double 0x3FE0000000000000, %r
  %9 = select i1 %7, double 0x0000000000000000, double %8
  %10 = call double @enzyme.either_zero.f64(double %2, double %9, double %6)
  %11 = insertvalue { double } undef, double %10, 0
  ret { double } %11
}

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
