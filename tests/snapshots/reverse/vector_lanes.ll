
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

define { double, double } @grad.f(double %x, double %y, double %seed) nounwind "reciprocal-estimates"="none" {
entry:
  %a = insertelement <2 x double> zeroinitializer, double %x, i64 0
  %b = insertelement <2 x double> %a, double %y, i64 1
  %c = shufflevector <2 x double> %b, <2 x double> %b, <2 x i32> <i32 1, i32 0>
  %m = fmul <2 x double> %b, %c
  %u = extractelement <2 x double> %m, i64 0
  %v = extractelement <2 x double> %b, i64 0
  %r = fmul double %u, %v
  br label %rev.entry

rev.entry:
  %a.r = insertelement <2 x double> zeroinitializer, double %x, i64 0
  %b.r = insertelement <2 x double> %a.r, double %y, i64 1
  %v.r = extractelement <2 x double> %b.r, i64 0
  %0 = fmul nsz arcp contract double %seed, %v.r
  %c.r = shufflevector <2 x double> %b.r, <2 x double> %b.r, <2 x i32> <i32 1, i32 0>
  %m.r = fmul <2 x double> %b.r, %c.r
  %u.r = extractelement <2 x double> %m.r, i64 0
  %1 = fmul nsz arcp contract double %seed, %u.r
  %2 = insertelement <2 x double> zeroinitializer, double %1, i64 0
  %3 = insertelement <2 x double> zeroinitializer, double %0, i64 0
  %4 = fmul nsz arcp contract <2 x double> %3, %c.r
  %5 = fadd reassoc nsz arcp contract <2 x double> %2, %4
  %6 = fmul nsz arcp contract <2 x double> %3, %b.r
  %7 = extractelement <2 x double> %6, i64 0
  %8 = insertelement <2 x double> zeroinitializer, double %7, i64 1
  %9 = fadd reassoc nsz arcp contract <2 x double> %5, %8
  %10 = extractelement <2 x double> %6, i64 1
  %11 = insertelement <2 x double> zeroinitializer, double %10, i64 0
  %12 = fadd reassoc nsz arcp contract <2 x double> %9, %11
  %13 = extractelement <2 x double> %12, i64 1
  %14 = insertelement <2 x double> %12, double 0.000000e+00, i64 1
  %15 = extractelement <2 x double> %14, i64 0
  br label %rev.finish

rev.finish:
  %16 = insertvalue { double, double } undef, double %15, 0
  %17 = insertvalue { double, double } %16, double %13, 1
  ret { double, double } %17
}


!14 = !{}
!0 = distinct !{!0, !"grad.f"}
!1 = distinct !{!1, !0, !"cache"}
!2 = distinct !{!2, !0, !"primal 0"}
!3 = distinct !{!3, !0, !"shadow 0 0"}
