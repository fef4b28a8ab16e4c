
define double @f(double %x, double %y) {
entry:
  %s = fadd double %x, %y
  %d = fsub double %s, 2.5
  %e = fsub double %d, %x
  %n = fneg double %e
  %r = fadd double %n, %s
  ret double %r
}

define { double, double } @grad.f(double %x, double %y, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %s = fadd double %x, %y
  %d = fsub double %s, 2.5
  %e = fsub double %d, %x
  %n = fneg double %e
  %r = fadd double %n, %s
  br label %rev.entry

rev.entry:
  %0 = fneg nsz arcp contract double %seed
  %1 = fneg nsz arcp contract double %0
  %2 = fadd reassoc nsz arcp contract double %seed, %0
  %3 = fadd reassoc nsz arcp contract double %1, %2
  br label %rev.finish

rev.finish:
  %4 = insertvalue { double, double } undef, double %3, 0
  %5 = insertvalue { double, double } %4, double %2, 1
  ret { double, double } %5
}


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
