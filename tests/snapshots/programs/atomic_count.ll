; An atomic addition to what has no derivative. One of what has is refused.
; arguments: 1.5 i64[0 0]
; returns: double
define double @f(double %x, ptr %counts) {
entry:
  %old = atomicrmw add ptr %counts, i64 2 seq_cst, align 8
  %new = load i64, ptr %counts
  %k = sitofp i64 %new to double
  %m = fmul double %x, %k
  %r = fmul double %m, %x
  ret double %r
}
