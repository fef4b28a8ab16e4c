
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

define { double } @fwd.f(double %x, double %x.d) nounwind "reciprocal-estimates"="none" {
entry:
  %c = fcmp ogt double %x, 1.0
  br i1 %c, label %then, label %end

then:
  %a = fmul double %x, %x
  %0 = fadd double %x, %x
  %1 = fmul double %x.d, %0
  br label %end

end:
  %r = phi double [ %a, %then ], [ %x, %entry ]
  %r.t = phi double [ %1, %then ], [ %x.d, %entry ]
  %2 = insertvalue { double } undef, double %r.t, 0
  ret { double } %2
}


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
