; A select of numbers that cost nothing.
; arguments: 1.5 0.75
; returns: double
define double @f(double %x, double %y) {
entry:
  %c = fcmp ogt double %x, %y
  %s = select i1 %c, double %x, double %y
  %r = fmul double %s, %s
  ret double %r
}
