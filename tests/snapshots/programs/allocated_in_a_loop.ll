; Memory of one iteration.
; arguments: 1.5 i64:3
; returns: double
declare noalias ptr @malloc(i64)
declare void @free(ptr)
define double @f(double %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi double [ %x, %entry ], [ %s.next, %loop ]
  %p = call ptr @malloc(i64 8)
  store double %s, ptr %p
  %a = load double, ptr %p
  %s.next = fmul double %a, %a
  call void @free(ptr %p)
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop
end:
  %r = phi double [ %s.next, %loop ]
  ret double %r
}
