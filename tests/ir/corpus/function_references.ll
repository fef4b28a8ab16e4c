@table = constant [3 x ptr] [ptr @f, ptr @later, ptr null]
@eq = constant ptr dso_local_equivalent @later
@cfi = constant ptr no_cfi @later
@rel = constant i32 trunc (i64 sub (i64 ptrtoint (ptr @f to i64), i64 ptrtoint (ptr @table to i64)) to i32)
define ptr @f() {
  %1 = call ptr @later()
  %2 = icmp eq ptr @later, %1
  ret ptr @f
}
define ptr @later() { ret ptr @f }
