
define double @f(ptr %a, ptr %x, i64 %rows, i64 %columns) {
entry:
  br label %outer

outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %outer.end ]
  %t = phi double [ 0.0, %entry ], [ %t.next, %outer.end ]
  %row = mul i64 %i, %columns
  br label %inner

inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %s = phi double [ 0.0, %outer ], [ %s.next, %inner ]
  %at = add i64 %row, %j
  %pa = getelementptr double, ptr %a, i64 %at
  %px = getelementptr double, ptr %x, i64 %j
  %va = load double, ptr %pa
  %vx = load double, ptr %px
  %m = fmul double %va, %vx
  %s.next = fadd double %s, %m
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %columns
  br i1 %j.done, label %outer.end, label %inner

outer.end:
  %sum = phi double [ %s.next, %inner ]
  %q = fmul double %sum, %sum
  %t.next = fadd double %t, %q
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %rows
  br i1 %i.done, label %end, label %outer

end:
  %r = phi double [ %t.next, %outer.end ]
  ret double %r
}

define { double } @fwd.f(ptr %a, ptr %a.d, ptr %x, ptr %x.d, i64 %rows, i64 %columns) nounwind "reciprocal-estimates"="none" {
entry:
  br label %outer

outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %outer.end ]
  %t = phi double [ 0.0, %entry ], [ %t.next, %outer.end ]
  %t.t = phi double [ 0.000000e+00, %entry ], [ %6, %outer.end ]
  %row = mul i64 %i, %columns
  br label %inner

inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %s = phi double [ 0.0, %outer ], [ %s.next, %inner ]
  %s.t = phi double [ 0.000000e+00, %outer ], [ %3, %inner ]
  %at = add i64 %row, %j
  %pa = getelementptr double, ptr %a, i64 %at
  %pa.d = getelementptr double, ptr %a.d, i64 %at
  %px = getelementptr double, ptr %x, i64 %j
  %px.d = getelementptr double, ptr %x.d, i64 %j
  %va = load double, ptr %pa, !alias.scope !6, !noalias !7
  %va.t = load double, ptr %pa.d, align 8, !alias.scope !10, !noalias !11
  %vx = load double, ptr %px, !alias.scope !8, !noalias !9
  %vx.t = load double, ptr %px.d, align 8, !alias.scope !12, !noalias !13
  %m = fmul double %va, %vx
  %0 = fmul double %va.t, %vx
  %1 = fmul double %vx.t, %va
  %2 = fadd double %0, %1
  %s.next = fadd double %s, %m
  %3 = fadd double %s.t, %2
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %columns
  br i1 %j.done, label %outer.end, label %inner

outer.end:
  %sum = phi double [ %s.next, %inner ]
  %sum.t = phi double [ %3, %inner ]
  %q = fmul double %sum, %sum
  %4 = fadd double %sum, %sum
  %5 = fmul double %sum.t, %4
  %t.next = fadd double %t, %q
  %6 = fadd double %t.t, %5
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %rows
  br i1 %i.done, label %end, label %outer

end:
  %r = phi double [ %t.next, %outer.end ]
  %r.t = phi double [ %6, %outer.end ]
  %7 = insertvalue { double } undef, double %r.t, 0
  ret { double } %7
}


!20 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"primal 1"}
!4 = distinct !{!4, !0, !"shadow 0 0"}
!5 = distinct !{!5, !0, !"shadow 0 1"}
!6 = !{!2}
!7 = !{!1, !3, !4, !5}
!8 = !{!3}
!9 = !{!1, !2, !4, !5}
!10 = !{!4}
!11 = !{!1, !2, !3, !5}
!12 = !{!5}
!13 = !{!1, !2, !3, !4}
