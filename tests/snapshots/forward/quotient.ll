
define double @f(double %x, double %y) {
entry:
  %a = fdiv double %x, %y
  %r = fdiv double %a, %x
  ret double %r
}

define { double } @fwd.f(double %x, double %x.d, double %y, double %y.d) nounwind "reciprocal-estimates"="none" {
entry:
  %a = fdiv double %x, %y
  %0 = fdiv double %x.d, %y
  %1 = fcmp oeq double %x.d, 0x0000000000000000
  %2 = select i1 %1, double 0.000000e+00, double %0
  %3 = fdiv double %y.d, %y
  %4 = fneg double %3
  %5 = fmul double %4, %a
  %6 = fcmp oeq double %y.d, 0x0000000000000000
  %7 = select i1 %6, double 0.000000e+00, double %5
  %8 = fadd double %2, %7
  %r = fdiv double %a, %x
  %9 = fdiv double %8, %x
  %10 = fdiv double 0x3FF0000000000000, %x
  %11 = call double @enzyme.either_zero.f64(double %8, double %10, double %9)
  %12 = fdiv double %x.d, %x
  %13 = fneg double %12
  %14 = fmul double %13, %r
  %15 = fcmp oeq double %x.d, 0x0000000000000000
  %16 = select i1 %15, double 0.000000e+00, double %14
  %17 = fadd double %11, %16
  %18 = insertvalue { double } undef, double %17, 0
  ret { double } %18
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
