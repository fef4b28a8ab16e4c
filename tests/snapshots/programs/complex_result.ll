; A callee that returns a complex number.
; arguments: 1.5 0.5
; returns: double
define internal { double, double } @turned(double %x, double %y) noinline {
entry:
  %n = fneg double %y
  %a = insertvalue { double, double } zeroinitializer, double %n, 0
  %r = insertvalue { double, double } %a, double %x, 1
  ret { double, double } %r
}
define double @f(double %re, double %im) {
entry:
  %z = call { double, double } @turned(double %re, double %im)
  %x = extractvalue { double, double } %z, 0
  %y = extractvalue { double, double } %z, 1
  %xx = fmul double %x, %x
  %r = fmul double %xx, %y
  ret double %r
}
