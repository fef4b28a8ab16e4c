; A loop that may run not at all, as it is written and not as LLVM rotates it.
; arguments: [1.5 2 -1] i64:3
; returns: double
define double @f(ptr %x, i64 %n) {
entry:
  br label %test
test:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %s = phi double [ 1.0, %entry ], [ %product, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %end
body:
  %p = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %p
  %product = fmul double %s, %v
  %next = add nuw nsw i64 %i, 1
  br label %test
end:
  %r = phi double [ %s, %test ]
  ret double %r
}
