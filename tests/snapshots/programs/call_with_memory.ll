; A callee that changes memory.
; arguments: [1.5 2]
; returns: double
define internal void @square(ptr %p) {
entry:
  %v = load double, ptr %p
  %q = fmul double %v, %v
  store double %q, ptr %p
  ret void
}
define double @f(ptr %x) {
entry:
  %p = getelementptr double, ptr %x, i64 1
  call void @square(ptr %x)
  call void @square(ptr %p)
  %a = load double, ptr %x
  %b = load double, ptr %p
  %r = fmul double %a, %b
  ret double %r
}
