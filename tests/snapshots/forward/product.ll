
define double @f(double %x, double %y) {
entry:
  %a = fmul double %x, %y
  %r = fmul double %a, %x
  ret double %r
}

define { double } @fwd.f(double %x, double %x.d, double %y, double %y.d) nounwind "reciprocal-estimates"="none" {
entry:
  %a = fmul double %x, %y
  %0 = fmul double %x.d, %y
  %1 = fmul double %y.d, %x
  %2 = fadd double %0, %1
  %r = fmul double %a, %x
  %3 = fmul double %2, %x
  %4 = fmul double %x.d, %a
  %5 = fadd double %3, %4
  %6 = insertvalue { double } undef, double %5, 0
  ret { double } %6
}


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
