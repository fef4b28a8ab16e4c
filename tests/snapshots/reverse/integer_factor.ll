
define double @f(double %x, i64 %n) {
entry:
  %m = fptosi double %x to i64
  %k = add i64 %m, %n
  %factor = sitofp i64 %k to double
  %r = fmul double %x, %factor
  ret double %r
}

define { double } @grad.f(double %x, i64 %n, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %m = fptosi double %x to i64
  %k = add i64 %m, %n
  %factor = sitofp i64 %k to double
  %r = fmul double %x, %factor
  br label %rev.entry

rev.entry:
  %m.r = fptosi double %x to i64
  %k.r = add i64 %m.r, %n
  %factor.r = sitofp i64 %k.r to double
  %0 = fmul nsz arcp contract double %seed, %factor.r
  br label %rev.finish

rev.finish:
  %1 = insertvalue { double } undef, double %0, 0
  ret { double } %1
}


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
