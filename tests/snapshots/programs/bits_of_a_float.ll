; The sign is taken off by a mask on the bits.
; arguments: -1.5
; returns: double
define double @f(double %x) {
entry:
  %bits = bitcast double %x to i64
  %masked = and i64 %bits, 9223372036854775807
  %abs = bitcast i64 %masked to double
  %r = fmul double %abs, %x
  ret double %r
}
