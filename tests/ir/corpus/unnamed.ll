define i32 @0(i32, ptr %1, i32 %named, i32) {
  %4 = add i32 %0, %2
  br label %5

5:
  %6 = phi i32 [ %4, %3 ], [ %8, %7 ]
  br label %7

7:
  %8 = add i32 %6, 1
  %9 = icmp slt i32 %8, 10
  br i1 %9, label %5, label %10

10:
  %11 = call i32 @1(i32 %8)
  store i32 %11, ptr @2
  ret i32 %11
}
define i32 @1(i32 %0) {
  ret i32 %0
}
@2 = global i32 3
@3 = private constant [2 x ptr] [ptr @2, ptr @0]
