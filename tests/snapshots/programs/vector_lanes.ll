; Lanes are put together, exchanged and taken apart.
; arguments: 1.5 -2.0
; returns: double
define double @f(double %x, double %y) {
entry:
  %a = insertelement <2 x double> zeroinitializer, double %x, i64 0
  %b = insertelement <2 x double> %a, double %y, i64 1
  %c = shufflevector <2 x double> %b, <2 x double> %b, <2 x i32> <i32 1, i32 0>
  %m = fmul <2 x double> %b, %c
  %u = extractelement <2 x double> %m, i64 0
  %v = extractelement <2 x double> %b, i64 0
  %r = fmul double %u, %v
  ret double %r
}
