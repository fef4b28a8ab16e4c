
define double @f(double %x, double %y, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = phi double [ %x, %entry ], [ %b, %loop ]
  %b = phi double [ %y, %entry ], [ %c, %loop ]
  %c = fmul double %a, %b
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop

end:
  %r = phi double [ %c, %loop ]
  ret double %r
}

define { double } @fwd.f(double %x, double %x.d, double %y, double %y.d, i64 %n) nounwind "reciprocal-estimates"="none" {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = phi double [ %x, %entry ], [ %b, %loop ]
  %a.t = phi double [ %x.d, %entry ], [ %b.t, %loop ]
  %b = phi double [ %y, %entry ], [ %c, %loop ]
  %b.t = phi double [ %y.d, %entry ], [ %2, %loop ]
  %c = fmul double %a, %b
  %0 = fmul double %a.t, %b
  %1 = fmul double %b.t, %a
  %2 = fadd double %0, %1
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop

end:
  %r = phi double [ %c, %loop ]
  %r.t = phi double [ %2, %loop ]
  %3 = insertvalue { double } undef, double %r.t, 0
  ret { double } %3
}


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
