
define double @f(double %x, double %y) {
entry:
  %c = fcmp ogt double %x, %y
  %s = select i1 %c, double %x, double %y
  %r = fmul double %s, %s
  ret double %r
}

define { double } @fwd.f(double %x, double %x.d, double %y, double %y.d) nounwind "reciprocal-estimates"="none" {
entry:
  %c = fcmp ogt double %x, %y
  %s = select i1 %c, double %x, double %y
  %s.t = select i1 %c, double %x.d, double %y.d
  %r = fmul double %s, %s
  %0 = fadd double %s, %s
  %1 = fmul double %s.t, %0
  %2 = insertvalue { double } undef, double %1, 0
  ret { double } %2
}


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
