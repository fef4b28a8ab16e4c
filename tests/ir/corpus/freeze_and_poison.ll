define i32 @f(i32 %x, <2 x i32> %v) {
  %1 = freeze i32 %x
  %2 = freeze i32 poison
  %3 = freeze <2 x i32> %v
  %4 = freeze { i32, ptr } { i32 undef, ptr poison }
  %5 = add i32 undef, poison
  ret i32 %5
}
