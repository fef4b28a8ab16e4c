
define double @f(double %x) {
entry:
  %c = fcmp ogt double %x, 1.0
  br i1 %c, label %then, label %end

then:
  %a = fmul double %x, %x
  br label %end

end:
  %r = phi double [ %a, %then ], [ %x, %entry ]
  ret double %r
}

define { double } @grad.f(double %x, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %c = fcmp ogt double %x, 1.0
  br i1 %c, label %then, label %end

then:
  %a = fmul double %x, %x
  br label %end

end:
  %r = phi double [ %a, %then ], [ %x, %entry ]
  br label %rev.end

rev.end:
  %c.r = fcmp ogt double %x, 1.0
  br i1 %c.r, label %rev.end.then, label %rev.end.entry

rev.end.then:
  br label %rev.then

rev.end.entry:
  br label %rev.entry

rev.then:
  %0 = fadd reassoc nsz arcp contract double %x, %x
  %1 = fmul nsz arcp contract double %seed, %0
  br label %rev.entry

rev.entry:
  %x.d = phi double [ %seed, %rev.end.entry ], [ %1, %rev.then ]
  br label %rev.finish

rev.finish:
  %2 = insertvalue { double } undef, double %x.d, 0
  ret { double } %2
}


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
