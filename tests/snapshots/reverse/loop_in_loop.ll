
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

define void @grad.f(ptr %a, ptr %a.d, ptr %x, ptr %x.d, i64 %rows, i64 %columns, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %0 = sub i64 %rows, 1
  br label %end

outer:
  %t.next.d = phi double [ %seed, %rev.end.outer.end ], [ %t.next.d, %rev.outer.again ]
  %i = phi i64 [ 0, %rev.end.outer.end ], [ %i.next, %rev.outer.again ]
  %row = mul i64 %i, %columns
  %1 = sub i64 %columns, 1
  br label %inner

inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %s = phi double [ 0.0, %outer ], [ %s.next, %inner ]
  %at = add i64 %row, %j
  %pa = getelementptr double, ptr %a, i64 %at
  %px = getelementptr double, ptr %x, i64 %j
  %va = load double, ptr %pa, !alias.scope !6, !noalias !7
  %vx = load double, ptr %px, !alias.scope !8, !noalias !9
  %m = fmul double %va, %vx
  %s.next = fadd double %s, %m
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %columns
  br i1 %j.done, label %outer.end, label %inner

outer.end:
  %sum = phi double [ %s.next, %inner ]
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %rows
  br label %rev.outer.end

end:
  br label %rev.end

rev.end:
  br label %rev.end.outer.end

rev.end.outer.end:
  br label %outer

rev.outer.end:
  %2 = fadd reassoc nsz arcp contract double %sum, %sum
  %3 = fmul nsz arcp contract double %t.next.d, %2
  br label %rev.outer.end.inner

rev.outer.end.inner:
  br label %rev.inner

rev.inner:
  %s.next.d = phi double [ %3, %rev.outer.end.inner ], [ %s.next.d, %rev.inner.inner ]
  %j.r = phi i64 [ %1, %rev.outer.end.inner ], [ %11, %rev.inner.inner ]
  %px.r = getelementptr double, ptr %x, i64 %j.r
  %vx.r = load double, ptr %px.r, !alias.scope !8, !noalias !9
  %4 = fmul nsz arcp contract double %s.next.d, %vx.r
  %at.r = add i64 %row, %j.r
  %pa.r = getelementptr double, ptr %a, i64 %at.r
  %va.r = load double, ptr %pa.r, !alias.scope !6, !noalias !7
  %5 = fmul nsz arcp contract double %s.next.d, %va.r
  %px.d.r = getelementptr double, ptr %x.d, i64 %j.r
  %6 = load double, ptr %px.d.r, align 8, !alias.scope !10, !noalias !11
  %7 = fadd reassoc nsz arcp contract double %6, %5
  store double %7, ptr %px.d.r, align 8, !alias.scope !10, !noalias !11
  %pa.d.r = getelementptr double, ptr %a.d, i64 %at.r
  %8 = load double, ptr %pa.d.r, align 8, !alias.scope !12, !noalias !13
  %9 = fadd reassoc nsz arcp contract double %8, %4
  store double %9, ptr %pa.d.r, align 8, !alias.scope !12, !noalias !13
  %10 = icmp eq i64 %j.r, 0
  br i1 %10, label %rev.outer, label %rev.inner.inner

rev.inner.inner:
  %11 = sub i64 %j.r, 1
  br label %rev.inner

rev.outer:
  br i1 %i.done, label %rev.entry, label %rev.outer.again

rev.outer.again:
  br label %outer

rev.entry:
  br label %rev.finish

rev.finish:
  ret void
}


!20 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"primal 1"}
!4 = distinct !{!4, !0, !"shadow 0 0"}
!5 = distinct !{!5, !0, !"shadow 0 1"}
!6 = !{!2}
!7 = !{!1, !3, !4, !5}
!8 = !{!3}
!9 = !{!1, !2, !4, !5}
!10 = !{!5}
!11 = !{!1, !2, !3, !4}
!12 = !{!4}
!13 = !{!1, !2, !3, !5}
