
define double @f(double %x, double %y) {
entry:
  %c = fcmp ogt double %x, %y
  %s = select i1 %c, double %x, double %y
  %r = fmul double %s, %s
  ret double %r
}

define { double, double } @grad.f(double %x, double %y, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %c = fcmp ogt double %x, %y
  %s = select i1 %c, double %x, double %y
  %r = fmul double %s, %s
  br label %rev.entry

rev.entry:
  %c.r = fcmp ogt double %x, %y
  %s.r = select i1 %c.r, double %x, double %y
  %0 = fmul nsz arcp contract double %seed, %s.r
  %1 = fmul nsz arcp contract double %seed, %s.r
  %2 = fadd reassoc nsz arcp contract double %0, %1
  %3 = select i1 %c.r, double %2, double 0.000000e+00
  %4 = select i1 %c.r, double 0.000000e+00, double %2
  br label %rev.finish

rev.finish:
  %5 = insertvalue { double, double } undef, double %3, 0
  %6 = insertvalue { double, double } %5, double %4, 1
  ret { double, double } %6
}


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
