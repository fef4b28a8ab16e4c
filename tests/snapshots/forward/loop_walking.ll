
define double @f(ptr %x, i64 %n) {
entry:
  %last = getelementptr double, ptr %x, i64 %n
  br label %loop

loop:
  %p = phi ptr [ %x, %entry ], [ %p.next, %loop ]
  %s = phi double [ 1.0, %entry ], [ %product, %loop ]
  %v = load double, ptr %p
  %product = fmul double %s, %v
  %p.next = getelementptr double, ptr %p, i64 1
  %done = icmp eq ptr %p.next, %last
  br i1 %done, label %end, label %loop

end:
  %r = phi double [ %product, %loop ]
  ret double %r
}

define { double } @fwd.f(ptr %x, ptr %x.d, i64 %n) nounwind "reciprocal-estimates"="none" {
entry:
  %last = getelementptr double, ptr %x, i64 %n
  %last.d = getelementptr double, ptr %x.d, i64 %n
  br label %loop

loop:
  %p = phi ptr [ %x, %entry ], [ %p.next, %loop ]
  %p.d = phi ptr [ %x.d, %entry ], [ %p.next.d, %loop ]
  %s = phi double [ 1.0, %entry ], [ %product, %loop ]
  %s.t = phi double [ 0.000000e+00, %entry ], [ %2, %loop ]
  %v = load double, ptr %p, !alias.scope !4, !noalias !5
  %v.t = load double, ptr %p.d, align 8, !alias.scope !6, !noalias !7
  %product = fmul double %s, %v
  %0 = fmul double %s.t, %v
  %1 = fmul double %v.t, %s
  %2 = fadd double %0, %1
  %p.next = getelementptr double, ptr %p, i64 1
  %p.next.d = getelementptr double, ptr %p.d, i64 1
  %done = icmp eq ptr %p.next, %last
  br i1 %done, label %end, label %loop

end:
  %r = phi double [ %product, %loop ]
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
