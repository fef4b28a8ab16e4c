; Constant memory has no shadow.
; arguments: const[1.5 2 -1] 0.5 i64:3
; returns: double
define double @f(ptr %c, double %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi double [ 0.0, %entry ], [ %sum, %loop ]
  %p = getelementptr double, ptr %c, i64 %i
  %v = load double, ptr %p
  %m = fmul double %s, %x
  %sum = fadd double %m, %v
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop
end:
  %r = phi double [ %sum, %loop ]
  ret double %r
}
