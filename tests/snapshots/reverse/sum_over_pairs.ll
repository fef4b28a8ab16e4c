
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

define void @grad.f(ptr %x, ptr %x.d, i64 %n, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %e.c = alloca double
  %0 = sub i64 %n, 1
  br label %end

outer:
  %xj.d = phi double [ 0.000000e+00, %rev.end.outer.end ], [ %xj.d.2, %rev.outer.again ]
  %d.d = phi double [ 0.000000e+00, %rev.end.outer.end ], [ %d.d.2, %rev.outer.again ]
  %e.d = phi double [ 0.000000e+00, %rev.end.outer.end ], [ %e.d.2, %rev.outer.again ]
  %more.d = phi double [ 0.000000e+00, %rev.end.outer.end ], [ %more.d.2, %rev.outer.again ]
  %s.inner.d = phi double [ %seed, %rev.end.outer.end ], [ %t.d, %rev.outer.again ]
  %i = phi i64 [ 0, %rev.end.outer.end ], [ %i.next, %rev.outer.again ]
  %px = getelementptr double, ptr %x, i64 %i
  %px.d = getelementptr double, ptr %x.d, i64 %i
  %xi = load double, ptr %px, !alias.scope !4, !noalias !5
  br label %outer.end

inner:
  %xj.d.1 = phi double [ %xj.d, %rev.outer.end.inner.end ], [ %xj.d.2, %rev.inner.again ]
  %xi.d = phi double [ 0.000000e+00, %rev.outer.end.inner.end ], [ %xi.d.1, %rev.inner.again ]
  %d.d.1 = phi double [ %d.d, %rev.outer.end.inner.end ], [ %d.d.2, %rev.inner.again ]
  %e.d.1 = phi double [ %e.d, %rev.outer.end.inner.end ], [ %e.d.2, %rev.inner.again ]
  %more.d.1 = phi double [ %more.d, %rev.outer.end.inner.end ], [ %more.d.2, %rev.inner.again ]
  %t.next.d = phi double [ %s.inner.d, %rev.outer.end.inner.end ], [ %t.d, %rev.inner.again ]
  %j = phi i64 [ 0, %rev.outer.end.inner.end ], [ %j.next, %rev.inner.again ]
  %py = getelementptr double, ptr %x, i64 %j
  %py.d = getelementptr double, ptr %x.d, i64 %j
  %xj = load double, ptr %py, !alias.scope !4, !noalias !5
  %d = fsub double %xi, %xj
  %near = fcmp olt double %d, 1.2
  br i1 %near, label %add, label %inner.end

add:
  %e = call double @exp(double %d)
  store double %e, ptr %e.c
  br label %inner.end

inner.end:
  %j.next = add nuw nsw i64 %j, 1
  %inner.done = icmp eq i64 %j.next, %n
  br label %rev.inner.end

outer.end:
  %i.next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %i.next, %n
  br label %rev.outer.end

end:
  br label %rev.end

rev.end:
  br label %rev.end.outer.end

rev.end.outer.end:
  br label %outer

rev.outer.end:
  br label %rev.outer.end.inner.end

rev.outer.end.inner.end:
  br label %inner

rev.inner.end:
  br i1 %near, label %rev.inner.end.add, label %rev.inner.end.inner

rev.inner.end.add:
  %1 = fadd reassoc nsz arcp contract double %more.d.1, %t.next.d
  br label %rev.add

rev.inner.end.inner:
  br label %rev.inner.end.1

rev.add:
  %2 = fadd reassoc nsz arcp contract double %e.d.1, %1
  %e.l = load double, ptr %e.c
  %3 = fmul nsz arcp contract double %2, %e.l
  %4 = fadd reassoc nsz arcp contract double %d.d.1, %3
  br label %rev.inner

rev.inner:
  %5 = fadd reassoc nsz arcp contract double %xi.d, %4
  %6 = fneg nsz arcp contract double %4
  %7 = fadd reassoc nsz arcp contract double %xj.d.1, %6
  %8 = load double, ptr %py.d, align 8, !alias.scope !6, !noalias !7
  %9 = fadd reassoc nsz arcp contract double %8, %7
  store double %9, ptr %py.d, align 8, !alias.scope !6, !noalias !7
  br label %rev.inner.end.1

rev.inner.again:
  br label %inner

rev.inner.outer:
  br label %rev.outer

rev.inner.end.1:
  %xj.d.2 = phi double [ %xj.d.1, %rev.inner.end.inner ], [ 0.000000e+00, %rev.inner ]
  %xi.d.1 = phi double [ %xi.d, %rev.inner.end.inner ], [ %5, %rev.inner ]
  %d.d.2 = phi double [ %d.d.1, %rev.inner.end.inner ], [ 0.000000e+00, %rev.inner ]
  %e.d.2 = phi double [ %e.d.1, %rev.inner.end.inner ], [ 0.000000e+00, %rev.inner ]
  %more.d.2 = phi double [ %more.d.1, %rev.inner.end.inner ], [ 0.000000e+00, %rev.inner ]
  %t.d = phi double [ %t.next.d, %rev.inner.end.inner ], [ %1, %rev.inner ]
  br i1 %inner.done, label %rev.inner.outer, label %rev.inner.again

rev.outer:
  %10 = load double, ptr %px.d, align 8, !alias.scope !6, !noalias !7
  %11 = fadd reassoc nsz arcp contract double %10, %xi.d.1
  store double %11, ptr %px.d, align 8, !alias.scope !6, !noalias !7
  br i1 %done, label %rev.entry, label %rev.outer.again

rev.outer.again:
  br label %outer

rev.entry:
  br label %rev.finish

rev.finish:
  ret void
}


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
!4 = !{!2}
!5 = !{!1, !3}
!6 = !{!3}
!7 = !{!1, !2}
