; What is read is overwritten later, so it is kept.
; arguments: [1.5 2] 0.5
; returns: double
define double @f(ptr %x, double %y) {
entry:
  %q = getelementptr double, ptr %x, i64 1
  %a = load double, ptr %x
  %b = load double, ptr %q
  %m = fmul double %a, %b
  store double %y, ptr %x
  store double %m, ptr %q
  ret double %m
}
