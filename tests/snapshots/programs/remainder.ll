; The remainder of a division.
; arguments: 7.25 1.5
; returns: double
define double @f(double %x, double %y) {
entry:
  %r = frem double %x, %y
  ret double %r
}
