define void @f(i64 %x, ptr %p) {
  call void @llvm.foo(metadata i64 %x)
  call void @llvm.foo(metadata i64 5)
  call void @llvm.foo(metadata ptr @g)
  ret void
}
@g = global i32 0
declare void @llvm.foo(metadata)
