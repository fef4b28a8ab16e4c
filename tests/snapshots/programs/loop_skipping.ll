; A branch in a loop: which way control went is known again from the values.
; arguments: [1.5 -2 3] i64:3
; returns: double
define double @f(ptr %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %s = phi double [ 1.0, %entry ], [ %s.next, %latch ]
  %p = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %p
  %negative = fcmp olt double %v, 0.0
  br i1 %negative, label %latch, label %take
take:
  %product = fmul double %s, %v
  br label %latch
latch:
  %s.next = phi double [ %s, %loop ], [ %product, %take ]
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop
end:
  %r = phi double [ %s.next, %latch ]
  ret double %r
}
