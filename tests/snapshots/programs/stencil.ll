; A sweep that overwrites what it has read.
; arguments: [1 2 4 8 16] i64:5
; returns: void
define void @f(ptr %x, i64 %n) {
entry:
  %last = sub i64 %n, 1
  br label %loop
loop:
  %i = phi i64 [ 1, %entry ], [ %next, %loop ]
  %p = getelementptr double, ptr %x, i64 %i
  %before = getelementptr i8, ptr %p, i64 -8
  %after = getelementptr i8, ptr %p, i64 8
  %a = load double, ptr %before
  %b = load double, ptr %p
  %c = load double, ptr %after
  %m = fmul double %a, %b
  %s = fadd double %m, %c
  store double %s, ptr %p
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %last
  br i1 %done, label %end, label %loop
end:
  ret void
}
