define void @f(i1 %c) {
  br label %1
1:
  %2 = phi i32 [ 0, %0 ], [ %3, %1 ]
  %3 = add i32 %2, 1
  br i1 %c, label %1, label %4
4:
  ret void
}
