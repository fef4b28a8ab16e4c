; Integers become floats, and floats integers: these have no derivative.
; arguments: 1.5 i64:3
; returns: double
define double @f(double %x, i64 %n) {
entry:
  %m = fptosi double %x to i64
  %k = add i64 %m, %n
  %factor = sitofp i64 %k to double
  %r = fmul double %x, %factor
  ret double %r
}
