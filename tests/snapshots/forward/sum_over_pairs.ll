
define double @f(ptr %x, i64 %n) {
entry:
  br label %outer

outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %outer.end ]
  %s = phi double [ 0.0, %entry ], [ %s.inner, %outer.end ]
  %px = getelementptr double, ptr %x, i64 %i
  %xi = load double, ptr %px
  br label %inner

inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner.end ]
  %t = phi double [ %s, %outer ], [ %t.next, %inner.end ]
  %py = getelementptr double, ptr %x, i64 %j
  %xj = load double, ptr %py
  %d = fsub double %xi, %xj
  %near = fcmp olt double %d, 1.2
  br i1 %near, label %add, label %inner.end

add:
  %e = call double @exp(double %d)
  %more = fadd double %t, %e
  br label %inner.end

inner.end:
  %t.next = phi double [ %t, %inner ], [ %more, %add ]
  %j.next = add nuw nsw i64 %j, 1
  %inner.done = icmp eq i64 %j.next, %n
  br i1 %inner.done, label %outer.end, label %inner

outer.end:
  %s.inner = phi double [ %t.next, %inner.end ]
  %i.next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %i.next, %n
  br i1 %done, label %end, label %outer

end:
  %r = phi double [ %s.inner, %outer.end ]
  ret double %r
}

declare double @exp(double)

define { double } @fwd.f(ptr %x, ptr %x.d, i64 %n) nounwind "reciprocal-estimates"="none" {
entry:
  br label %outer

outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %outer.end ]
  %s = phi double [ 0.0, %entry ], [ %s.inner, %outer.end ]
  %s.t = phi double [ 0.000000e+00, %entry ], [ %s.inner.t, %outer.end ]
  %px = getelementptr double, ptr %x, i64 %i
  %px.d = getelementptr double, ptr %x.d, i64 %i
  %xi = load double, ptr %px, !alias.scope !4, !noalias !5
  %xi.t = load double, ptr %px.d, align 8, !alias.scope !6, !noalias !7
  br label %inner

inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner.end ]
  %t = phi double [ %s, %outer ], [ %t.next, %inner.end ]
  %t.t = phi double [ %s.t, %outer ], [ %t.next.t, %inner.end ]
  %py = getelementptr double, ptr %x, i64 %j
  %py.d = getelementptr double, ptr %x.d, i64 %j
  %xj = load double, ptr %py, !alias.scope !4, !noalias !5
  %xj.t = load double, ptr %py.d, align 8, !alias.scope !6, !noalias !7
  %d = fsub double %xi, %xj
  %0 = fneg double %xj.t
  %1 = fadd double %xi.t, %0
  %near = fcmp olt double %d, 1.2
  br i1 %near, label %add, label %inner.end

add:
  %e = call double @exp(double %d)
  %2 = fmul double %1, %e
  %more = fadd double %t, %e
  %3 = fadd double %t.t, %2
  br label %inner.end

inner.end:
  %t.next = phi double [ %t, %inner ], [ %more, %add ]
  %t.next.t = phi double [ %t.t, %inner ], [ %3, %add ]
  %j.next = add nuw nsw i64 %j, 1
  %inner.done = icmp eq i64 %j.next, %n
  br i1 %inner.done, label %outer.end, label %inner

outer.end:
  %s.inner = phi double [ %t.next, %inner.end ]
  %s.inner.t = phi double [ %t.next.t, %inner.end ]
  %i.next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %i.next, %n
  br i1 %done, label %end, label %outer

end:
  %r = phi double [ %s.inner, %outer.end ]
  %r.t = phi double [ %s.inner.t, %outer.end ]
  %4 = insertvalue { double } undef, double %r.t, 0
  ret { double } %4
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
