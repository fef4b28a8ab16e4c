
define double @f(ptr %c, double %x, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi double [ 0.0, %entry ], [ %sum, %loop ]
  %p = getelementptr double, ptr %c, i64 %i
  %v = load double, ptr %p
  %m = fmul double %s, %x
  %sum = fadd double %m, %v
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop

end:
  %r = phi double [ %sum, %loop ]
  ret double %r
}

define { double } @fwd.f(ptr %c, double %x, double %x.d, i64 %n) nounwind "reciprocal-estimates"="none" {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi double [ 0.0, %entry ], [ %sum, %loop ]
  %s.t = phi double [ 0.000000e+00, %entry ], [ %2, %loop ]
  %p = getelementptr double, ptr %c, i64 %i
  %v = load double, ptr %p, !alias.scope !4, !noalias !5
  %m = fmul double %s, %x
  %0 = fmul double %s.t, %x
  %1 = fmul double %x.d, %s
  %2 = fadd double %0, %1
  %sum = fadd double %m, %v
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop

end:
  %r = phi double [ %sum, %loop ]
  %r.t = phi double [ %2, %loop ]
  %3 = insertvalue { double } undef, double %r.t, 0
  ret { double } %3
}


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
!4 = !{!2}
!5 = !{!1, !3}
