declare token @llvm.experimental.gc.statepoint.p0(i64 immarg, i32 immarg, ptr, i32 immarg, i32 immarg, ...)
declare i32 @llvm.experimental.gc.result.i32(token)
declare i32 @target()
define i32 @f() gc "statepoint-example" {
  %tok = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(i32 ()) @target, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i32 1) ]
  %r = call i32 @llvm.experimental.gc.result.i32(token %tok)
  ret i32 %r
}
