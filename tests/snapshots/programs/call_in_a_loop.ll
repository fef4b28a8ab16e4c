; The tapes of a callee are cached.
; arguments: 0.5 i64:3
; returns: double
declare double @llvm.sin.f64(double)
define internal double @g(double %x) {
entry:
  %s = call double @llvm.sin.f64(double %x)
  %r = fmul double %s, %x
  ret double %r
}
define double @f(double %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi double [ %x, %entry ], [ %s.next, %loop ]
  %s.next = call double @g(double %s)
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop
end:
  %r = phi double [ %s.next, %loop ]
  ret double %r
}
