; `memcpy` between two arguments.
; arguments: [1.5 2] [3 4]
; returns: double
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define double @f(ptr %x, ptr %y) {
entry:
  call void @llvm.memcpy.p0.p0.i64(ptr %y, ptr %x, i64 16, i1 false)
  %p = getelementptr double, ptr %y, i64 1
  %a = load double, ptr %y
  %b = load double, ptr %p
  %r = fmul double %a, %b
  ret double %r
}
