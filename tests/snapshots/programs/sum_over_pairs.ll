; A sum over pairs, which is not asked for: both loops are fused, and nothing is kept for a pair.
; arguments: [0.5 1.5 2.5 4.0] i64:4
; returns: double
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
