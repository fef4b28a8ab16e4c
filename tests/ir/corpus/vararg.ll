define i32 @f(i32 %n, ...) {
  %ap = alloca ptr
  call void @llvm.va_start.p0(ptr %ap)
  %1 = va_arg ptr %ap, i32
  %2 = va_arg ptr %ap, double
  call void @llvm.va_end.p0(ptr %ap)
  ret i32 %1
}
declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_end.p0(ptr)
