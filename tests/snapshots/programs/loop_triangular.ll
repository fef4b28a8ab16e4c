; The inner loop is as long as the outer one has come.
; arguments: [1.5 2 -1] i64:3
; returns: double
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
