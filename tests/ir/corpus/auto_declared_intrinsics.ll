declare double @llvm.sqrt.f64(double)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg)
declare { i64, i1 } @llvm.sadd.with.overflow.i64(i64, i64)
define double @f(double %x, ptr %p, ptr %q) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %p, ptr align 4 %q, i64 16, i1 false), !tbaa.struct !0
  %1 = tail call { i64, i1 } @llvm.sadd.with.overflow.i64(i64 1, i64 2)
  %2 = extractvalue { i64, i1 } %1, 1
  %3 = tail call nnan double @llvm.sqrt.f64(double %x)
  ret double %3
}
!0 = !{i64 0, i64 8, !1}
!1 = !{!2, !2, i64 0}
!2 = !{!"double", !3}
!3 = !{!"root"}
