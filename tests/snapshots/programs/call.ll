; A callee with numbers.
; arguments: 1.5 0.5
; returns: double
define internal double @g(double %x, double %y) {
entry:
  %a = fmul double %x, %y
  %b = fmul double %a, %x
  ret double %b
}
define double @f(double %x, double %y) {
entry:
  %a = call double @g(double %x, double %y)
  %b = call double @g(double %a, double 2.0)
  ret double %b
}
