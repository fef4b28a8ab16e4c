
define double @f(double %x, double %y) {
entry:
  %s = fadd double %x, %y
  %d = fsub double %s, 2.5
  %e = fsub double %d, %x
  %n = fneg double %e
  %r = fadd double %n, %s
  ret double %r
}

define { double } @fwd.f(double %x, double %x.d, double %y, double %y.d) nounwind "reciprocal-estimates"="none" {
entry:
  %s = fadd double %x, %y
  %0 = fadd double %x.d, %y.d
  %d = fsub double %s, 2.5
  %e = fsub double %d, %x
  %1 = fneg double %x.d
  %2 = fadd double %0, %1
  %n = fneg double %e
  %3 = fneg double %2
  %r = fadd double %n, %s
  %4 = fadd double %3, %0
  %5 = insertvalue { double } undef, double %4, 0
  ret { double } %5
}


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
