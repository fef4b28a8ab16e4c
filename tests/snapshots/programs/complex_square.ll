; A complex number as a struct by value.
; arguments: 1.5 0.5
; returns: double
define double @f(double %re, double %im) {
entry:
  %a = insertvalue { double, double } zeroinitializer, double %re, 0
  %z = insertvalue { double, double } %a, double %im, 1
  %x = extractvalue { double, double } %z, 0
  %y = extractvalue { double, double } %z, 1
  %xx = fmul double %x, %x
  %yy = fmul double %y, %y
  %xy = fmul double %x, %y
  %u = fsub double %xx, %yy
  %v = fmul double %xy, 2.0
  %r = fmul double %u, %v
  ret double %r
}
