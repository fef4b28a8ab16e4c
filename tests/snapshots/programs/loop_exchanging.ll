; Phis that exchange their values.
; arguments: 1.5 0.5 i64:5
; returns: double
define double @f(double %x, double %y, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = phi double [ %x, %entry ], [ %b, %loop ]
  %b = phi double [ %y, %entry ], [ %c, %loop ]
  %c = fmul double %a, %b
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop
end:
  %r = phi double [ %c, %loop ]
  ret double %r
}
