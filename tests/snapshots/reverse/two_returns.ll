
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

define { double } @grad.f(double %x, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %c = fcmp ogt double %x, 1.0
  br i1 %c, label %early, label %late

early:
  %a = fmul double %x, %x
  br label %rev.early

late:
  %b = fneg double %x
  br label %rev.late

rev.late:
  %0 = fneg nsz arcp contract double %seed
  br label %rev.entry

rev.early:
  %1 = fadd reassoc nsz arcp contract double %x, %x
  %2 = fmul nsz arcp contract double %seed, %1
  br label %rev.entry

rev.entry:
  %x.d = phi double [ %0, %rev.late ], [ %2, %rev.early ]
  br label %rev.finish

rev.finish:
  %3 = insertvalue { double } undef, double %x.d, 0
  ret { double } %3
}


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
