
define double @f(double %x, double %y) {
entry:
  %a = fmul double %x, %y
  %r = fmul double %a, %x
  ret double %r
}

define { double, double } @grad.f(double %x, double %y, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %a = fmul double %x, %y
  %r = fmul double %a, %x
  br label %rev.entry

rev.entry:
  %0 = fmul nsz arcp contract double %seed, %x
  %a.r = fmul double %x, %y
  %1 = fmul nsz arcp contract double %seed, %a.r
  %2 = fmul nsz arcp contract double %0, %y
  %3 = fadd reassoc nsz arcp contract double %1, %2
  %4 = fmul nsz arcp contract double %0, %x
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
