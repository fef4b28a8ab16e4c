
define double @f(double %x, i64 %n) {
entry:
  %m = fptosi double %x to i64
  %k = add i64 %m, %n
  %factor = sitofp i64 %k to double
  %r = fmul double %x, %factor
  ret double %r
}

define { double } @fwd.f(double %x, double %x.d, i64 %n) nounwind "reciprocal-estimates"="none" {
entry:
  %m = fptosi double %x to i64
  %k = add i64 %m, %n
  %factor = sitofp i64 %k to double
  %r = fmul double %x, %factor
  %0 = fmul double %x.d, %factor
  %1 = insertvalue { double } undef, double %0, 0
  ret { double } %1
}


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
