; A product of three factors.
; arguments: 1.5 -0.5
; returns: double
define double @f(double %x, double %y) {
entry:
  %a = fmul double %x, %y
  %r = fmul double %a, %x
  ret double %r
}
