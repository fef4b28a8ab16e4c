
define double @f(double %x, double %y) {
entry:
  %r = frem double %x, %y
  ret double %r
}

define { double } @fwd.f(double %x, double %x.d, double %y, double %y.d) nounwind "reciprocal-estimates"="none" {
entry:
  %r = frem double %x, %y
  %0 = fneg double %y.d
  %1 = fsub double %x, %r
  %2 = fdiv double %1, %y
  %3 = call double @llvm.rint.f64(double %2)
  %4 = fmul double %0, %3
  %5 = fcmp oeq double %y.d, 0x0000000000000000
  %6 = select i1 %5, double 0.000000e+00, double %4
  %7 = fadd double %x.d, %6
  %8 = insertvalue { double } undef, double %7, 0
  ret { double } %8
}

declare double @llvm.rint.f64(double)


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
