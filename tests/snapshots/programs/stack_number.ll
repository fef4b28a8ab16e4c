; A number that lives on the stack.
; arguments: 1.5
; returns: double
define double @f(double %x) {
entry:
  %p = alloca double
  store double %x, ptr %p
  %a = load double, ptr %p
  %b = fmul double %a, %a
  store double %b, ptr %p
  %c = load double, ptr %p
  %r = fmul double %c, %a
  ret double %r
}
