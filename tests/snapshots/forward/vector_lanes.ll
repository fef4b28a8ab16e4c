
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

define { double } @fwd.f(double %x, double %x.d, double %y, double %y.d) nounwind "reciprocal-estimates"="none" {
entry:
  %a = insertelement <2 x double> zeroinitializer, double %x, i64 0
  %a.t = insertelement <2 x double> zeroinitializer, double %x.d, i64 0
  %b = insertelement <2 x double> %a, double %y, i64 1
  %b.t = insertelement <2 x double> %a.t, double %y.d, i64 1
  %c = shufflevector <2 x double> %b, <2 x double> %b, <2 x i32> <i32 1, i32 0>
  %c.t = shufflevector <2 x double> %b.t, <2 x double> %b.t, <2 x i32> <i32 1, i32 0>
  %m = fmul <2 x double> %b, %c
  %0 = fmul <2 x double> %b.t, %c
  %1 = fmul <2 x double> %c.t, %b
  %2 = fadd <2 x double> %0, %1
  %u = extractelement <2 x double> %m, i64 0
  %u.t = extractelement <2 x double> %2, i64 0
  %v = extractelement <2 x double> %b, i64 0
  %v.t = extractelement <2 x double> %b.t, i64 0
  %r = fmul double %u, %v
  %3 = fmul double %u.t, %v
  %4 = fmul double %v.t, %u
  %5 = fadd double %3, %4
  %6 = insertvalue { double } undef, double %5, 0
  ret { double } %6
}


!14 = !{}
!0 = distinct !{!0, !"fwd.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
