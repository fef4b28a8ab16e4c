
define double @f(ptr %x, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ %n, %entry ], [ %next, %loop ]
  %s = phi double [ 1.0, %entry ], [ %horner, %loop ]
  %next = add nsw i64 %i, -1
  %p = getelementptr double, ptr %x, i64 %next
  %v = load double, ptr %p
  %a = fmul double %s, 0.5
  %horner = fadd double %a, %v
  %done = icmp eq i64 %next, 0
  br i1 %done, label %end, label %loop

end:
  %r = phi double [ %horner, %loop ]
  ret double %r
}

define { double } @fwd.f(ptr %x, ptr %x.d, i64 %n) nounwind "reciprocal-estimates"="none" {
entry:
  br label %loop

loop:
  %i = phi i64 [ %n, %entry ], [ %next, %loop ]
  %s = phi double [ 1.0, %entry ], [ %horner, %loop ]
  %s.t = phi double [ 0.000000e+00, %entry ], [ %1, %loop ]
  %next = add nsw i64 %i, -1
  %p = getelementptr double, ptr %x, i64 %next
  %p.d = getelementptr double, ptr %x.d, i64 %next
  %v = load double, ptr %p, !alias.scope !4, !noalias !5
  %v.t = load double, ptr %p.d, align 8, !alias.scope !6, !noalias !7
  %a = fmul double %s, 0.5
  %0 = fmul double %s.t, 0.5
  %horner = fadd double %a, %v
  %1 = fadd double %0, %v.t
  %done = icmp eq i64 %next, 0
  br i1 %done, label %end, label %loop

end:
  %r = phi double [ %horner, %loop ]
  %r.t = phi double [ %1, %loop ]
  %2 = insertvalue { double } undef, double %r.t, 0
  ret { double } %2
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
