
define double @f(double %x) {
entry:
  %c = fcmp ogt double %x, 1.0
  br i1 %c, label %early, label %late

early:
  %a = fmul double %x, %x
  ret double %a

late:
  %b = fneg double %x
  ret double %b
}

define { double } @fwd.f(double %x, double %x.d) nounwind "reciprocal-estimates"="none" {
entry:
  %c = fcmp ogt double %x, 1.0
  br i1 %c, label %early, label %late

early:
  %a = fmul double %x, %x
  %0 = fadd double %x, %x
  %1 = fmul double %x.d, %0
  %2 = insertvalue { double } undef, double %1, 0
  ret { double } %2

late:
  %b = fneg double %x
  %3 = fneg double %x.d
  %4 = insertvalue { double } undef, double %3, 0
  ret { double } %4
}


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
