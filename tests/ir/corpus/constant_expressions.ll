%t = type { i32, [4 x i32] }
@g = global %t zeroinitializer
@h = global [10 x i8] zeroinitializer
@a = global ptr getelementptr (%t, ptr @g, i32 0, i32 1, i64 2)
@b = global ptr getelementptr inbounds (i8, ptr @h, i64 3)
@b2 = global ptr getelementptr inbounds nuw (i8, ptr @h, i64 4)
@b3 = global ptr getelementptr inbounds inrange(-4, 8) ([10 x i8], ptr @h, i32 0, i32 1)
@c = global i64 ptrtoint (ptr @h to i64)
@d = global ptr inttoptr (i64 42 to ptr)
@e = global i64 add (i64 ptrtoint (ptr @h to i64), i64 5)
@f = global i64 sub nuw (i64 ptrtoint (ptr @h to i64), i64 ptrtoint (ptr @g to i64))
@k = global i64 xor (i64 ptrtoint (ptr @h to i64), i64 -1)
@l = global ptr addrspace(1) addrspacecast (ptr @h to ptr addrspace(1))
@m = global i32 trunc (i64 ptrtoint (ptr @h to i64) to i32)
@o = global <2 x ptr> getelementptr (i8, <2 x ptr> splat (ptr @h), <2 x i64> <i64 1, i64 2>)
@q = global i64 ptrtoaddr (ptr @h to i64)
define ptr @f1() {
  %1 = load i32, ptr getelementptr inbounds (%t, ptr @g, i64 0, i32 1, i64 3), align 4
  store ptr @h, ptr getelementptr (i8, ptr @g, i64 8)
  ret ptr getelementptr (i8, ptr @h, i64 1)
}
