%node = type { ptr, [3 x { i16, <2 x float> }] }
define void @f(ptr %p, i32 %i, i64 %j) {
  %1 = getelementptr %node, ptr %p, i32 %i, i32 1, i64 %j, i32 1, i32 0
  %2 = getelementptr inbounds { i32, { i8, double } }, ptr %p, i64 0, i32 1, i32 1
  %3 = getelementptr [0 x i8], ptr %p, i64 %j, i64 5
  %4 = getelementptr <4 x i32>, ptr %p, i64 1, i64 2
  %5 = getelementptr ptr, ptr %p, i64 %j
  %6 = getelementptr i8, ptr %p
  ret void
}
