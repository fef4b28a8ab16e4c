; A pointer is stored and loaded again; its shadow is where the shadow of its place is.
; arguments: [1.5 2]
; returns: double
define double @f(ptr %x) {
entry:
  %place = alloca ptr
  store ptr %x, ptr %place
  %p = load ptr, ptr %place
  %v = load double, ptr %p
  %r = fmul double %v, %v
  ret double %r
}
