
define double @f(double %x, double %y) {
entry:
  %c = fcmp ogt double %x, 1.0
  br i1 %c, label %then, label %end

then:
  %d = fcmp ogt double %y, 1.0
  %a = fmul double %x, %y
  br i1 %d, label %inner, label %end

inner:
  %b = fmul double %a, %a
  br label %end

end:
  %r = phi double [ %x, %entry ], [ %a, %then ], [ %b, %inner ]
  ret double %r
}

define { double } @fwd.f(double %x, double %x.d, double %y, double %y.d) nounwind "reciprocal-estimates"="none" {
entry:
  %c = fcmp ogt double %x, 1.0
  br i1 %c, label %then, label %end

then:
  %d = fcmp ogt double %y, 1.0
  %a = fmul double %x, %y
  %0 = fmul double %x.d, %y
  %1 = fmul double %y.d, %x
  %2 = fadd double %0, %1
  br i1 %d, label %inner, label %end

inner:
  %b = fmul double %a, %a
  %3 = fadd double %a, %a
  %4 = fmul double %2, %3
  br label %end

end:
  %r = phi double [ %x, %entry ], [ %a, %then ], [ %b, %inner ]
  %r.t = phi double [ %x.d, %entry ], [ %2, %then ], [ %4, %inner ]
  %5 = insertvalue { double } undef, double %r.t, 0
  ret { double } %5
}


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
