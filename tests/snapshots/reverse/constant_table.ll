@table = private constant [3 x double] [double 1.0, double 0.5, double 0.25]

define double @f(double %x, i64 %n) {
entry:
  %p = getelementptr [3 x double], ptr @table, i64 0, i64 %n
  %v = load double, ptr %p
  %m = fmul double %x, %v
  %r = fmul double %m, %x
  ret double %r
}

define { double } @grad.f(double %x, i64 %n, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %p = getelementptr [3 x double], ptr @table, i64 0, i64 %n
  %v = load double, ptr %p, !alias.scope !4, !noalias !5
  %m = fmul double %x, %v
  %r = fmul double %m, %x
  br label %rev.entry

rev.entry:
  %0 = fmul nsz arcp contract double %seed, %x
  %p.r = getelementptr [3 x double], ptr @table, i64 0, i64 %n
  %v.r = load double, ptr %p.r, !alias.scope !4, !noalias !5
  %m.r = fmul double %x, %v.r
  %1 = fmul nsz arcp contract double %seed, %m.r
  %2 = fmul nsz arcp contract double %0, %v.r
  %3 = fadd reassoc nsz arcp contract double %1, %2
  br label %rev.finish

rev.finish:
  %4 = insertvalue { double } undef, double %3, 0
  ret { double } %4
}


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
!4 = !{!2}
!5 = !{!1, !3}
