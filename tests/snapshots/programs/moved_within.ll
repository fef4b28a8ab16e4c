; `memmove` between places that overlap.
; arguments: [1.5 2 -1]
; returns: double
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
define double @f(ptr %x) {
entry:
  %p = getelementptr double, ptr %x, i64 1
  call void @llvm.memmove.p0.p0.i64(ptr %p, ptr %x, i64 16, i1 false)
  %a = load double, ptr %x
  %b = load double, ptr %p
  %r = fmul double %a, %b
  ret double %r
}
