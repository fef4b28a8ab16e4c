@g = global [4 x i32] zeroinitializer
@a = alias [4 x i32], ptr @g
@b = weak_odr hidden unnamed_addr alias i32, getelementptr inbounds ([4 x i32], ptr @g, i64 0, i64 1)
@c = internal alias void (), ptr @f
@d = alias i32, ptr @g, partition "part"
@e = dso_local alias i32 (i32, ...), ptr @v
@i = ifunc void (), ptr @resolver
@j = internal ifunc i32 (ptr), ptr @resolver
define void @f() {
  call void @c()
  call void @i()
  ret void
}
define i32 @v(i32 %x, ...) {
  %1 = load i32, ptr @a
  ret i32 %1
}
define ptr @resolver() {
  ret ptr @f
}
