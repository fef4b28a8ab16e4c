; Both operands of a division.
; arguments: 1.5 -0.5
; returns: double
define double @f(double %x, double %y) {
entry:
  %a = fdiv double %x, %y
  %r = fdiv double %a, %x
  ret double %r
}
