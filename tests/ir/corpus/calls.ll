declare void @v()
declare i32 @printf(ptr, ...)
declare double @m(double, double)
declare fastcc i32 @fc(i32)
declare ptr @alloc(i64)
declare void @sr(ptr sret(i32), ptr)
define double @f(ptr %fp, double %x, ptr %s) {
  call void @v()
  tail call void @v() #0
  notail call void @v() nounwind
  %1 = call i32 (ptr, ...) @printf(ptr %s, i32 3, double %x)
  %2 = call fastcc i32 @fc(i32 1)
  %3 = call fastcc i32 @fc(i32 noundef 1)
  %4 = call fast double @m(double %x, double 1.0)
  %5 = call nnan contract double @m(double nofpclass(nan) %x, double noundef 1.0) #1
  %6 = call noalias align 16 dereferenceable(8) ptr @alloc(i64 noundef 8) memory(none) "x"="y"
  %7 = call double %fp(double %x)
  %8 = call double (double, ...) %fp(double %x, i32 1)
  call void @sr(ptr sret(i32) align 4 %s, ptr null)
  %9 = call fastcc range(i32 0, 5) i32 @fc(i32 range(i32 0, 10) 3)
  call void inttoptr (i64 64 to ptr)(i32 1)
  %10 = tail call fast fastcc double %fp(double undef) #1
  call void null()
  call void poison(ptr undef, i1 true, {} zeroinitializer, <2 x i8> splat (i8 1), [2 x i8] c"ab", i8 -1)
  ret double %4
}
define i32 @t(i32 %x) {
  %r = musttail call i32 @t(i32 %x)
  ret i32 %r
}
define void @as(ptr addrspace(1) %p) {
  call addrspace(1) void %p()
  ret void
}
attributes #0 = { nounwind }
attributes #1 = { nounwind willreturn memory(read) "a b"="c d" }
