; `memset` ends what was in memory.
; arguments: [1.5 2] 0.5
; returns: double
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define double @f(ptr %x, double %y) {
entry:
  %a = load double, ptr %x
  call void @llvm.memset.p0.i64(ptr %x, i8 0, i64 16, i1 false)
  %b = load double, ptr %x
  %c = fadd double %b, %y
  store double %c, ptr %x
  %r = fmul double %a, %y
  ret double %r
}
