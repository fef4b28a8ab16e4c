define i32 @f(i32 %n, i1 %c) {
entry:
  switch i32 %n, label %other [
    i32 0, label %zero
    i32 -1, label %minus
    i32 7, label %zero
  ]
zero:
  %z = phi i32 [ 1, %entry ], [ 1, %entry ]
  br label %end
minus:
  br i1 %c, label %end, label %other, !prof !0
other:
  switch i32 %n, label %end []
end:
  %r = phi i32 [ %z, %zero ], [ 2, %minus ], [ 3, %other ]
  ret i32 %r
}
define void @never() {
  unreachable
}
!0 = !{!"branch_weights", i32 1, i32 2000}
