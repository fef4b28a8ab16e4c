
define double @f(double %x, double %y) {
entry:
  %a = fdiv double %x, %y
  %r = fdiv double %a, %x
  ret double %r
}

define { double, double } @grad.f(double %x, double %y, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %a = fdiv double %x, %y
  %r = fdiv double %a, %x
  br label %rev.entry

rev.entry:
  %0 = fdiv nsz arcp contract double %seed, %x
  %1 = fdiv nsz arcp contract double %seed, %x
  %2 = fneg nsz arcp contract double %1
  %a.r = fdiv double %x, %y
  %r.r = fdiv double %a.r, %x
  %3 = fmul nsz arcp contract double %2, %r.r
  %4 = fdiv nsz arcp contract double %0, %y
  %5 = fadd reassoc nsz arcp contract double %3, %4
  %6 = fdiv nsz arcp contract double %0, %y
  %7 = fneg nsz arcp contract double %6
  %8 = fmul nsz arcp contract double %7, %a.r
  br label %rev.finish

rev.finish:
  %9 = insertvalue { double, double } undef, double %5, 0
  %10 = insertvalue { double, double } %9, double %8, 1
  ret { double, double } %10
}


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
