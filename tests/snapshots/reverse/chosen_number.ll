
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
  %0 = fadd reassoc nsz arcp contract double %s.r, %s.r
  %1 = fmul nsz arcp contract double %seed, %0
  %2 = select i1 %c.r, double %1, double 0.000000e+00
  %3 = select i1 %c.r, double 0.000000e+00, double %1
  br label %rev.finish

rev.finish:
  %4 = insertvalue { double, double } undef, double %2, 0
  %5 = insertvalue { double, double } %4, double %3, 1
  ret { double, double } %5
}


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
