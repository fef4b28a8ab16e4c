; Sums, differences, a sign.
; arguments: 1.5 -0.5
; returns: double
define double @f(double %x, double %y) {
entry:
  %s = fadd double %x, %y
  %d = fsub double %s, 2.5
  %e = fsub double %d, %x
  %n = fneg double %e
  %r = fadd double %n, %s
  ret double %r
}
