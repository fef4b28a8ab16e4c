; A function that returns at two places.
; arguments: 1.5
; returns: double
define double @f(double %x) {
entry:
  %c = fcmp ogt double %x, 1.0
  br i1 %c, label %early, label %late
early:
  %a = fmul double %x, %x
  ret double %a
late:
  %b = fneg double %x
  ret double %b
}
