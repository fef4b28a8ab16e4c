; Two exits with different results: the counter with which each was taken is kept.
; arguments: [1.5 2 -1 3] i64:4
; returns: double
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
