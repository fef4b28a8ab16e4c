; A matrix times a vector, squared.
; arguments: [1 2 3 4 5 6] [0.5 -1 2] i64:2 i64:3
; returns: double
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
