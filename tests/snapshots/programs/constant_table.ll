; A constant global.
; arguments: 1.5 i64:2
; returns: double
@table = private constant [3 x double] [double 1.0, double 0.5, double 0.25]
define double @f(double %x, i64 %n) {
entry:
  %p = getelementptr [3 x double], ptr @table, i64 0, i64 %n
  %v = load double, ptr %p
  %m = fmul double %x, %v
  %r = fmul double %m, %x
  ret double %r
}
