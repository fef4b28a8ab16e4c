; Functions of the C library, by name.
; arguments: 1.5 0.75
; returns: double
declare double @atan2(double, double)
declare double @tanh(double)
declare double @cbrt(double)
define double @f(double %x, double %y) {
entry:
  %a = call double @atan2(double %x, double %y)
  %t = call double @tanh(double %a)
  %r = call double @cbrt(double %t)
  ret double %r
}
