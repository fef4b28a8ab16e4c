
define double @f(ptr %x, i64 %n) {
entry:
  br label %outer

outer:
  %i = phi i64 [ 1, %entry ], [ %i.next, %outer.end ]
  %t = phi double [ 1.0, %entry ], [ %t.next, %outer.end ]
  br label %inner

inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %s = phi double [ %t, %outer ], [ %s.next, %inner ]
  %p = getelementptr double, ptr %x, i64 %j
  %v = load double, ptr %p
  %s.next = fmul double %s, %v
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %i
  br i1 %j.done, label %outer.end, label %inner

outer.end:
  %last = phi double [ %s.next, %inner ]
  %t.next = fadd double %last, 1.0
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp sgt i64 %i.next, %n
  br i1 %i.done, label %end, label %outer

end:
  %r = phi double [ %t.next, %outer.end ]
  ret double %r
}

define { double } @fwd.f(ptr %x, ptr %x.d, i64 %n) nounwind "reciprocal-estimates"="none" {
entry:
  br label %outer

outer:
  %i = phi i64 [ 1, %entry ], [ %i.next, %outer.end ]
  %t = phi double [ 1.0, %entry ], [ %t.next, %outer.end ]
  %t.t = phi double [ 0.000000e+00, %entry ], [ %last.t, %outer.end ]
  br label %inner

inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %s = phi double [ %t, %outer ], [ %s.next, %inner ]
  %s.t = phi double [ %t.t, %outer ], [ %2, %inner ]
  %p = getelementptr double, ptr %x, i64 %j
  %p.d = getelementptr double, ptr %x.d, i64 %j
  %v = load double, ptr %p, !alias.scope !4, !noalias !5
  %v.t = load double, ptr %p.d, align 8, !alias.scope !6, !noalias !7
  %s.next = fmul double %s, %v
  %0 = fmul double %s.t, %v
  %1 = fmul double %v.t, %s
  %2 = fadd double %0, %1
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %i
  br i1 %j.done, label %outer.end, label %inner

outer.end:
  %last = phi double [ %s.next, %inner ]
  %last.t = phi double [ %2, %inner ]
  %t.next = fadd double %last, 1.0
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp sgt i64 %i.next, %n
  br i1 %i.done, label %end, label %outer

end:
  %r = phi double [ %t.next, %outer.end ]
  %r.t = phi double [ %last.t, %outer.end ]
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
