
define double @f(ptr %x, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %more ]
  %s = phi double [ 1.0, %entry ], [ %product, %more ]
  %p = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %p
  %negative = fcmp olt double %v, 0.0
  br i1 %negative, label %found, label %more

more:
  %product = fmul double %s, %v
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop

found:
  %u = phi double [ %s, %loop ]
  %q = fmul double %u, %u
  ret double %q

end:
  %r = phi double [ %product, %more ]
  ret double %r
}

define { double } @fwd.f(ptr %x, ptr %x.d, i64 %n) nounwind "reciprocal-estimates"="none" {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %more ]
  %s = phi double [ 1.0, %entry ], [ %product, %more ]
  %s.t = phi double [ 0.000000e+00, %entry ], [ %2, %more ]
  %p = getelementptr double, ptr %x, i64 %i
  %p.d = getelementptr double, ptr %x.d, i64 %i
  %v = load double, ptr %p, !alias.scope !4, !noalias !5
  %v.t = load double, ptr %p.d, align 8, !alias.scope !6, !noalias !7
  %negative = fcmp olt double %v, 0.0
  br i1 %negative, label %found, label %more

more:
  %product = fmul double %s, %v
  %0 = fmul double %s.t, %v
  %1 = fmul double %v.t, %s
  %2 = fadd double %0, %1
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop

found:
  %u = phi double [ %s, %loop ]
  %u.t = phi double [ %s.t, %loop ]
  %q = fmul double %u, %u
  %3 = fadd double %u, %u
  %4 = fmul double %u.t, %3
  %5 = insertvalue { double } undef, double %4, 0
  ret { double } %5

end:
  %r = phi double [ %product, %more ]
  %r.t = phi double [ %2, %more ]
  %6 = insertvalue { double } undef, double %r.t, 0
  ret { double } %6
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
