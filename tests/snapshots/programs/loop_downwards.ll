; A counter that goes down to zero gets another one beside it.
; arguments: [1.5 2 -1] i64:3
; returns: double
define double @f(ptr %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ %n, %entry ], [ %next, %loop ]
  %s = phi double [ 1.0, %entry ], [ %horner, %loop ]
  %next = add nsw i64 %i, -1
  %p = getelementptr double, ptr %x, i64 %next
  %v = load double, ptr %p
  %a = fmul double %s, 0.5
  %horner = fadd double %a, %v
  %done = icmp eq i64 %next, 0
  br i1 %done, label %end, label %loop
end:
  %r = phi double [ %horner, %loop ]
  ret double %r
}
