declare void @llvm.dbg.value(metadata, metadata, metadata)
declare void @llvm.dbg.declare(metadata, metadata, metadata)
define i32 @f(i32 %x) {
  %a = alloca i32
  %y = add i32 %x, 1
  ret i32 %y
}
