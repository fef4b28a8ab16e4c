@table = private constant [3 x double] [double 1.0, double 0.5, double 0.25]

define double @f(double %x, i64 %n) {
entry:
  %p = getelementptr [3 x double], ptr @table, i64 0, i64 %n
  %v = load double, ptr %p
  %m = fmul double %x, %v
  %r = fmul double %m, %x
  ret double %r
}

define { double } @fwd.f(double %x, double %x.d, i64 %n) nounwind "reciprocal-estimates"="none" {
entry:
  %p = getelementptr [3 x double], ptr @table, i64 0, i64 %n
  %v = load double, ptr %p, !alias.scope !4, !noalias !5
  %m = fmul double %x, %v
  %0 = fmul double %x.d, %v
  %r = fmul double %m, %x
  %1 = fmul double %0, %x
  %2 = fmul double %x.d, %m
  %3 = fadd double %1, %2
  %4 = insertvalue { double } undef, double %3, 0
  ret { double } %4
}


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
!4 = !{!2}
!5 = !{!1, !3}
