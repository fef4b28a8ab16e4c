
define double @f(ptr %x, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi double [ 0.0, %entry ], [ %sum, %loop ]
  %p = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %p
  %q = fmul double %v, %v
  %sum = fadd double %s, %q
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop

end:
  %r = phi double [ %sum, %loop ]
  ret double %r
}

define { double } @fwd.f(ptr %x, ptr %x.d, i64 %n) nounwind "reciprocal-estimates"="none" {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi double [ 0.0, %entry ], [ %sum, %loop ]
  %s.t = phi double [ 0.000000e+00, %entry ], [ %2, %loop ]
  %p = getelementptr double, ptr %x, i64 %i
  %p.d = getelementptr double, ptr %x.d, i64 %i
  %v = load double, ptr %p, !alias.scope !4, !noalias !5
  %v.t = load double, ptr %p.d, align 8, !alias.scope !6, !noalias !7
  %q = fmul double %v, %v
  %0 = fadd double %v, %v
  %1 = fmul double %v.t, %0
  %sum = fadd double %s, %q
  %2 = fadd double %s.t, %1
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
!6 = !{!3}
!7 = !{!1, !2}
