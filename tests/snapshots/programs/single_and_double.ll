; Casts between two precisions.
; arguments: 1.5 f32:0.75
; returns: double
define double @f(double %x, float %y) {
entry:
  %narrow = fptrunc double %x to float
  %a = fmul float %narrow, %y
  %wide = fpext float %a to double
  %r = fmul double %wide, %wide
  ret double %r
}
