; A function that is constant between jumps.
; arguments: 1.75
; returns: double
declare double @llvm.floor.f64(double)
define double @f(double %x) {
entry:
  %whole = call double @llvm.floor.f64(double %x)
  %part = fsub double %x, %whole
  %r = fmul double %part, %whole
  ret double %r
}
